package burst

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"time"

	"ladderbench/k6/extension/measure"
)

// turnCodec speaks HTTP/1.1 with keep-alive; what it sends may depend on earlier replies, so that one operation at a time
// is under way. An operation may take several requests: its answer is the last reply.
type turnCodec struct {
	httpCodec
	scratchText []byte
}

func (c *turnCodec) requests(dst []byte, _ int) []byte {
	c.vars.key = c.keys.next()
	t := c.turn
	t.passed = 0
	r := &t.requests[t.at]
	c.kind = r.kind
	if r.apart > 0 {
		r.isApart = measure.Now()-t.setAt[r.from] >= r.apart
	}
	dst = c.append(dst, r)
	c.vars.seq++
	if counter := r.counter(c.vars.key); counter != nil {
		counter.sent.Add(1)
	}
	return dst
}

// append makes one request.
func (c *turnCodec) append(dst []byte, r *request) []byte {
	if r.timed {
		c.vars.now = time.Now().UTC().AppendFormat(c.clock[:0], nowLayout)
	}
	for i := range r.sets {
		c.assign(&r.sets[i])
	}
	for i := range r.acked {
		c.turn.slots[r.acked[i].slot] = c.turn.slots[r.acked[i].slot][:0]
	}
	return r.text.append(dst, &c.vars)
}

// assign gives a slot its text, which may contain what the slot has been.
func (c *turnCodec) assign(a *assignment) {
	c.scratchText = a.text.append(c.scratchText[:0], &c.vars)
	c.keep(a.slot, c.scratchText)
}

func (c *turnCodec) keep(slot int, said []byte) {
	c.turn.slots[slot] = append(c.turn.slots[slot][:0], said...)
}

func (c *turnCodec) replies(in []byte, limit int) (used, ok int, why stop) {
	if limit == 0 {
		return 0, 0, stopLimit
	}
	if c.closing {
		c.clear()
		return 0, 0, stopClosing
	}
	t := c.turn
	r := &t.requests[t.at]
	reply, why := c.read(in, &r.expected)
	switch {
	case why == stopMore || why == stopBroken:
		return 0, 0, why
	case why == stopLimit && !c.take(r, &reply):
		why = stopWrong
		c.status("HTTP", reply.status, nil)
	}
	if why != stopLimit {
		t.fail()
		return reply.size, 0, why
	}
	t.next()
	if next := &t.requests[t.at]; !next.head {
		t.within = true
		return reply.size, 0, stopMore
	}
	if counter := r.counter(c.vars.key); counter != nil {
		counter.acked.Add(1)
	}
	if r.apart == 0 || r.isApart {
		for i := range r.acked {
			c.assign(&r.acked[i])
		}
	}
	return reply.size, 1, stopLimit
}

// control appends the next request of an operation that takes several.
func (c *turnCodec) control(dst []byte) []byte {
	if t := c.turn; t.within {
		t.within = false
		dst = c.append(dst, &t.requests[t.at])
	}
	return dst
}

// take holds a reply against what is demanded of it, and keeps what the turn needs of it.
func (c *turnCodec) take(r *request, reply *httpReply) bool {
	if r.right.isKnown(reply.body, &c.vars) {
		return true
	}
	for i := range r.checks {
		if !r.checks[i].holds(reply.body, &c.vars) {
			return false
		}
	}
	r.right.keep(reply.body, &c.vars)
	for i := range r.takes {
		p := &r.takes[i]
		if !p.holds(reply.body, &c.vars) {
			return false
		}
		c.keep(p.slot, p.found)
		c.turn.setAt[p.slot] = measure.Now()
	}
	for i := range r.headers {
		h := &r.headers[i]
		said := headerOf(reply.head, h.name)
		if at := bytes.LastIndex(said, h.after); at >= 0 {
			said = said[at+len(h.after):]
		}
		if !isPlain(said) {
			return false
		}
		c.keep(h.slot, said)
		c.turn.setAt[h.slot] = measure.Now()
	}
	return true
}

// headerOf returns a header's value, nil where there is none; name is lower case.
func headerOf(head []byte, name string) []byte {
	for len(head) > 0 {
		end := bytes.IndexByte(head, '\n')
		if end < 0 {
			return nil
		}
		line := bytes.TrimSuffix(head[:end], []byte{'\r'})
		head = head[end+1:]
		if at := bytes.IndexByte(line, ':'); at > 0 && equalFold(line[:at], name) {
			return trimSpace(line[at+1:])
		}
	}
	return nil
}

func lower(name string) string { return strings.ToLower(name) }

// sorted returns the keys of a map in order.
func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
