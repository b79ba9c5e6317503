package main

import (
	"bytes"
	"encoding/binary"
	"unicode/utf8"
)

// maxMessage is the largest WebSocket message, all fragments together, bytes.
const maxMessage = 64 << 20

// wsSession speaks the frames of RFC 6455 after the handshake, without extensions.
type wsSession struct {
	env     *env
	follows bool   // hears of what --fan-out tells
	message []byte // the fragments so far
	kind    byte   // opcode of the message in fragments; 0 means none is open
}

// serve answers every complete frame of the read buffer.
func (s *wsSession) serve(in []byte, o *outbox) (int, status) {
	used := 0
	for used < len(in) {
		if o.full() {
			return used, statusFull
		}
		f, n, code := parseFrame(in[used:])
		if code == 0 && n > 0 {
			code = s.take(f, o)
			used += n
		}
		switch {
		case code == closeDone:
			return len(in), statusClose
		case code != 0:
			o.buf = appendClose(o.buf, code)
			return len(in), statusClose
		case n == 0:
			return used, statusMore
		}
	}
	return used, statusMore
}

// take handles one frame. It returns 0, closeDone, or the code to close with.
func (s *wsSession) take(f frame, o *outbox) (code uint16) {
	switch f.op {
	case opPing:
		o.buf = appendFrame(o.buf, opPong, len(f.payload))
		o.buf = appendUnmasked(o.buf, f.payload, f.mask)
	case opPong:
	case opClose:
		return s.close(f, o)
	case opText, opBinary:
		if s.kind != 0 {
			return closeProtocol
		}
		if f.fin {
			return s.answer(f.op, f.payload, f.mask, o)
		}
		s.kind = f.op
		return s.collect(f)
	default: // opContinuation; parseFrame lets no other through
		if s.kind == 0 {
			return closeProtocol
		}
		if code := s.collect(f); code != 0 || !f.fin {
			return code
		}
		code = s.answer(s.kind, s.message, [4]byte{}, o)
		s.message, s.kind = s.message[:0], 0
		if cap(s.message) > maxKept {
			s.message = nil
		}
		return code
	}
	return 0
}

// collect adds a fragment.
func (s *wsSession) collect(f frame) (code uint16) {
	if len(s.message)+len(f.payload) > maxMessage {
		return closeTooBig
	}
	s.message = appendUnmasked(s.message, f.payload, f.mask)
	return 0
}

// answer replies to one message: with its echo, or with --ws-reply.
func (s *wsSession) answer(op byte, payload []byte, mask [4]byte, o *outbox) (code uint16) {
	from := len(o.buf)
	o.buf = appendFrame(o.buf, op, len(payload))
	at := len(o.buf)
	o.buf = appendUnmasked(o.buf, payload, mask)
	if op == opText && !utf8.Valid(o.buf[at:]) {
		o.buf = o.buf[:from]
		return closeNotUTF8
	}
	if s.follows && bytes.Contains(o.buf[at:], []byte(s.env.opts.fanOut)) {
		s.env.tell()
	}
	if fixed := s.env.opts.wsReply; fixed != "" {
		o.buf = append(appendFrame(o.buf[:from], opText, len(fixed)), fixed...)
	}
	s.env.done(o)
	return 0
}

// close echoes the client's close frame.
func (s *wsSession) close(f frame, o *outbox) (code uint16) {
	if len(f.payload) == 1 {
		return closeProtocol
	}
	reason := appendUnmasked(nil, f.payload, f.mask)
	if len(reason) >= 2 {
		if !validClose(binary.BigEndian.Uint16(reason)) || !utf8.Valid(reason[2:]) {
			return closeProtocol
		}
	}
	o.buf = append(appendFrame(o.buf, opClose, len(reason)), reason...)
	return closeDone
}
