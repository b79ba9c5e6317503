package burst

import "ladderbench/k6/extension/measure"

// received takes bytes that were read at a moment; false means that the connection must be made anew. The session
// keeps no reference to them.
func (s *session) received(data []byte, now int64) bool {
	s.batch.Traffic(0, int64(len(data)))
	in := data
	if len(s.rest) > 0 {
		s.rest = append(s.rest, data...)
		in = s.rest
	}
	for {
		used, ok, why := s.codec.replies(in, int(s.inflight))
		in = in[used:]
		s.takePushes(now)
		s.succeed(int64(ok), now)
		switch why {
		case stopLimit:
			if !s.byID {
				s.keep(in)
				s.unasked(now)
				return s.idle()
			}
		case stopRefused:
			s.refuse(measure.Server, false, now)
		case stopUnsure:
			s.refuse(measure.Server, !s.codec.isUndone(), now)
		case stopWrong:
			s.refuse(measure.Protocol, true, now)
		case stopClosing:
			s.loseAs(measure.Connect, s.codec.refused(), now)
			return false
		case stopBroken:
			s.lose(measure.Protocol, now)
			return false
		case stopMore:
			s.out = s.codec.control(s.out)
			if len(in) > maxReply+readBytes {
				s.lose(measure.Protocol, now)
				return false
			}
			s.keep(in)
			return true
		}
	}
}

// keep puts the beginning of a message aside until the rest of it comes.
func (s *session) keep(in []byte) {
	switch {
	case len(in) > 0:
		s.rest = append(s.rest[:0], in...) // they may overlap
	case cap(s.rest) > readBytes:
		s.rest = nil
	default:
		s.rest = s.rest[:0]
	}
}

// unasked counts what a server sent beyond its replies as a wrong answer: nobody can tell which reply was the right one.
func (s *session) unasked(now int64) {
	if len(s.rest) == 0 {
		return
	}
	s.batchOf(0).Failure(now, now, measure.Protocol, false)
}

// idle runs when every operation in flight is answered; bytes that are left over are no reply to anything.
func (s *session) idle() bool {
	_, _, why := s.codec.replies(nil, 1)
	return why != stopClosing && len(s.rest) == 0
}

// unfinished reports whether part of a message was received and not understood yet.
func (s *session) unfinished() bool {
	c, ok := s.codec.(*wsCodec)
	return len(s.rest) > 0 || ok && c.fragmented
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
		if s.maker.timed {
			acknowledge(g.start)
		}
		if s.maker.sampler.on {
			s.maker.sampler.take(s.batchOf(g.kind).Recorder().Op())
		}
		s.batchOf(g.kind).Success(measure.Entry{Start: g.start, End: now, Intended: g.intended, Lag: g.lag, N: k})
		s.sum.acked += k
		if s.tallies != nil {
			s.tallies[g.kind].Acked += k
		}
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
		s.batchOf(g.kind).Refusal(g.start, now, class, unknown, s.kindOf(s.codec.refused()))
		if unknown {
			s.doubt(g, 1)
		}
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
	g.idsFrom += uint64(k) * g.idsEach
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
