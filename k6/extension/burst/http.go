package burst

import (
	"bytes"
	"fmt"
	"net"
	"sort"
	"strings"
	"time"
)

// httpCodec speaks HTTP/1.1 with keep-alive.
type httpCodec struct {
	generator
	status   int    // 0 = any 2xx
	contains []byte // in the body, empty for any
	head     bool   // answers to HEAD have no body
	closing  bool   // the server announced that it closes
	scratch  []byte // a body put together from chunks
}

func newHTTP(t template, o protocolOptions, keys *Keys) (codec, error) {
	method := strings.ToUpper(t.Method)
	if method == "" {
		method = "GET"
	}
	if !strings.HasPrefix(t.Path, "/") {
		return nil, fmt.Errorf("template: path must start with /, got %q", t.Path)
	}
	path, err := compile(t.Path)
	if err != nil {
		return nil, err
	}
	headers, err := headerLines(t.Headers, o.Headers)
	if err != nil {
		return nil, err
	}
	request := text(nil).literal(method + " ").add(path).literal(" HTTP/1.1\r\nHost: " + o.host() + "\r\n").add(headers)
	if t.Body != "" || method == "POST" || method == "PUT" || method == "PATCH" {
		body, err := compile(t.Body)
		if err != nil {
			return nil, err
		}
		request = request.literal("Content-Length: ").sized(body).literal("\r\n\r\n").add(body)
	} else {
		request = request.literal("\r\n")
	}
	return &httpCodec{
		generator: newGenerator(request, keys),
		status:    t.Status, contains: []byte(t.Contains), head: method == "HEAD",
	}, nil
}

// headerLines compiles headers in name order; later maps win.
func headerLines(maps ...map[string]string) (text, error) {
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
		value, err := compile(all[name])
		if err != nil {
			return nil, err
		}
		lines = lines.literal(name + ": ").add(value).literal("\r\n")
	}
	return lines, nil
}

func (c *httpCodec) open(net.Conn, time.Time) ([]byte, error) {
	c.closing = false
	return nil, nil
}

func (c *httpCodec) replies(in []byte, limit int) (used, ok int, why stop) {
	for ok < limit {
		if c.closing {
			return used, ok, stopClosing
		}
		r, err := parseHTTP(in[used:], c.head, c.scratch[:0])
		if err != nil {
			return used, ok, stopBroken
		}
		if r.size == 0 {
			return used, ok, stopMore
		}
		if r.chunked {
			c.scratch = r.body[:0]
		}
		used += r.size
		c.closing = r.closing
		switch {
		case r.status >= 500:
			return used, ok, stopUnsure
		case r.status >= 400 && r.status != c.status:
			return used, ok, stopRefused
		case r.status != c.status && (c.status != 0 || r.status < 200 || r.status > 299),
			len(c.contains) > 0 && !bytes.Contains(r.body, c.contains):
			return used, ok, stopWrong
		}
		ok++
	}
	return used, ok, stopLimit
}
