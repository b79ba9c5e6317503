package main

import "bytes"

// Limits of the RESP parser; the first three are Redis's own.
const (
	maxBulk    = 512 << 20 // bytes of one argument
	maxArgs    = 1 << 20   // arguments of one command
	maxInline  = 64 << 10  // bytes of an inline command
	maxRequest = 1 << 30   // bytes of one whole command
)

// span is a range of bytes, relative to the start of the command.
type span struct{ from, to int }

// respParser reads one command at a time. It remembers how far it came in an
// incomplete one, so that a command in many pieces is read once, not once per piece.
type respParser struct {
	args []span
	left int // bulk strings still to come
	pos  int // where the next one starts; 0 means at the start of a command
	bad  string
}

type parseState int

const (
	parseOK parseState = iota
	parseMore
	parseBad // p.bad says why
)

// next reads one command at the start of req (not empty). On parseOK p.args holds
// its arguments (none for an empty line or array) and n its length.
func (p *respParser) next(req []byte) (n int, st parseState) {
	if p.pos == 0 {
		if cap(p.args) > 4096 {
			p.args = nil // one huge MGET must not pin its memory
		}
		p.args = p.args[:0]
		if req[0] != '*' {
			return p.inline(req)
		}
		count, at, st := parseLen(req, 1)
		switch {
		case st == parseMore:
			return 0, parseMore
		case st == parseBad || count > maxArgs:
			return p.fail("invalid multibulk length")
		}
		if count <= 0 {
			return at, parseOK
		}
		p.left, p.pos = count, at
	}
	for p.left > 0 {
		if st := p.bulk(req); st != parseOK {
			return 0, st
		}
	}
	n, p.pos = p.pos, 0
	return n, parseOK
}

// bulk reads one bulk string at p.pos.
func (p *respParser) bulk(req []byte) parseState {
	if p.pos >= len(req) {
		return parseMore
	}
	if req[p.pos] != '$' {
		_, st := p.fail("expected '$', got '" + string(printable(req[p.pos])) + "'")
		return st
	}
	size, from, st := parseLen(req, p.pos+1)
	switch {
	case st == parseMore:
		return parseMore
	case st == parseBad || size < 0 || size > maxBulk:
		_, st := p.fail("invalid bulk length")
		return st
	case from+size+2 > maxRequest:
		_, st := p.fail("too big request")
		return st
	case from+size+2 > len(req):
		return parseMore
	case req[from+size] != '\r' || req[from+size+1] != '\n':
		_, st := p.fail("bulk string without CRLF")
		return st
	}
	p.args = append(p.args, span{from, from + size})
	p.pos = from + size + 2
	p.left--
	return parseOK
}

// inline reads a line of words, as typed into a terminal.
func (p *respParser) inline(req []byte) (int, parseState) {
	end := bytes.IndexByte(req, '\n')
	if end > maxInline || end < 0 && len(req) > maxInline {
		return p.fail("too big inline request")
	}
	if end < 0 {
		return 0, parseMore
	}
	from := -1
	for i := 0; i <= end; i++ {
		blank := req[i] == ' ' || req[i] == '\t' || req[i] == '\r' || req[i] == '\n'
		switch {
		case blank && from >= 0:
			p.args = append(p.args, span{from, i})
			from = -1
		case !blank && from < 0:
			from = i
		}
	}
	return end + 1, parseOK
}

func (p *respParser) fail(why string) (int, parseState) {
	p.bad = why
	return 0, parseBad
}

// parseLen reads a decimal number and CRLF at b[at:]; next is what follows them.
// Numbers beyond every limit are bad at once, however many digits they promise.
func parseLen(b []byte, at int) (value, next int, st parseState) {
	i, sign := at, 1
	if i < len(b) && b[i] == '-' {
		i, sign = i+1, -1
	}
	digits := i
	for ; i < len(b) && b[i] != '\r'; i++ {
		c := b[i] - '0'
		if c > 9 || i-digits >= 10 {
			return 0, 0, parseBad
		}
		value = value*10 + int(c)
	}
	switch {
	case i+1 >= len(b) && (i >= len(b) || i > digits):
		return 0, 0, parseMore
	case i == digits || b[i+1] != '\n':
		return 0, 0, parseBad
	}
	return sign * value, i + 2, parseOK
}

func printable(c byte) byte {
	if c < ' ' || c > '~' {
		return '?'
	}
	return c
}
