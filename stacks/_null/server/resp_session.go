package main

// respSession speaks RESP2 on one connection.
type respSession struct {
	env  *env
	p    respParser
	quit bool
}

// serve runs every complete command of the read buffer, so that a batch costs one write.
func (s *respSession) serve(in []byte, o *outbox) (int, status) {
	used := 0
	for used < len(in) {
		if o.full() {
			return used, statusFull
		}
		n, st := s.p.next(in[used:])
		switch st {
		case parseMore:
			return used, statusMore
		case parseBad:
			o.buf = appendError(o.buf, "ERR Protocol error: "+s.p.bad)
			return len(in), statusClose
		}
		if len(s.p.args) > 0 {
			o.buf = s.run(words{in[used : used+n], s.p.args}, o.buf)
			s.env.done(o)
		}
		used += n
		if s.quit {
			return len(in), statusClose
		}
	}
	return used, statusMore
}

// run appends the reply to one command. It allocates nothing on the known paths.
func (s *respSession) run(w words, b []byte) []byte {
	name := w.at(0)
	var upper [maxName]byte
	if len(name) > maxName {
		return appendUnknown(b, name)
	}
	for i, c := range name {
		if 'a' <= c && c <= 'z' {
			c -= 'a' - 'A'
		}
		upper[i] = c
	}
	cmd, ok := commands[string(upper[:len(name)])]
	if !ok {
		return appendUnknown(b, name)
	}
	if w.count() < cmd.min || cmd.max > 0 && w.count() > cmd.max {
		return appendArity(b, name)
	}
	return cmd.run(s, w, b)
}

// words is one command: its bytes and where its arguments are in them.
type words struct {
	req  []byte
	args []span
}

func (w words) count() int { return len(w.args) }

func (w words) at(i int) []byte { return w.req[w.args[i].from:w.args[i].to] }
