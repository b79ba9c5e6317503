package burst

import (
	"bytes"
	"net"
	"time"
)

// maxEvent bounds one line of a stream, bytes.
const maxEvent = 1 << 20

// sseCodec reads a stream of Server-Sent Events. It asks for the stream once, as it connects; all that comes is news,
// and no reply.
type sseCodec struct {
	generator
	request []byte
	event   func(data []byte)
	headed  bool
	chunked bool
	left    int    // bytes of the body, or of the chunk; without a length the body ends with the connection
	line    []byte // the beginning of a line
}

func (c *sseCodec) open(conn net.Conn, deadline time.Time) ([]byte, error) {
	c.headed, c.line = false, c.line[:0]
	if err := conn.SetDeadline(deadline); err != nil {
		return nil, err
	}
	_, err := conn.Write(c.request)
	return nil, err
}

func (c *sseCodec) requests(dst []byte, _ int) []byte { return dst }

func (c *sseCodec) replies(in []byte, _ int) (used, ok int, why stop) {
	if !c.headed {
		if used, why = c.head(in); used == 0 {
			return 0, 0, why
		}
	}
	for used < len(in) {
		n, why := c.body(in[used:])
		if used += n; n == 0 || why != stopMore {
			return used, 0, why
		}
	}
	if !c.chunked && c.left == 0 {
		return used, 0, stopClosing
	}
	return used, 0, stopMore
}

// head reads the status line and the headers; used is 0 while they are not whole, or not those of a stream.
func (c *sseCodec) head(in []byte) (used int, why stop) {
	end := bytes.Index(in, crlf2)
	if end < 0 {
		if len(in) > maxLine || !couldBeHTTP(in) {
			return 0, stopBroken
		}
		return 0, stopMore
	}
	var r httpReply
	length, err := r.parseHead(in[:end+2])
	if err != nil || r.status != 200 {
		return 0, stopBroken
	}
	c.headed, c.chunked = true, r.chunked
	switch {
	case r.chunked:
		c.left = 0
	case length >= 0:
		c.left = length
	default:
		c.left = int(never)
	}
	return end + len(crlf2), stopMore
}

// body reads some of the body; n is 0 while there is too little, or when the stream has ended.
func (c *sseCodec) body(in []byte) (n int, why stop) {
	if c.left > 0 {
		n = min(len(in), c.left)
		c.left -= n
		if !c.text(in[:n]) {
			return n, stopBroken
		}
		return n, stopMore
	}
	if !c.chunked {
		return 0, stopClosing // bytes beyond the length
	}
	end := bytes.IndexByte(in[:min(len(in), 256)], '\n')
	switch {
	case end < 0 && len(in) >= 256:
		return 0, stopBroken
	case end < 0:
		return 0, stopMore
	case end == 0 || end == 1 && in[0] == '\r': // what ends the chunk before
		return end + 1, stopMore
	}
	size, ok := hexadecimal(in[:end])
	switch {
	case !ok:
		return 0, stopBroken
	case size == 0:
		return 0, stopClosing
	}
	c.left = size
	return end + 1, stopMore
}

// text takes the lines out of the body; false when one is too long.
func (c *sseCodec) text(in []byte) bool {
	for {
		end := bytes.IndexByte(in, '\n')
		if end < 0 {
			c.line = append(c.line, in...)
			return len(c.line) <= maxEvent
		}
		line := in[:end]
		if len(c.line) > 0 {
			c.line = append(c.line, line...)
			line = c.line
		}
		if data, ok := bytes.CutPrefix(line, []byte("data:")); ok {
			c.event(data)
		}
		c.line = c.line[:0]
		in = in[end+1:]
	}
}
