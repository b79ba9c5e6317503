package burst

import (
	"encoding/binary"
	"errors"
)

// Opcodes of RFC 6455.
const (
	wsContinue = 0x0
	wsText     = 0x1
	wsBinary   = 0x2
	wsClose    = 0x8
	wsPing     = 0x9
	wsPong     = 0xA
)

var errWS = errors.New("websocket: malformed frame")

// wsFrame is one frame from the server.
type wsFrame struct {
	opcode byte
	final  bool
	body   []byte
}

// parseFrame reads one unmasked frame; n is 0 while it is incomplete.
func parseFrame(in []byte) (f wsFrame, n int, err error) {
	if len(in) < 2 {
		return f, 0, nil
	}
	f.opcode, f.final = in[0]&0x0f, in[0]&0x80 != 0
	size, at := uint64(in[1]&0x7f), 2
	if in[0]&0x70 != 0 || in[1]&0x80 != 0 || f.opcode > wsPong || f.opcode > wsBinary && f.opcode < wsClose {
		return f, 0, errWS
	}
	if f.opcode >= wsClose && (!f.final || size > 125) {
		return f, 0, errWS
	}
	switch size {
	case 126:
		if len(in) < 4 {
			return f, 0, nil
		}
		size, at = uint64(binary.BigEndian.Uint16(in[2:])), 4
	case 127:
		if len(in) < 10 {
			return f, 0, nil
		}
		size, at = binary.BigEndian.Uint64(in[2:]), 10
	}
	if size > maxReply {
		return f, 0, errWS
	}
	if end := at + int(size); len(in) >= end {
		f.body = in[at:end]
		return f, end, nil
	}
	return f, 0, nil
}

// appendFrameHead appends the head of a masked, final frame.
func appendFrameHead(dst []byte, opcode byte, size int, mask uint32) []byte {
	dst = append(dst, 0x80|opcode)
	switch {
	case size < 126:
		dst = append(dst, 0x80|byte(size))
	case size < 1<<16:
		dst = binary.BigEndian.AppendUint16(append(dst, 0x80|126), uint16(size))
	default:
		dst = binary.BigEndian.AppendUint64(append(dst, 0x80|127), uint64(size))
	}
	return binary.LittleEndian.AppendUint32(dst, mask)
}

// appendPong appends the masked answer to a ping.
func appendPong(dst, body []byte, mask uint32) []byte {
	dst = appendFrameHead(dst, wsPong, len(body), mask)
	from := len(dst)
	dst = append(dst, body...)
	maskBytes(dst[from:], mask)
	return dst
}

// maskBytes applies a mask in place, eight bytes at a time.
func maskBytes(body []byte, mask uint32) {
	wide := uint64(mask)<<32 | uint64(mask)
	for len(body) >= 8 {
		binary.LittleEndian.PutUint64(body, binary.LittleEndian.Uint64(body)^wide)
		body = body[8:]
	}
	for i := range body {
		body[i] ^= byte(mask >> (8 * (i & 3)))
	}
}
