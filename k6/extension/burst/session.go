package burst

import (
	"ladderbench/k6/extension/measure"
)

const (
	readBytes = 16 << 10 // to begin with; grows with the replies
	never     = int64(1<<63 - 1)
)

// group is operations in flight that were sent together; the replies take them off in order, or by id.
type group struct {
	start, intended, lag int64
	id                   uint64
	n                    int64
}

// counts is what a call returns to JavaScript.
type counts struct{ acked, failed, aborted, dropped int64 }

func (c *counts) add(o counts) {
	c.acked += o.acked
	c.failed += o.failed
	c.aborted += o.aborted
	c.dropped += o.dropped
}

// session is one connection's work without its I/O. A drive gives it bytes and the time, and sends what is in out.
type session struct {
	codec    codec
	depth    int64
	timeout  int64 // ns
	byID     bool
	nextID   uint64
	groups   []group // in flight: groups[head:]
	head     int
	inflight int64

	out    []byte
	in     []byte
	inFrom int
	inTo   int

	// Of the call under way.
	batch   *measure.Batch
	budget  *budget
	until   int64
	pace    *schedule
	freedAt int64
	sum     counts
}

func newSession(c codec, depth int, timeoutNs int64) *session {
	_, byID := c.matched()
	return &session{
		codec: c, depth: int64(depth), timeout: timeoutNs, byID: byID,
		groups: make([]group, 0, 2*depth), in: make([]byte, readBytes),
	}
}

// begin starts a call.
func (s *session) begin(batch *measure.Batch, b *budget, until int64, pace *schedule) {
	s.batch, s.budget, s.until, s.pace = batch, b, until, pace
	s.sum = counts{}
}

// issue appends the operations that may be sent now to out.
func (s *session) issue(now int64) {
	switch {
	case now >= s.until:
	case s.pace != nil:
		s.issueDue(now)
	case s.inflight == 0:
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
	if s.byID {
		n := g.n
		for g.n = 1; n > 0; n-- {
			g.id = s.nextID
			s.nextID++
			s.groups = append(s.groups, g)
			s.out = s.codec.requests(s.out, 1)
		}
		return
	}
	s.out = s.codec.requests(s.out, int(g.n))
	s.groups = append(s.groups, g)
}

// wake returns when the session wants to be asked again though nothing was received.
func (s *session) wake() int64 {
	if s.pace == nil || s.inflight >= s.depth || s.budget.empty() {
		return never
	}
	return min(s.pace.due(), s.until)
}

// done reports whether nothing is in flight and nothing more may be sent.
func (s *session) done(now int64) bool {
	return s.inflight == 0 && (now >= s.until || s.budget.empty() || s.pace != nil && s.pace.due() >= s.until)
}

// room returns where to read to.
func (s *session) room() []byte {
	if s.inFrom == s.inTo {
		s.inFrom, s.inTo = 0, 0
	}
	if len(s.in)-s.inTo < readBytes/4 {
		if s.inFrom > 0 {
			s.inTo = copy(s.in, s.in[s.inFrom:s.inTo])
			s.inFrom = 0
		}
		if len(s.in)-s.inTo < readBytes/4 {
			s.in = append(s.in, make([]byte, len(s.in))...)
		}
	}
	return s.in[s.inTo:]
}

// received takes n bytes that were read at a moment; false means that the connection must be made anew.
func (s *session) received(n int, now int64) bool {
	s.inTo += n
	s.batch.Traffic(0, int64(n))
	for {
		used, ok, why := s.codec.replies(s.in[s.inFrom:s.inTo], int(s.inflight))
		s.inFrom += used
		s.succeed(int64(ok), now)
		switch why {
		case stopLimit:
			if !s.byID {
				return s.idle()
			}
		case stopRefused:
			s.refuse(measure.Server, false, now)
		case stopUnsure:
			s.refuse(measure.Server, true, now)
		case stopWrong:
			s.refuse(measure.Protocol, true, now)
		case stopClosing:
			s.lose(measure.Connect, now)
			return false
		case stopBroken:
			s.lose(measure.Protocol, now)
			return false
		case stopMore:
			s.out = s.codec.control(s.out)
			if s.inTo-s.inFrom > maxReply+readBytes {
				s.lose(measure.Protocol, now)
				return false
			}
			return true
		}
	}
}

// idle runs when every operation in flight is answered; bytes that are left over are no reply to anything.
func (s *session) idle() bool {
	_, _, why := s.codec.replies(nil, 1)
	return why != stopClosing && s.inFrom == s.inTo
}

// unfinished reports whether part of a message was received and not understood yet.
func (s *session) unfinished() bool {
	c, ok := s.codec.(*wsCodec)
	return s.inFrom != s.inTo || ok && c.fragmented
}

// succeed counts replies that were as expected.
func (s *session) succeed(n, now int64) {
	if n > 0 && s.inflight >= s.depth {
		s.freedAt = now
	}
	for n > 0 && s.inflight > 0 {
		g := s.oldest()
		if g == nil {
			return // an id that was not asked for
		}
		k := min(n, g.n)
		s.batch.Success(measure.Entry{Start: g.start, End: now, Intended: g.intended, Lag: g.lag, N: k})
		s.sum.acked += k
		s.take(g, k)
		n -= k
	}
}

// refuse counts the reply that the codec read last as a failure.
func (s *session) refuse(class measure.Class, unknown bool, now int64) {
	if s.inflight == 0 {
		return
	}
	if g := s.oldest(); g != nil {
		if s.inflight >= s.depth {
			s.freedAt = now
		}
		s.batch.Failure(g.start, now, class, unknown)
		s.sum.failed++
		s.take(g, 1)
	}
}

// oldest returns the group that the last reply answers.
func (s *session) oldest() *group {
	if !s.byID {
		return &s.groups[s.head]
	}
	id, _ := s.codec.matched()
	for i := s.head; i < len(s.groups); i++ {
		if g := &s.groups[i]; g.id == id && g.n > 0 {
			return g
		}
	}
	return nil
}

// take removes k operations of a group.
func (s *session) take(g *group, k int64) {
	g.n -= k
	s.inflight -= k
	for s.head < len(s.groups) && s.groups[s.head].n == 0 {
		s.head++
	}
	if s.head == len(s.groups) {
		s.groups, s.head = s.groups[:0], 0
	} else if s.head >= cap(s.groups)/2 {
		s.groups = s.groups[:copy(s.groups, s.groups[s.head:])]
		s.head = 0
	}
}

// lose counts all operations in flight as failed and forgets the connection's buffers.
func (s *session) lose(class measure.Class, now int64) {
	for _, g := range s.groups[s.head:] {
		for range g.n {
			s.batch.Failure(g.start, now, class, true)
		}
		s.sum.failed += g.n
	}
	s.freedAt = now
	s.forget(nil)
}

// abort counts all operations in flight as indeterminate and forgets the connection's buffers.
func (s *session) abort() {
	if s.inflight > 0 {
		s.batch.Recorder().Abort(s.inflight)
		s.sum.aborted += s.inflight
	}
	s.forget(nil)
}

// forget empties the buffers for a new connection, which already received some bytes.
func (s *session) forget(in []byte) {
	s.groups, s.head, s.inflight = s.groups[:0], 0, 0
	s.out = s.out[:0]
	s.inFrom, s.inTo = 0, 0
	if len(in) > 0 {
		s.in = append(s.in[:0], in...)
		s.inTo = len(in)
		s.in = append(s.in, make([]byte, readBytes)...)
	} else if len(s.in) > 4*readBytes {
		s.in = make([]byte, readBytes)
	}
}

// overdue reports whether the oldest operation in flight waits for longer than the time-out.
func (s *session) overdue(now int64) bool {
	return s.inflight > 0 && now-s.groups[s.head].start >= s.timeout
}

// unconnected counts one operation that could not be sent for want of a connection; false when none was asked for.
func (s *session) unconnected(now int64) bool {
	intended := now
	if s.pace != nil {
		if s.pace.due() > now {
			return false
		}
		intended = s.pace.due()
	}
	if now >= s.until || s.budget.take(1) == 0 {
		return false
	}
	if s.pace != nil {
		s.pace.next++
	}
	s.batch.Failure(intended, now, measure.Connect, false)
	s.sum.failed++
	return true
}

// finish counts what the schedule asked for and never got, once its end is reached.
func (s *session) finish(now int64) {
	if s.pace == nil || s.budget.empty() {
		return
	}
	r := s.batch.Recorder()
	n := s.pace.skipTo(r.StartNs(), min(now, s.until, r.EndNs()))
	if n > 0 {
		r.Drop(n)
		s.sum.dropped += n
	}
}
