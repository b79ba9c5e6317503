package burst

import (
	"errors"
	"fmt"
	"net"
	"strings"
	"time"
)

// respExpect is what a RESP reply must be to count as a success.
type respExpect struct {
	kinds  string // allowed first bytes; '_' is a null
	simple string // text of a simple string, empty for any
}

func parseRespExpect(expect string) (respExpect, error) {
	name, argument, _ := strings.Cut(expect, ":")
	switch name {
	case "", "any":
		return respExpect{kinds: "+:$*_"}, nil
	case "simple":
		return respExpect{kinds: "+", simple: argument}, nil
	case "integer":
		return respExpect{kinds: ":"}, nil
	case "bulk":
		return respExpect{kinds: "$"}, nil
	case "bulk-or-null":
		return respExpect{kinds: "$_"}, nil
	case "integer-or-bulk-or-null":
		return respExpect{kinds: ":$_"}, nil
	case "array":
		return respExpect{kinds: "*"}, nil
	}
	return respExpect{}, fmt.Errorf(
		"expect %q: use simple, simple:TEXT, integer, bulk, bulk-or-null, integer-or-bulk-or-null, array or any",
		expect)
}

func (e *respExpect) allows(kind byte, body []byte) bool {
	for i := 0; i < len(e.kinds); i++ {
		if e.kinds[i] == kind {
			return e.simple == "" || string(body) == e.simple
		}
	}
	return false
}

// resp speaks RESP2.
type resp struct {
	generator
	expect respExpect
	setup  []byte // commands to send after connecting
	setups int
}

func newResp(t template, o protocolOptions, keys *Keys) (codec, error) {
	expect, err := parseRespExpect(t.Expect)
	if err != nil {
		return nil, err
	}
	request, err := respCommand(t.Command)
	if err != nil {
		return nil, err
	}
	c := &resp{generator: newGenerator(request, keys), expect: expect, setups: len(o.Setup)}
	if c.answers, err = newAnswers(t.Returns); err != nil {
		return nil, err
	}
	if c.tallied, err = newTalliedAnswers(t, keys); err != nil {
		return nil, err
	}
	if c.access, err = newAccess(t, keys); err != nil {
		return nil, err
	}
	for _, command := range o.Setup {
		setup, err := respCommand(command)
		if err != nil {
			return nil, fmt.Errorf("setup: %w", err)
		}
		c.setup = setup.append(c.setup, &vars{values: poolFor(0)})
	}
	return c, nil
}

// respCommand compiles an array of bulk strings.
func respCommand(words []string) (text, error) {
	if len(words) == 0 {
		return nil, errors.New("template needs a command, for example ['INCR', 'counter:{key}']")
	}
	request := text(nil).literal(fmt.Sprintf("*%d\r\n", len(words)))
	for _, word := range words {
		argument, err := compile(word)
		if err != nil {
			return nil, err
		}
		request = request.literal("$").sized(argument).literal("\r\n").add(argument).literal("\r\n")
	}
	return request, nil
}

func (c *resp) open(conn net.Conn, deadline time.Time) ([]byte, error) {
	c.forget()
	return exchange(conn, deadline, c.setup, c.setups, func(in []byte) (int, error) {
		n, kind, body, err := respReply(in, 0)
		if err == nil && kind == '-' {
			err = fmt.Errorf("setup refused: %s", body)
		}
		return n, err
	})
}

func (c *resp) replies(in []byte, limit int) (used, ok int, why stop) {
	now := c.moment()
	for ok < limit {
		n, kind, body, err := respReply(in[used:], 0)
		switch {
		case err != nil:
			return used, ok, stopBroken
		case n == 0:
			return used, ok, stopMore
		}
		own := c
		if c.awaited.on {
			own = c.mix.parts[c.awaited.pop()].(*resp)
		}
		allowed := own.expect.allows(kind, body)
		right := own.answers.check(body)
		right = own.tallied.check(kind, body) && right
		own.writes.answered(kind != '-' && allowed)
		if own.access.use != 0 {
			right = own.access.answered(respAnswers(kind, allowed), body, false, now) && right
		}
		switch {
		case kind == '-':
			c.word(body)
			return used + n, ok, stopRefused
		case !right || !allowed:
			c.clear()
			return used + n, ok, stopWrong
		}
		used += n
		ok++
	}
	return used, ok, stopLimit
}

// respAnswers says what a reply is to who asked for a value, or wrote one.
func respAnswers(kind byte, allowed bool) answer {
	switch {
	case kind == '-':
		return refused
	case kind == '_':
		return nothing
	case !allowed:
		return unsure
	}
	return given
}
