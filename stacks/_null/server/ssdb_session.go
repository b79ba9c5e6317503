package main

import (
	"bytes"
	"strconv"
)

// ssdbSession speaks SSDB's native protocol: a message is blocks of "<length>\n<bytes>\n" and an empty line. Command
// names are lower case, as there.
type ssdbSession struct {
	env  *env
	args []span
}

// readyQuestion is how the stack asks whether the responder is up, whatever it speaks.
const readyQuestion = "PING\r\n"

const (
	maxSsdbBlocks = 1 << 16
	maxSsdbBlock  = 16 << 20 // bytes
)

func (s *ssdbSession) serve(in []byte, o *outbox) (int, status) {
	used := 0
	if string(in) == readyQuestion {
		o.buf = append(o.buf, "+PONG\r\n"...)
		return len(in), statusMore
	}
	for used < len(in) {
		if o.full() {
			return used, statusFull
		}
		n, ok := s.parse(in[used:])
		switch {
		case !ok:
			return len(in), statusClose // as the product does: the connection ends without a word
		case n == 0:
			return used, statusMore
		}
		if len(s.args) > 0 {
			o.buf = s.run(words{in[used : used+n], s.args}, o.buf)
			s.env.done(o)
		}
		used += n
	}
	return used, statusMore
}

// parse reads one message; n is 0 while it is incomplete, ok false when it makes no sense.
func (s *ssdbSession) parse(in []byte) (n int, ok bool) {
	s.args = s.args[:0]
	for {
		line := bytes.IndexByte(in[n:min(len(in), n+12)], '\n')
		if line < 0 {
			return 0, len(in)-n < 12
		}
		digits := in[n : n+line]
		if line > 0 && digits[line-1] == '\r' {
			digits = digits[:line-1]
		}
		n += line + 1
		if len(digits) == 0 {
			return n, true
		}
		size, err := strconv.Atoi(string(digits))
		if err != nil || size < 0 || size > maxSsdbBlock || len(s.args) == maxSsdbBlocks {
			return 0, false
		}
		if len(in) < n+size+1 {
			return 0, true
		}
		s.args = append(s.args, span{n, n + size})
		n += size
		if in[n] == '\r' {
			n++
		}
		if n >= len(in) {
			return 0, true
		}
		if in[n] != '\n' {
			return 0, false
		}
		n++
	}
}

func (s *ssdbSession) run(w words, b []byte) []byte {
	name := string(w.at(0))
	switch {
	case name == "ping":
		return append(b, "2\nok\n\n"...)
	case name == "set" && w.count() == 3:
		if s.env.store != nil {
			s.env.store.set(w.at(1), w.at(2))
		} else {
			s.env.measured(len(w.at(2)))
		}
		return append(b, "2\nok\n1\n1\n\n"...)
	case name == "get" && w.count() == 2:
		return s.get(w.at(1), b)
	case name == "del" && w.count() == 2:
		if s.env.store != nil {
			s.env.store.del(w.at(1))
		}
		return append(b, "2\nok\n1\n1\n\n"...) // also for a key that was not there
	case name == "multi_get":
		return s.multiGet(w, b)
	case name == "dbsize" && w.count() == 1:
		return appendBlocks(b, []byte("ok"), strconv.AppendInt(nil, s.bytes(), 10))
	case name == "compact":
		return append(b, "2\nok\n\n"...)
	}
	return appendBlocks(b, []byte("client_error"), append([]byte("Unknown Command: "), w.at(0)...))
}

func (s *ssdbSession) get(key, b []byte) []byte {
	if s.env.store == nil {
		return appendBlocks(b, []byte("ok"), s.env.constant())
	}
	value, ok := s.env.store.value(key)
	if !ok {
		return append(b, "9\nnot_found\n\n"...)
	}
	return appendBlocks(b, []byte("ok"), value)
}

// multiGet answers pairs of key and value, those that exist.
func (s *ssdbSession) multiGet(w words, b []byte) []byte {
	blocks := [][]byte{[]byte("ok")}
	for i := 1; s.env.store != nil && i < w.count(); i++ {
		if value, ok := s.env.store.value(w.at(i)); ok {
			blocks = append(blocks, w.at(i), value)
		}
	}
	return appendBlocks(b, blocks...)
}

func (s *ssdbSession) bytes() int64 {
	if s.env.store == nil {
		return 0
	}
	return s.env.store.bytes()
}

func appendBlocks(b []byte, blocks ...[]byte) []byte {
	for _, block := range blocks {
		b = strconv.AppendInt(b, int64(len(block)), 10)
		b = append(b, '\n')
		b = append(b, block...)
		b = append(b, '\n')
	}
	return append(b, '\n')
}
