package main

import "bytes"

const (
	maxHead = 64 << 10 // bytes of a request line and its headers

	httpOK       = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 11\r\n\r\n{\"ok\":true}"
	httpOKClose  = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 11\r\nConnection: close\r\n\r\n{\"ok\":true}"
	httpOKKeep10 = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 11\r\nConnection: keep-alive\r\n\r\n{\"ok\":true}"
	httpContinue = "HTTP/1.1 100 Continue\r\n\r\n"
	httpLoading  = "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\nContent-Length: 12\r\n\r\n{\"ok\":false}"
)

var headEnd = []byte("\r\n\r\n")

// httpSession speaks HTTP/1.1 on one connection, and WebSocket after an Upgrade.
type httpSession struct {
	env         *env
	upgradeOnly bool // the --ws port: only upgrades and /healthz
	req         httpRequest
	body        bodyReader
	inBody      bool
	ws          *wsSession // set by an Upgrade, for good
}

// serve answers every complete request of the read buffer. Bodies are read and dropped as they arrive.
func (s *httpSession) serve(in []byte, o *outbox) (int, status) {
	used := 0
	for used < len(in) {
		if s.ws != nil {
			n, st := s.ws.serve(in[used:], o)
			return used + n, st
		}
		if o.full() {
			return used, statusFull
		}
		n, st := s.step(in[used:], o)
		used += n
		switch {
		case st == statusClose:
			return len(in), statusClose
		case n == 0:
			return used, statusMore
		}
	}
	return used, statusMore
}

// step takes one head or some body; n is 0 when neither is complete.
func (s *httpSession) step(in []byte, o *outbox) (n int, st status) {
	if !s.inBody {
		if n, st = s.head(in, o); !s.inBody {
			return n, st
		}
	}
	took, whole, ok := s.body.read(in[n:])
	n += took
	if !ok {
		return n, s.refuse(o, "400 Bad Request")
	}
	s.inBody = !whole
	if s.inBody {
		return n, statusMore
	}
	return n, s.reply(o)
}

// head takes a request line and its headers.
func (s *httpSession) head(in []byte, o *outbox) (int, status) {
	if len(in) >= 2 && in[0] == '\r' && in[1] == '\n' {
		return 2, statusMore // empty lines before a request are allowed (RFC 9112 §2.2)
	}
	end := bytes.Index(in, headEnd)
	if end > maxHead || end < 0 && len(in) > maxHead {
		return 0, s.refuse(o, "431 Request Header Fields Too Large")
	}
	if end < 0 {
		return 0, statusMore
	}
	r := &s.req
	if problem := r.parse(in[:end+2]); problem != "" {
		return 0, s.refuse(o, problem)
	}
	n := end + len(headEnd)
	if r.upgrade {
		return n, s.switchToWS(o)
	}
	if s.upgradeOnly && !r.healthz {
		return n, s.refuse(o, "426 Upgrade Required")
	}
	s.body = bodyReader{left: r.length, chunked: r.chunked}
	if r.expect {
		o.buf = append(o.buf, httpContinue...)
	}
	s.inBody = true
	return n, statusMore
}

// reply answers the request whose body has ended.
func (s *httpSession) reply(o *outbox) status {
	from := len(o.buf)
	switch {
	case s.req.healthz && s.env.loading():
		o.buf = append(o.buf, httpLoading...)
	case s.req.close:
		o.buf = append(o.buf, httpOKClose...)
	case s.req.old:
		o.buf = append(o.buf, httpOKKeep10...)
	default:
		o.buf = append(o.buf, httpOK...)
	}
	if s.req.headOnly {
		o.buf = o.buf[:from+bytes.Index(o.buf[from:], headEnd)+len(headEnd)]
	}
	s.env.done(o)
	if s.req.close {
		return statusClose
	}
	return statusMore
}

// refuse answers a request that cannot be read; where the next one would start is unknown, so the connection ends.
func (s *httpSession) refuse(o *outbox, statusLine string) status {
	o.buf = append(o.buf, "HTTP/1.1 "+statusLine+"\r\n"...)
	if s.upgradeOnly {
		o.buf = append(o.buf, "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"...)
	}
	o.buf = append(o.buf, "Content-Length: 0\r\nConnection: close\r\n\r\n"...)
	return statusClose
}

func (s *httpSession) switchToWS(o *outbox) status {
	if !s.req.upgradable() {
		return s.refuse(o, "400 Bad Request")
	}
	o.buf = appendHandshake(o.buf, &s.req)
	s.ws = &wsSession{env: s.env, follows: s.req.follow && s.env.opts.fanOut != ""}
	return statusMore
}
