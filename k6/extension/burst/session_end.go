package burst

import "ladderbench/k6/extension/measure"

// lose counts all operations in flight as failed and forgets the connection's buffers.
func (s *session) lose(class measure.Class, now int64) { s.loseAs(class, nil, now) }

// loseAs is lose where the server said why.
func (s *session) loseAs(class measure.Class, name []byte, now int64) {
	kind := s.kindOf(name)
	// Of several in flight nobody knows which of them the server speaks of.
	unknown := name == nil || s.inflight > 1 || !s.codec.isUndone()
	for i := s.head; i < len(s.groups); i++ {
		g := &s.groups[i]
		for range g.n {
			s.batchOf(g.kind).Refusal(g.start, now, class, unknown, kind)
		}
		if unknown {
			s.doubt(g, g.n)
		}
		s.sum.failed += g.n
	}
	if s.inflight > 0 {
		s.maker.lost()
	}
	s.freedAt = now
	s.forget(nil)
	if s.listening {
		s.unconnected(now) // a stream that was lost is not asked for again
	}
}

// abort counts all operations in flight as indeterminate and forgets the connection's buffers.
func (s *session) abort() {
	for i := s.head; i < len(s.groups); i++ {
		g := &s.groups[i]
		s.batchOf(g.kind).Recorder().Abort(g.n)
		s.doubt(g, g.n)
	}
	s.sum.aborted += s.inflight
	if s.inflight > 0 {
		s.maker.lost()
	}
	s.forget(nil)
}

// doubt notes the ids in the first n operations of a group, which may have been applied: who stored them can be asked.
func (s *session) doubt(g *group, n int64) {
	if count := uint64(n) * g.idsEach; count > 0 {
		v := &s.maker.vars
		s.batchOf(g.kind).Recorder().Doubt(measure.Span{Seed: v.ids.seed, Stream: v.stream, From: g.idsFrom, Count: count})
	}
}

// forget empties the buffers for a new connection, which already received some bytes.
func (s *session) forget(in []byte) {
	s.groups, s.head, s.inflight = s.groups[:0], 0, 0
	s.out = s.out[:0]
	s.keep(in)
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
	s.batchOf(s.maker.pass()).Failure(intended, now, measure.Connect, false)
	s.sum.failed++
	return true
}

// finish counts what the schedule asked for and never got, once its end is reached.
func (s *session) finish(now int64) {
	if s.pace == nil || s.budget.empty() {
		return
	}
	r := s.batch.Recorder()
	s.pace.skipTo(r.StartNs(), min(now, s.until, r.EndNs()), func(due int64) {
		s.batchOf(s.maker.pass()).Drop(due)
		s.sum.dropped++
	})
}
