package burst

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"time"

	"github.com/grafana/sobek"
)

// caller is a connection for single commands whose replies JavaScript wants to see: checks of the state, sizes.
type caller struct{ conn net.Conn }

func (c *caller) close() {
	if c != nil && c.conn != nil {
		_ = c.conn.Close()
		c.conn = nil
	}
}

// callOn is Connection.call().
func (i *instance) callOn(c *connection, call sobek.FunctionCall) sobek.Value {
	var words []string
	i.must("call", i.vu.Runtime().ExportTo(call.Argument(0), &words))
	if len(words) == 0 {
		i.must("call", errors.New("needs a command, for example ['PING']"))
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.watch(i.vu.Context())
	if c.caller == nil {
		c.caller = &caller{}
	}
	reply, err := c.caller.call(i.vu.Context(), c.options, words)
	i.must("call", err)
	return i.vu.Runtime().ToValue(reply)
}

// call sends one command and returns its reply. A connection that had an error is not used again.
func (c *caller) call(ctx context.Context, o protocolOptions, words []string) (any, error) {
	request := []byte{}
	switch o.Protocol {
	case "resp":
		request = fmt.Appendf(request, "*%d\r\n", len(words))
		for _, w := range words {
			request = fmt.Appendf(request, "$%d\r\n%s\r\n", len(w), w)
		}
	case "ssdb":
		for _, w := range words {
			request = fmt.Appendf(request, "%d\n%s\n", len(w), w)
		}
		request = append(request, '\n')
	default:
		return nil, fmt.Errorf("call() needs the protocol resp or ssdb, not %q", o.Protocol)
	}
	if c.conn == nil {
		codec, err := codecs[o.Protocol](template{Command: []string{"ping"}}, o, nil)
		if err != nil {
			return nil, err
		}
		if c.conn, _, err = dial(ctx, o.wire(), codec); err != nil {
			return nil, err
		}
	}
	var reply any
	_, err := exchangeFrom(c.conn, time.Now().Add(o.timeout()), request, nil, func(in []byte) (int, bool, error) {
		n, value, err := wholeReply(o.Protocol, in)
		reply = value
		return n, n > 0, err
	})
	if err != nil {
		c.close()
		return nil, fmt.Errorf("%s: %w", words[0], err)
	}
	if refused, ok := reply.(error); ok {
		return nil, refused
	}
	return reply, nil
}

// wholeReply reads one reply; n is 0 while it is incomplete. A refusal is a value of type error.
func wholeReply(protocol string, in []byte) (n int, value any, err error) {
	if protocol == "ssdb" {
		return ssdbBlocksOf(in)
	}
	n, _, _, err = respReply(in, 0)
	if err != nil || n == 0 {
		return 0, nil, err
	}
	value, _, err = respValue(in)
	return n, value, err
}

// ssdbBlocksOf returns the blocks of a reply, status first.
func ssdbBlocksOf(in []byte) (n int, value any, err error) {
	n, _, _, err = ssdbReply(in)
	if err != nil || n == 0 {
		return 0, nil, err
	}
	blocks := []string{}
	for at := 0; at < n; {
		line := at
		for in[line] != '\n' {
			line++
		}
		size, ok := decimal(trimReturn(in[at:line]))
		if !ok {
			break // the empty line at the end
		}
		blocks = append(blocks, string(in[line+1:line+1+size]))
		at = line + 1 + size + 1
	}
	return n, blocks, nil
}

func trimReturn(line []byte) []byte {
	if n := len(line); n > 0 && line[n-1] == '\r' {
		return line[:n-1]
	}
	return line
}

// respValue turns a complete reply into strings, numbers, nil and lists of them.
func respValue(in []byte) (value any, n int, err error) {
	n, kind, body, err := respReply(in, 0)
	if err != nil {
		return nil, 0, err
	}
	switch kind {
	case '_':
		return nil, n, nil
	case '-':
		return errors.New(string(body)), n, nil
	case ':':
		number, err := strconv.ParseInt(string(body), 10, 64)
		return number, n, err
	case '*':
		return respList(in, n)
	}
	return string(body), n, nil
}

func respList(in []byte, n int) (any, int, error) {
	at := lineEnd(in)
	list := []any{}
	for at < n {
		item, used, err := respValue(in[at:])
		if err != nil {
			return nil, 0, err
		}
		if refused, ok := item.(error); ok {
			item = refused.Error()
		}
		list = append(list, item)
		at += used
	}
	return list, n, nil
}
