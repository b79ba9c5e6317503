package main

import "bytes"

// httpRequest is what a responder needs to know of a request's head.
type httpRequest struct {
	get, headOnly bool // the method
	old           bool // HTTP/1.0
	close         bool // the client wants no further request on this connection
	healthz       bool
	follow        bool  // the path of connections that --fan-out tells
	length        int64 // body bytes; 0 with chunked
	hasLength     bool
	chunked       bool
	expect        bool // waits for "100 Continue"

	upgrade     bool // Upgrade: websocket
	connUpgrade bool // Connection: upgrade
	wsVersion13 bool
	wsKey       string // Sec-WebSocket-Key
	wsProtocol  string // the first offered subprotocol
}

// parse reads a head, each line with its CRLF. It returns the status line of a refusal, or nothing.
func (r *httpRequest) parse(head []byte) (problem string) {
	*r = httpRequest{}
	end := bytes.IndexByte(head, '\n')
	if end < 1 || head[end-1] != '\r' {
		return "400 Bad Request"
	}
	if problem := r.requestLine(head[:end-1]); problem != "" {
		return problem
	}
	for head = head[end+1:]; len(head) > 0; head = head[end+1:] {
		end = bytes.IndexByte(head, '\n')
		if end < 1 || head[end-1] != '\r' {
			return "400 Bad Request"
		}
		line := head[:end-1]
		colon := bytes.IndexByte(line, ':')
		if colon < 1 || line[0] == ' ' || line[0] == '\t' || line[colon-1] == ' ' {
			return "400 Bad Request"
		}
		if problem := r.header(line[:colon], line[colon+1:]); problem != "" {
			return problem
		}
	}
	if r.chunked && r.hasLength {
		return "400 Bad Request" // two lengths: where the body ends is anyone's guess
	}
	return ""
}

// requestLine takes "METHOD target HTTP/1.x".
func (r *httpRequest) requestLine(line []byte) (problem string) {
	first, last := bytes.IndexByte(line, ' '), bytes.LastIndexByte(line, ' ')
	if first < 1 || last <= first+1 {
		return "400 Bad Request"
	}
	for _, c := range line[:first] {
		if (c < 'A' || c > 'Z') && c != '-' {
			return "400 Bad Request"
		}
	}
	switch string(line[last+1:]) {
	case "HTTP/1.1":
	case "HTTP/1.0":
		r.old, r.close = true, true
	default:
		return "505 HTTP Version Not Supported"
	}
	method, target := line[:first], line[first+1:last]
	if bytes.IndexByte(target, ' ') >= 0 {
		return "400 Bad Request"
	}
	r.get, r.headOnly = string(method) == "GET", string(method) == "HEAD"
	r.healthz, r.follow = string(target) == "/healthz", string(target) == "/follow"
	return ""
}

// header notes one header. The length of the name rules most of them out at once.
func (r *httpRequest) header(name, value []byte) (problem string) {
	switch len(name) {
	case len("expect"):
		if is(name, "expect") {
			r.expect = is(trim(value), "100-continue")
		}
	case len("upgrade"):
		if is(name, "upgrade") {
			r.upgrade = hasToken(value, "websocket")
		}
	case len("connection"):
		if is(name, "connection") {
			r.connection(value)
		}
	case len("content-length"):
		if is(name, "content-length") {
			return r.contentLength(trim(value))
		}
	case len("transfer-encoding"): // as long as sec-websocket-key
		switch {
		case is(name, "transfer-encoding"):
			if r.chunked = is(trim(value), "chunked"); !r.chunked {
				return "501 Not Implemented"
			}
		case is(name, "sec-websocket-key"):
			r.wsKey = string(trim(value))
		}
	case len("sec-websocket-version"):
		if is(name, "sec-websocket-version") {
			r.wsVersion13 = string(trim(value)) == "13"
		}
	case len("sec-websocket-protocol"):
		if is(name, "sec-websocket-protocol") && r.wsProtocol == "" {
			offered, _, _ := bytes.Cut(value, []byte{','})
			r.wsProtocol = string(trim(offered))
		}
	}
	return ""
}

func (r *httpRequest) connection(value []byte) {
	r.connUpgrade = r.connUpgrade || hasToken(value, "upgrade")
	switch {
	case hasToken(value, "close"):
		r.close = true
	case r.old && hasToken(value, "keep-alive"):
		r.close = false
	}
}

func (r *httpRequest) contentLength(value []byte) (problem string) {
	if len(value) == 0 || len(value) > 18 {
		return "400 Bad Request"
	}
	n := int64(0)
	for _, c := range value {
		if c < '0' || c > '9' {
			return "400 Bad Request"
		}
		n = n*10 + int64(c-'0')
	}
	if r.hasLength && n != r.length {
		return "400 Bad Request"
	}
	r.length, r.hasLength = n, true
	return ""
}

// is compares ASCII without regard to case; want is in lower case.
func is(got []byte, want string) bool {
	if len(got) != len(want) {
		return false
	}
	for i, c := range got {
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != want[i] {
			return false
		}
	}
	return true
}

// hasToken looks for a word in a comma-separated list.
func hasToken(list []byte, want string) bool {
	for len(list) > 0 {
		var item []byte
		item, list, _ = bytes.Cut(list, []byte{','})
		if is(trim(item), want) {
			return true
		}
	}
	return false
}

func trim(b []byte) []byte { return bytes.Trim(b, " \t") }
