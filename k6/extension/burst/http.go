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

// httpReply is one parsed response; size is 0 while it is incomplete.
type httpReply struct {
	size, status     int
	body             []byte
	closing, chunked bool
}

var errHTTP = errors.New("http: malformed response")

// parseHTTP reads one response. A chunked body is put together in scratch.
func parseHTTP(in []byte, head bool, scratch []byte) (httpReply, error) {
	var r httpReply
	end := bytes.Index(in, crlf2)
	if end < 0 {
		if len(in) > maxLine || !couldBeHTTP(in) {
			return r, errHTTP
		}
		return r, nil
	}
	length, err := r.parseHead(in[:end+2])
	if err != nil {
		return r, err
	}
	at := end + len(crlf2)
	switch {
	case r.status < 200: // 100 Continue and the like come before the response
		rest, err := parseHTTP(in[at:], head, scratch)
		if err != nil || rest.size == 0 {
			return httpReply{}, err
		}
		rest.size += at
		return rest, nil
	case head || r.status == 204 || r.status == 304:
		r.size = at
	case r.chunked:
		n, body, err := dechunk(in[at:], scratch)
		if err != nil || n == 0 {
			return httpReply{}, err
		}
		r.size, r.body = at+n, body
	case length < 0:
		return r, errHTTP // a body that ends with the connection cannot be told from a broken one
	case len(in) >= at+length:
		r.size, r.body = at+length, in[at:at+length]
	}
	return r, nil
}

var crlf2 = []byte("\r\n\r\n")

// couldBeHTTP reports whether incomplete input may still become a response.
func couldBeHTTP(in []byte) bool {
	const start = "HTTP/1."
	n := min(len(in), len(start))
	return string(in[:n]) == start[:n]
}

// parseHead reads the status line and the three headers that matter; length is -1 when none is given.
func (r *httpReply) parseHead(head []byte) (length int, err error) {
	length = -1
	if len(head) < 14 || !couldBeHTTP(head) || head[8] != ' ' {
		return length, errHTTP
	}
	status, ok := decimal(head[9:12])
	if !ok || status < 100 {
		return length, errHTTP
	}
	r.status = status
	r.closing = head[7] == '0'
	line := head[bytes.IndexByte(head, '\n')+1:]
	for len(line) > 0 {
		end := bytes.IndexByte(line, '\n')
		name, value, found := bytes.Cut(bytes.TrimSuffix(line[:end], []byte{'\r'}), []byte{':'})
		line = line[end+1:]
		if !found {
			return length, errHTTP
		}
		switch len(name) {
		case len("content-length"):
			if equalFold(name, "content-length") {
				if length, ok = decimal(trimSpace(value)); !ok || length > maxReply {
					return length, errHTTP
				}
			}
		case len("connection"):
			if equalFold(name, "connection") {
				r.closing = equalFold(trimSpace(value), "close") || r.closing && !equalFold(trimSpace(value), "keep-alive")
			}
		case len("transfer-encoding"):
			if equalFold(name, "transfer-encoding") {
				r.chunked = equalFold(trimSpace(value), "chunked")
			}
		}
	}
	return length, nil
}

// dechunk reads a chunked body; n is 0 while it is incomplete.
func dechunk(in, scratch []byte) (n int, body []byte, err error) {
	for {
		line := bytes.IndexByte(in[n:min(len(in), n+256)], '\n')
		if line < 0 {
			if len(in)-n >= 256 {
				return 0, nil, errHTTP
			}
			return 0, nil, nil
		}
		size, ok := hexadecimal(in[n : n+line])
		if !ok || len(scratch)+size > maxReply {
			return 0, nil, errHTTP
		}
		n += line + 1
		if size == 0 {
			return skipTrailer(in, n, scratch)
		}
		if len(in) < n+size+2 {
			return 0, nil, nil
		}
		scratch = append(scratch, in[n:n+size]...)
		n += size
		if in[n] != '\r' || in[n+1] != '\n' {
			return 0, nil, errHTTP
		}
		n += 2
	}
}

// skipTrailer reads up to the empty line after the last chunk.
func skipTrailer(in []byte, n int, body []byte) (int, []byte, error) {
	for {
		line := bytes.IndexByte(in[n:min(len(in), n+maxLine)], '\n')
		if line < 0 {
			if len(in)-n >= maxLine {
				return 0, nil, errHTTP
			}
			return 0, nil, nil
		}
		n += line + 1
		if line == 0 || line == 1 && in[n-2] == '\r' {
			return n, body, nil
		}
	}
}
