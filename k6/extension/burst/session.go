package burst

import (
	"ladderbench/k6/extension/measure"
)

const (
	readBytes = 16 << 10 // what a session keeps at most of replies that are not whole, once they are
	never     = int64(1<<63 - 1)
)

// group is operations in flight that were sent together; the replies take them off in order, or by id.
type group struct {
	start, intended, lag int64
	id                   uint64
	n                    int64
	idsFrom, idsEach     uint64 // the first operation's first {uuid}, and how many each of them carries
	kind                 uint8  // part of the mix
}

// counts is what a call returns to JavaScript.
type counts struct {
	acked, failed, aborted, dropped int64
	restedNs                        int64 // between an operation and the next one
}

func (c *counts) add(o counts) {
	c.acked += o.acked
	c.failed += o.failed
	c.aborted += o.aborted
	c.dropped += o.dropped
	c.restedNs += o.restedNs
}

// session is one connection's work without its I/O. A drive gives it bytes and the time, and sends what is in out.
type session struct {
	codec     codec
	depth     int64
	timeout   int64 // ns
	byID      bool
	listening bool // nothing is sent: what comes is news
	maker     *generator
	nextID    uint64
	groups    []group // in flight: groups[head:]
	head      int
	inflight  int64

	kinds map[string]string // names of refusals

	out  []byte // to be sent
	rest []byte // received, the beginning of a message

	// Of the call under way.
	tallies []*measure.Tally // one for each part of a mix; nil where nobody counts by loop
	batch   *measure.Batch   // also counts the traffic
	mixed   []*measure.Batch // one for each part of a mix, else nil
	pushes  *measure.Batch   // nil when nobody counts them
	budget  *budget
	until   int64
	pace    *schedule
	rests   rests
	slots   slots
	slotAt  int64 // when the next slot begins; in the past while one is on
	freedAt int64
	sum     counts
}

func newSession(c codec, depth int, timeoutNs int64) *session {
	_, byID := c.matched()
	return &session{
		codec: c, depth: int64(depth), timeout: timeoutNs, byID: byID, maker: c.maker(),
		groups: make([]group, 0, 2*depth),
	}
}

// begin starts a call.
func (s *session) begin(batch *measure.Batch, b *budget, until int64, pace *schedule) {
	s.batch, s.budget, s.until, s.pace = batch, b, until, pace
	s.mixed, s.pushes = nil, nil
	s.rests, s.slots, s.slotAt = rests{}, slots{}, 0
	s.sum = counts{}
}

// batchOf returns what records operations of a kind.
func (s *session) batchOf(kind uint8) *measure.Batch {
	if s.mixed == nil {
		return s.batch
	}
	return s.mixed[kind]
}

// issue appends the operations that may be sent now to out.
func (s *session) issue(now int64) {
	switch {
	case now >= s.until || s.listening:
	case s.pace != nil:
		s.issueDue(now)
	case s.inflight == 0:
		if s.rests.hold(now, s.answered(), &s.sum.restedNs) {
			return
		}
		if s.slotAt = s.slots.from(now); s.slotAt > now {
			return
		}
		if n := s.budget.take(s.depth); n > 0 {
			s.send(group{start: now, intended: measure.NoIntended, n: n})
		}
	}
}

// issueDue sends what the schedule asks for while connections have room.
func (s *session) issueDue(now int64) {
	for s.inflight < s.depth {
		due := s.pace.due()
		if due > now || due >= s.until || s.budget.take(1) == 0 {
			return
		}
		s.pace.next++
		s.send(group{start: now, intended: due, lag: now - max(due, s.freedAt), n: 1})
	}
}

// send puts operations in flight and their bytes into out.
func (s *session) send(g group) {
	s.inflight += g.n
	if s.byID || s.mixed != nil {
		n := g.n
		for g.n = 1; n > 0; n-- {
			g.id = s.nextID
			s.write(&g)
			g.kind = s.maker.kind
			s.groups = append(s.groups, g)
		}
		return
	}
	s.write(&g)
	s.groups = append(s.groups, g)
}

// write puts the bytes of a group's operations into out and notes the ids in them.
func (s *session) write(g *group) {
	g.idsFrom = s.maker.idsDrawn()
	s.out = s.codec.requests(s.out, int(g.n))
	g.idsEach = 0
	if drawn := s.maker.idsDrawn() - g.idsFrom; drawn > 0 {
		g.idsEach = drawn / uint64(g.n)
	}
	s.nextID += uint64(g.n)
}

// wake returns when the session wants to be asked again though nothing was received.
func (s *session) wake() int64 {
	if s.listening {
		return s.until
	}
	switch {
	case s.inflight >= s.depth || s.budget.empty():
		return never
	case s.pace != nil:
		return min(s.pace.due(), s.until)
	case s.rests.every > 0 && s.inflight == 0:
		return min(s.rests.until, s.until)
	case s.slots.each > 0 && s.inflight == 0:
		return min(s.slotAt, s.until)
	}
	return never
}

// done reports whether nothing is in flight and nothing more may be sent. What a schedule holds may be over before the
// call is: who would return then is called again at once, and k6 would spin beside those who still send.
func (s *session) done(now int64) bool {
	return s.inflight == 0 && (now >= s.until || s.budget.empty())
}

// answered returns how many operations of the call have got an answer.
func (s *session) answered() int64 { return s.sum.acked + s.sum.failed }

// follow takes over a connection from another session. Numbers go on with the connection: a server may take a repeated
// one for a repeated operation.
func (s *session) follow(before *session) {
	if s.nextID < before.nextID {
		s.nextID, s.maker.vars.seq = before.nextID, before.nextID
	}
}
