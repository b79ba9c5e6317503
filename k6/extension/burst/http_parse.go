package burst

import (
	"bytes"
	"errors"
)

// httpReply is one parsed response; size is 0 while it is incomplete.
type httpReply struct {
	size, status     int
	head, body       []byte
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
	r.head = in[:end+2]
	length, err := r.parseHead(r.head)
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
