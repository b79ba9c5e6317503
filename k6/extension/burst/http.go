package burst

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"sort"
	"strings"
	"time"
)

// httpCodec speaks HTTP/1.1 with keep-alive.
type httpCodec struct {
	generator
	expected expectation
	closing  bool   // the server announced that it closes
	scratch  []byte // a body put together from chunks
}

// expectation is what a right response is.
type expectation struct {
	status   int    // 0 = any 2xx
	missing  int    // says that there is no such thing; 0: no answer does
	contains []byte // in the body, empty for any
	failure  []byte // in the body of a refusal, empty for none
	head     bool   // answers to HEAD have no body
}

func newHTTP(t template, o protocolOptions, keys *Keys) (codec, error) {
	request, expected, err := httpRequest(t, o, nil)
	if err != nil {
		return nil, err
	}
	c := &httpCodec{generator: newGenerator(request, keys), expected: expected}
	c.named(t)
	c.sampler.on = t.Sample
	if c.tallied, err = newToldAnswers(t, keys); err != nil {
		return nil, err
	}
	c.access, err = newAccess(t, keys)
	return c, err
}

// httpRequest compiles a request and what is expected of its response; known is nil outside a turn.
func httpRequest(t template, o protocolOptions, known *names) (text, expectation, error) {
	var none expectation
	method := strings.ToUpper(t.Method)
	if method == "" {
		method = "GET"
	}
	if !strings.HasPrefix(t.Path, "/") {
		return nil, none, fmt.Errorf("template: path must start with /, got %q", t.Path)
	}
	path, err := compileWith(t.Path, known)
	if err != nil {
		return nil, none, err
	}
	headers, err := headerLines(known, t.Headers, o.Headers)
	if err != nil {
		return nil, none, err
	}
	if known != nil && (path.uses(ownPart) || headers.uses(ownPart)) {
		return nil, none, errors.New("{value} needs its length here: {value:N}")
	}
	request := text(nil).literal(method + " ").add(path).literal(" HTTP/1.1\r\nHost: " + o.host() + "\r\n").add(headers)
	if t.Body != "" || method == "POST" || method == "PUT" || method == "PATCH" {
		body, err := compileWith(t.Body, known)
		if err != nil {
			return nil, none, err
		}
		if known != nil && body.uses(ownPart) {
			return nil, none, errors.New("{value} needs its length here: {value:N}")
		}
		request = request.literal("Content-Length: ").sized(body).literal("\r\n\r\n").add(body)
	} else {
		request = request.literal("\r\n")
	}
	return request, expectation{status: t.Status, missing: t.Missing, contains: []byte(t.Contains), failure: []byte(t.Failure), head: method == "HEAD"}, nil
}

// headerLines compiles headers in name order; later maps win.
func headerLines(known *names, maps ...map[string]string) (text, error) {
	all := make(map[string]string)
	for i := len(maps) - 1; i >= 0; i-- {
		for name, value := range maps[i] {
			all[name] = value
		}
	}
	names := make([]string, 0, len(all))
	for name, value := range all {
		if name == "" || strings.ContainsAny(name+value, "\r\n") {
			return nil, fmt.Errorf("header %q: names and values must be single lines", name)
		}
		names = append(names, name)
	}
	sort.Strings(names)
	var lines text
	for _, name := range names {
		value, err := compileWith(all[name], known)
		if err != nil {
			return nil, err
		}
		lines = lines.literal(name + ": ").add(value).literal("\r\n")
	}
	return lines, nil
}

func (c *httpCodec) open(net.Conn, time.Time) ([]byte, error) {
	c.closing = false
	c.forget()
	return nil, nil
}

func (c *httpCodec) replies(in []byte, limit int) (used, ok int, why stop) {
	for ok < limit {
		if c.closing {
			c.clear()
			return used, ok, stopClosing
		}
		own := c
		if c.awaited.on && c.awaited.head < len(c.awaited.parts) {
			own = c.mix.parts[c.awaited.parts[c.awaited.head]].(*httpCodec)
		}
		r, why := c.read(in[used:], &own.expected)
		if why == stopMore || why == stopBroken {
			return used, ok, why
		}
		used += r.size
		c.awaited.pop()
		right := own.tallied.told(r.body, why == stopLimit)
		if own.access.use != 0 {
			right = own.access.answered(own.expected.answers(&r, why), r.body, true, c.moment()) && right
		}
		if !right && why == stopLimit {
			c.clear()
			why = stopWrong
		}
		if why != stopLimit {
			return used, ok, why
		}
		c.sampler.answered(r.body)
		ok++
	}
	return used, ok, stopLimit
}

// read reads one response and holds it against what is expected: stopLimit when it is right.
func (c *httpCodec) read(in []byte, expected *expectation) (httpReply, stop) {
	r, err := parseHTTP(in, expected.head, c.scratch[:0])
	if err != nil {
		return httpReply{}, stopBroken
	}
	if r.size == 0 {
		return r, stopMore
	}
	if r.chunked {
		c.scratch = r.body[:0]
	}
	c.closing = r.closing
	why := expected.holds(&r)
	if why != stopLimit {
		c.status("HTTP", r.status, r.body)
	}
	return r, why
}

// holds tells whether a response is right: stopLimit, or what it is instead.
func (e *expectation) holds(r *httpReply) stop {
	switch {
	case e.missing != 0 && r.status == e.missing:
		return stopLimit
	case r.status >= 500:
		return stopUnsure
	case r.status >= 400 && r.status != e.status:
		return stopRefused
	case r.status != e.status && (e.status != 0 || r.status < 200 || r.status > 299):
		return stopWrong
	case len(e.contains) == 0 || bytes.Contains(r.body, e.contains):
		return stopLimit
	case len(e.failure) > 0 && bytes.Contains(r.body, e.failure):
		return stopRefused
	}
	return stopWrong
}

// answers says what a response is to who asked for a value, or wrote one.
func (e *expectation) answers(r *httpReply, why stop) answer {
	switch {
	case why == stopRefused:
		return refused
	case why != stopLimit:
		return unsure
	case e.missing != 0 && r.status == e.missing:
		return nothing
	}
	return given
}
