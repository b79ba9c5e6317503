package main

import "encoding/binary"

// Opcodes of RFC 6455 §5.2.
const (
	opContinuation = 0
	opText         = 1
	opBinary       = 2
	opClose        = 8
	opPing         = 9
	opPong         = 10
)

// Close codes of RFC 6455 §7.4.1. closeDone is ours: the close frame is already written.
const (
	closeProtocol uint16 = 1002
	closeNotUTF8  uint16 = 1007
	closeTooBig   uint16 = 1009
	closeDone     uint16 = 1
)

// frame is one client frame, its payload still masked, in the read buffer.
type frame struct {
	op      byte
	fin     bool
	mask    [4]byte
	payload []byte
}

// parseFrame reads one frame; n is 0 when it is incomplete, code not 0 when the connection must end.
func parseFrame(in []byte) (f frame, n int, code uint16) {
	if len(in) < 2 {
		return f, 0, 0
	}
	f.fin, f.op = in[0]&0x80 != 0, in[0]&0x0f
	control := f.op >= opClose
	size := uint64(in[1] & 0x7f)
	switch {
	case in[0]&0x70 != 0, in[1]&0x80 == 0, // no extension was agreed; clients must mask
		f.op > opPong, f.op > opBinary && !control,
		control && (!f.fin || size > 125):
		return f, 0, closeProtocol
	}
	at := 2
	switch size {
	case 126:
		if at = 4; len(in) >= at {
			size = uint64(binary.BigEndian.Uint16(in[2:]))
		}
	case 127:
		if at = 10; len(in) >= at {
			size = binary.BigEndian.Uint64(in[2:])
		}
	}
	if len(in) < at {
		return f, 0, 0
	}
	if size > maxMessage {
		return f, 0, closeTooBig
	}
	end := at + 4 + int(size)
	if len(in) < end {
		return f, 0, 0
	}
	copy(f.mask[:], in[at:])
	f.payload = in[at+4 : end]
	return f, end, 0
}

// appendFrame appends the head of an unmasked, unfragmented frame.
func appendFrame(b []byte, op byte, size int) []byte {
	b = append(b, 0x80|op)
	switch {
	case size < 126:
		return append(b, byte(size))
	case size < 1<<16:
		return binary.BigEndian.AppendUint16(append(b, 126), uint16(size))
	}
	return binary.BigEndian.AppendUint64(append(b, 127), uint64(size))
}

func appendClose(b []byte, code uint16) []byte {
	return binary.BigEndian.AppendUint16(appendFrame(b, opClose, 2), code)
}

// appendUnmasked appends a payload without its mask, eight bytes at a time.
func appendUnmasked(b, payload []byte, mask [4]byte) []byte {
	from := len(b)
	b = append(b, payload...)
	rest := b[from:]
	word := binary.LittleEndian.Uint32(mask[:])
	double := uint64(word)<<32 | uint64(word)
	for len(rest) >= 8 {
		binary.LittleEndian.PutUint64(rest, binary.LittleEndian.Uint64(rest)^double)
		rest = rest[8:]
	}
	for i := range rest {
		rest[i] ^= mask[i&3]
	}
	return b
}

// validClose says whether a client may send this close code (RFC 6455 §7.4).
func validClose(code uint16) bool {
	switch {
	case code >= 3000 && code <= 4999:
		return true
	case code < 1000 || code > 1014:
		return false
	}
	return code != 1004 && code != 1005 && code != 1006
}
