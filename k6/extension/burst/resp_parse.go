package burst

import (
	"bytes"
	"errors"
)

const (
	maxLine       = 64 << 10
	maxArray      = 1 << 20
	maxArrayDepth = 8
)

var (
	errRespLine = errors.New("resp: malformed or endless line")
	errRespSize = errors.New("resp: bad length")
	errRespKind = errors.New("resp: unknown reply type")
)

// respReply reads one reply; n is 0 while it is incomplete. A null has the kind '_'.
func respReply(in []byte, depth int) (n int, kind byte, body []byte, err error) {
	if len(in) == 0 {
		return 0, 0, nil, nil
	}
	kind = in[0]
	end := lineEnd(in)
	if end == 0 {
		if len(in) > maxLine {
			return 0, kind, nil, errRespLine
		}
		return 0, kind, nil, respKindOK(kind)
	}
	if end < 3 || in[end-2] != '\r' {
		return 0, kind, nil, errRespLine
	}
	body = in[1 : end-2]
	switch kind {
	case '+', '-':
		return end, kind, body, nil
	case ':':
		return end, kind, body, checkInteger(body)
	case '$':
		return respBulk(in, end, body)
	case '*':
		return respArray(in, end, body, depth)
	}
	return 0, kind, nil, errRespKind
}

func respKindOK(kind byte) error {
	switch kind {
	case '+', '-', ':', '$', '*':
		return nil
	}
	return errRespKind
}

// lineEnd returns the index after the first line feed, 0 when there is none. Short lines are the common case.
func lineEnd(in []byte) int {
	for i := 1; i < len(in) && i < 24; i++ {
		if in[i] == '\n' {
			return i + 1
		}
	}
	if len(in) <= 24 {
		return 0
	}
	if i := bytes.IndexByte(in[24:min(len(in), maxLine)], '\n'); i >= 0 {
		return 24 + i + 1
	}
	return 0
}

func respBulk(in []byte, head int, size []byte) (int, byte, []byte, error) {
	length, ok := decimal(size)
	switch {
	case len(size) == 2 && size[0] == '-' && size[1] == '1':
		return head, '_', nil, nil
	case !ok || length > maxReply:
		return 0, '$', nil, errRespSize
	case len(in) < head+length+2:
		return 0, '$', nil, nil
	case in[head+length] != '\r' || in[head+length+1] != '\n':
		return 0, '$', nil, errRespSize
	}
	return head + length + 2, '$', in[head : head+length], nil
}

func respArray(in []byte, head int, size []byte, depth int) (int, byte, []byte, error) {
	if len(size) == 2 && size[0] == '-' && size[1] == '1' {
		return head, '_', nil, nil
	}
	items, ok := decimal(size)
	if !ok || items > maxArray || depth >= maxArrayDepth {
		return 0, '*', nil, errRespSize
	}
	at := head
	for range items {
		n, _, _, err := respReply(in[at:], depth+1)
		if err != nil || n == 0 {
			return 0, '*', nil, err
		}
		at += n
	}
	return at, '*', nil, nil
}

func checkInteger(body []byte) error {
	if len(body) > 0 && body[0] == '-' {
		body = body[1:]
	}
	if len(body) == 0 || len(body) > 19 {
		return errRespSize
	}
	for _, c := range body {
		if c < '0' || c > '9' {
			return errRespSize
		}
	}
	return nil
}

// decimal reads an unsigned number of at most 9 digits.
func decimal(in []byte) (int, bool) {
	if len(in) == 0 || len(in) > 9 {
		return 0, false
	}
	value := 0
	for _, c := range in {
		if c < '0' || c > '9' {
			return 0, false
		}
		value = value*10 + int(c-'0')
	}
	return value, true
}
