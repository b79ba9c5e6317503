package burst

import (
	"bytes" //nolint:gosec // RFC 6455 asks for it
	"errors"
	"fmt"
	"strings"
)

const wsGUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"

// wsCodec sends text messages and takes text messages as replies.
type wsCodec struct {
	generator
	handshake  text
	greeting   []text // messages to send after the upgrade
	ready      []byte // the first operation waits for a message that contains this
	idAfter    []byte // what stands before the id in a reply, empty when replies come in order
	success    []byte // a reply contains this, empty for any
	failure    []byte // a refusal contains this, empty for none
	subproto   string
	mask       uint64
	partial    []byte // fragments of a message
	fragmented bool
	pongs      []byte
	push       *pushReader // nil when pushes are passed over
	id         uint64
	idKnown    bool
	tells      bool      // replies tell of counters
	asked      []wsAsked // in flight, where they do
}

// wsAsked is an operation in flight, and the counter that its reply tells of.
type wsAsked struct {
	id  uint64
	by  *talliedAnswers // of its template; nil: of none
	one asked
}

func newWS(t template, o protocolOptions, keys *Keys) (codec, error) {
	if t.Message == "" {
		return nil, errors.New("template needs a message")
	}
	message, err := compile(t.Message)
	if err != nil {
		return nil, err
	}
	c := &wsCodec{
		generator: newGenerator(message, keys),
		ready:     []byte(o.Ready), success: []byte(t.Success), failure: []byte(t.Failure),
		idAfter: []byte(t.IDAfter), subproto: o.Subprotocol, mask: mix(uint64(len(t.Message)) + golden),
	}
	c.named(t)
	if c.tallied, err = newToldAnswers(t, keys); err != nil {
		return nil, err
	}
	c.tells = c.tallied.tally != nil
	if len(c.idAfter) > 0 && !message.uses(seqPart) {
		return nil, errors.New("template: idAfter needs {seq} in the message")
	}
	for _, line := range o.Greeting {
		greeting, err := compile(line)
		if err != nil {
			return nil, err
		}
		c.greeting = append(c.greeting, greeting)
	}
	return c, c.compileHandshake(o)
}

func (c *wsCodec) compileHandshake(o protocolOptions) error {
	path := o.Path
	if path == "" {
		path = "/"
	}
	if !strings.HasPrefix(path, "/") {
		return fmt.Errorf("path must start with /, got %q", path)
	}
	where, err := compile(path)
	if err != nil {
		return err
	}
	headers, err := headerLines(nil, o.Headers)
	if err != nil {
		return err
	}
	c.handshake = text(nil).literal("GET ").add(where).literal(" HTTP/1.1\r\nHost: " + o.host() +
		"\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n").add(headers)
	if c.subproto != "" {
		c.handshake = c.handshake.literal("Sec-WebSocket-Protocol: " + c.subproto + "\r\n")
	}
	return nil
}

func (c *wsCodec) requests(dst []byte, n int) []byte {
	for range n {
		c.draw()
		if c.tells {
			c.asked = append(c.asked, c.ask())
		}
		dst = c.appendMessage(dst, c.request)
		c.vars.seq++
	}
	return dst
}

// ask notes the operation that was drawn.
func (c *wsCodec) ask() wsAsked {
	by := &c.tallied
	if c.mix != nil {
		by = &c.mix.parts[c.kind].maker().tallied
	}
	if by.tally == nil {
		return wsAsked{id: c.vars.seq}
	}
	return wsAsked{id: c.vars.seq, by: by, one: by.tally.ask(c.vars.key, by.use)}
}

// told takes the operation that a reply answers, and reports whether it may be its answer.
func (c *wsCodec) told(body []byte, isSuccess bool) bool {
	at := 0
	for len(c.idAfter) > 0 && at < len(c.asked) && c.asked[at].id != c.id {
		at++
	}
	if at >= len(c.asked) {
		return !c.tells
	}
	own := c.asked[at]
	c.asked = append(c.asked[:at], c.asked[at+1:]...)
	return !isSuccess || own.by == nil || own.by.tells(&own.one, body)
}

// appendMessage appends a masked text message in one frame.
func (c *wsCodec) appendMessage(dst []byte, message text) []byte {
	mask := uint32(c.nextMask())
	dst = appendFrameHead(dst, wsText, message.size(&c.vars), mask)
	from := len(dst)
	dst = message.append(dst, &c.vars)
	maskBytes(dst[from:], mask)
	return dst
}

func (c *wsCodec) nextMask() uint64 {
	c.mask += golden
	return mix(c.mask)
}

// message reads frames up to one whole data message; body is nil after a control frame, n 0 while incomplete.
func (c *wsCodec) message(in []byte) (body []byte, n int, err error) {
	f, n, err := parseFrame(in)
	if err != nil || n == 0 {
		return nil, n, err
	}
	switch f.opcode {
	case wsPing:
		c.pongs = appendPong(c.pongs, f.body, uint32(c.nextMask()))
		return nil, n, nil
	case wsPong:
		return nil, n, nil
	case wsClose:
		c.close(f.body)
		return nil, 0, errClosed
	}
	if (f.opcode == wsContinue) != c.fragmented {
		return nil, 0, errWS
	}
	if !c.fragmented && f.final {
		return f.body, n, nil
	}
	if len(c.partial)+len(f.body) > maxReply {
		return nil, 0, errWS
	}
	c.partial = append(c.partial, f.body...)
	c.fragmented = !f.final
	if !f.final {
		return nil, n, nil
	}
	body = c.partial
	c.partial = c.partial[:0]
	return body, n, nil
}

var errClosed = errors.New("websocket: closed by the server")

func (c *wsCodec) replies(in []byte, limit int) (used, ok int, why stop) {
	for {
		body, n, err := c.message(in[used:])
		switch {
		case errors.Is(err, errClosed):
			return used, ok, stopClosing
		case err != nil:
			return used, ok, stopBroken
		case n == 0:
			return used, ok, stopMore
		}
		used += n
		refused := len(c.failure) > 0 && bytes.Contains(body, c.failure)
		if body == nil || !refused && !bytes.Contains(body, c.success) || ok == limit {
			c.push.take(body)
			continue // not a reply: a push, a control frame, or nothing was asked
		}
		if len(c.idAfter) > 0 {
			if c.id, c.idKnown = numberAfter(body, c.idAfter); !c.idKnown {
				continue
			}
		}
		right := c.told(body, !refused)
		if refused {
			c.text(body)
			return used, ok, stopRefused
		}
		if !right {
			c.clear()
			return used, ok, stopWrong
		}
		if ok++; len(c.idAfter) > 0 {
			return used, ok, stopLimit
		}
	}
}

// numberAfter reads the decimal number that follows a marker.
func numberAfter(body, marker []byte) (uint64, bool) {
	at := bytes.Index(body, marker)
	if at < 0 {
		return 0, false
	}
	value, digits := uint64(0), 0
	for _, b := range trimSpace(body[at+len(marker):]) {
		if b < '0' || b > '9' || digits > 18 {
			break
		}
		value = value*10 + uint64(b-'0')
		digits++
	}
	return value, digits > 0
}

func (c *wsCodec) control(dst []byte) []byte {
	dst = append(dst, c.pongs...)
	c.pongs = c.pongs[:0]
	return dst
}

func (c *wsCodec) matched() (uint64, bool) { return c.id, len(c.idAfter) > 0 }
