package burst

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"time"
)

// ssdb speaks SSDB's native protocol: blocks of "<length>\n<bytes>\n", a message ends with an empty line.
type ssdb struct {
	generator
	setup  []byte
	setups int
	miss   bool // not_found is a success
}

func newSsdb(t template, o protocolOptions, keys *Keys) (codec, error) {
	c := &ssdb{setups: len(o.Setup)}
	switch t.Expect {
	case "", "ok", "integer", "bulk":
	case "bulk-or-null", "ok-or-not-found", "any":
		c.miss = true
	default:
		return nil, fmt.Errorf("expect %q: ssdb knows ok, integer, bulk, bulk-or-null and any", t.Expect)
	}
	request, err := ssdbCommand(t.Command)
	if err != nil {
		return nil, err
	}
	c.generator = newGenerator(request, keys)
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
		setup, err := ssdbCommand(command)
		if err != nil {
			return nil, fmt.Errorf("setup: %w", err)
		}
		c.setup = setup.append(c.setup, &vars{values: poolFor(0)})
	}
	return c, nil
}

func ssdbCommand(words []string) (text, error) {
	if len(words) == 0 {
		return nil, errors.New("template needs a command, for example ['get', 'key:{key}']")
	}
	var request text
	for _, word := range words {
		argument, err := compile(word)
		if err != nil {
			return nil, err
		}
		request = request.sized(argument).literal("\n").add(argument).literal("\n")
	}
	return request.literal("\n"), nil
}

func (c *ssdb) open(conn net.Conn, deadline time.Time) ([]byte, error) {
	c.forget()
	return exchange(conn, deadline, c.setup, c.setups, func(in []byte) (int, error) {
		n, status, _, err := ssdbReply(in)
		if err == nil && n > 0 && string(status) != "ok" {
			err = fmt.Errorf("setup refused: %s", status)
		}
		return n, err
	})
}

func (c *ssdb) replies(in []byte, limit int) (used, ok int, why stop) {
	now := c.moment()
	for ok < limit {
		n, status, value, err := ssdbReply(in[used:])
		switch {
		case err != nil:
			return used, ok, stopBroken
		case n == 0:
			return used, ok, stopMore
		}
		own := c
		if c.awaited.on {
			own = c.mix.parts[c.awaited.pop()].(*ssdb)
		}
		right := own.answers.check(value)
		right = own.tallied.check(ssdbKind(status), value) && right
		own.writes.answered(string(status) == "ok")
		if own.access.use != 0 {
			right = own.access.answered(ssdbAnswers(status), value, false, now) && right
		}
		switch {
		case string(status) == "ok" && !right:
			c.clear()
			return used + n, ok, stopWrong
		case string(status) == "not_found" && !right:
			c.clear()
			return used + n, ok, stopWrong
		case string(status) == "ok", own.miss && string(status) == "not_found":
			used += n
			ok++
		case string(status) == "not_found":
			c.word(status)
			return used + n, ok, stopWrong
		default:
			c.word(status)
			return used + n, ok, stopRefused
		}
	}
	return used, ok, stopLimit
}

var errSsdb = errors.New("ssdb: malformed reply")

// ssdbReply reads one message and returns its first two blocks; n is 0 while it is incomplete.
func ssdbReply(in []byte) (n int, status, value []byte, err error) {
	for blocks := 0; ; blocks++ {
		line := bytes.IndexByte(in[n:min(len(in), n+12)], '\n')
		if line < 0 {
			if len(in)-n >= 12 {
				return 0, nil, nil, errSsdb
			}
			return 0, nil, nil, nil
		}
		size := bytes.TrimSuffix(in[n:n+line], []byte{'\r'})
		n += line + 1
		if len(size) == 0 {
			if blocks == 0 {
				return 0, nil, nil, errSsdb
			}
			return n, status, value, nil
		}
		length, ok := decimal(size)
		if !ok || length > maxReply {
			return 0, nil, nil, errSsdb
		}
		if len(in) < n+length+1 {
			return 0, nil, nil, nil
		}
		switch blocks {
		case 0:
			status = in[n : n+length]
		case 1:
			value = in[n : n+length]
		}
		n += length
		if in[n] == '\r' {
			n++
		}
		if n >= len(in) {
			return 0, nil, nil, nil
		}
		if in[n] != '\n' {
			return 0, nil, nil, errSsdb
		}
		n++
	}
}

// ssdbAnswers says what a reply is to who asked for a value, or wrote one.
func ssdbAnswers(status []byte) answer {
	switch string(status) {
	case "ok":
		return given
	case "not_found":
		return nothing
	}
	return refused
}

// ssdbKind is the kind that a reply would have as one of RESP.
func ssdbKind(status []byte) byte {
	switch ssdbAnswers(status) {
	case given:
		return '$'
	case nothing:
		return '_'
	}
	return '-'
}
