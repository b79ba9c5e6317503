package main

// status is what a session wants after it has been fed.
type status int

const (
	statusMore  status = iota // all complete requests are answered; wait for more bytes
	statusFull                // the outbox is full: send, then feed again
	statusClose               // send what is in the outbox, then close
)

// session speaks one protocol on one connection. serve answers every complete
// request in `in`, in order, appending to o, and returns the bytes it is done with.
// The rest comes again in the next call, in front of the new bytes.
type session interface {
	serve(in []byte, o *outbox) (used int, st status)
}

// protocol names what a listener speaks.
type protocol string

const (
	protoRESP protocol = "resp"
	protoHTTP protocol = "http"
	protoWS   protocol = "ws"
	protoSSDB protocol = "ssdb"
)

func newSession(p protocol, e *env) session {
	switch p {
	case protoRESP:
		return &respSession{env: e}
	case protoSSDB:
		return &ssdbSession{env: e}
	}
	return &httpSession{env: e, upgradeOnly: p == protoWS}
}

// peer is a connection without its socket: what both I/O engines drive.
type peer struct {
	sess session
	in   []byte // an incomplete request
	out  outbox
}

// feed hands data to the session and keeps what it could not use. data is not retained.
func (p *peer) feed(data []byte) status {
	kept := len(p.in) > 0
	if kept {
		p.in = append(p.in, data...)
		data = p.in
	}
	used, st := p.sess.serve(data, &p.out)
	if kept && used == 0 {
		return st // a large request still arriving: nothing to move
	}
	p.in = append(p.in[:0], data[used:]...)
	if len(p.in) == 0 && cap(p.in) > maxKept {
		p.in = nil
	}
	return st
}
