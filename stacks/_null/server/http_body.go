package main

import "bytes"

const (
	maxChunkLine = 4 << 10  // bytes of a chunk's size line with its extensions
	maxTrailer   = 64 << 10 // bytes of all trailer lines
)

// bodyReader finds the end of a body and drops what is before it.
type bodyReader struct {
	left    int64 // bytes of the body, or of the current chunk with its CRLF, still to come
	chunked bool
	state   chunkState
	trailer int // bytes of trailer so far
}

type chunkState int

const (
	chunkSize chunkState = iota
	chunkData
	chunkTrailer
)

// read takes what it can of in; whole means that the body ended there, !ok that it is malformed.
func (b *bodyReader) read(in []byte) (n int, whole, ok bool) {
	if !b.chunked {
		n = b.drop(in)
		return n, b.left == 0, true
	}
	for n < len(in) {
		if b.state == chunkData {
			took, ok := b.data(in[n:])
			n += took
			if !ok {
				return n, false, false
			}
			continue
		}
		line, size, ok := chunkLine(in[n:])
		if !ok || size == 0 {
			return n, false, ok
		}
		n += size
		if b.state == chunkTrailer {
			if b.trailer += size; b.trailer > maxTrailer {
				return n, false, false
			}
			if len(line) == 0 {
				return n, true, true
			}
			continue
		}
		if b.left, ok = parseChunkSize(line); !ok {
			return n, false, false
		}
		if b.state = chunkTrailer; b.left > 0 {
			b.state, b.left = chunkData, b.left+2
		}
	}
	return n, false, true
}

// drop skips up to left bytes.
func (b *bodyReader) drop(in []byte) int {
	n := int(min(b.left, int64(len(in))))
	b.left -= int64(n)
	return n
}

// data skips chunk data and checks the CRLF behind it.
func (b *bodyReader) data(in []byte) (n int, ok bool) {
	if b.left > 2 {
		payload := bodyReader{left: b.left - 2}
		n = payload.drop(in)
		b.left -= int64(n)
	}
	for ; n < len(in) && b.left > 0 && b.left <= 2; n++ {
		if in[n] != "\n\r"[b.left-1] {
			return n, false
		}
		b.left--
	}
	if b.left == 0 {
		b.state = chunkSize
	}
	return n, true
}

// chunkLine cuts one line off; size is its length with CRLF, 0 when it is incomplete.
func chunkLine(in []byte) (line []byte, size int, ok bool) {
	end := bytes.IndexByte(in, '\n')
	switch {
	case end > maxChunkLine || end < 0 && len(in) > maxChunkLine:
		return nil, 0, false
	case end < 0:
		return nil, 0, true
	case end == 0 || in[end-1] != '\r':
		return nil, 0, false
	}
	return in[:end-1], end + 1, true
}

// parseChunkSize reads the hexadecimal size; extensions after ';' are ignored.
func parseChunkSize(line []byte) (int64, bool) {
	digits, _, _ := bytes.Cut(line, []byte{';'})
	digits = trim(digits)
	if len(digits) == 0 || len(digits) > 15 {
		return 0, false
	}
	n := int64(0)
	for _, c := range digits {
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c|0x20 && c|0x20 <= 'f':
			c = (c | 0x20) - 'a' + 10
		default:
			return 0, false
		}
		n = n<<4 | int64(c)
	}
	return n, true
}
