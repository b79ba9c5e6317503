package burst

import "ladderbench/k6/extension/measure"

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
		s.takePushes(now)
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
		s.batchOf(g.kind).Success(measure.Entry{Start: g.start, End: now, Intended: g.intended, Lag: g.lag, N: k})
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
		s.batchOf(g.kind).Failure(g.start, now, class, unknown)
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
