package burst

import (
	"golang.org/x/sys/unix"

	"ladderbench/k6/extension/measure"
)

const (
	edge = unix.EPOLLET & 0xffffffff
	// interest is told once for each change, so that a socket's wishes never have to be changed: bytes have come, there
	// is room for bytes again, the other side has closed.
	interest = unix.EPOLLIN | unix.EPOLLOUT | unix.EPOLLRDHUP | edge
	ended    = unix.EPOLLRDHUP | unix.EPOLLHUP | unix.EPOLLERR
)

// handle serves one event.
func (l *loop) handle(event *unix.EpollEvent) {
	fd := int(event.Fd)
	if fd == l.bell {
		var eight [8]byte
		_, _ = rawRead(l.bell, eight[:])
		return
	}
	if fd >= len(l.byFD) || l.byFD[fd] == nil {
		return
	}
	p := l.byFD[fd]
	switch {
	case p.job == nil && event.Events&ended != 0:
		l.drop(p) // while it rested
	case p.job == nil:
		p.unread = p.unread || !p.pings || !l.pong(p)
	default:
		if p.blocked && event.Events&unix.EPOLLOUT != 0 {
			p.blocked = false
			if !l.flush(p) {
				return
			}
		}
		if event.Events&(unix.EPOLLIN|ended) != 0 {
			l.read(p, event.Events&ended != 0)
		}
	}
}

// pong answers the pings of a server whose connection rests, as a server may close what does not answer; false when something
// else has come, which is left to the next job.
func (l *loop) pong(p *peer) bool {
	for {
		n, _, err := unix.Recvfrom(p.fd, l.buffer, unix.MSG_PEEK)
		switch {
		case err == unix.EINTR:
			continue
		case err != nil || n == 0:
			return err == unix.EAGAIN
		}
		size, pongs := 0, []byte(nil)
		for {
			f, used, err := parseFrame(l.buffer[size:n])
			if err != nil || used == 0 || f.opcode != wsPing {
				break
			}
			size += used
			pongs = appendPong(pongs, f.body, uint32(mix(uint64(l.now)+golden)))
		}
		if size == 0 {
			return false
		}
		if _, err := rawReceive(p.fd, l.buffer[:size]); err != 0 {
			return false
		}
		if sent, err := rawSend(p.fd, pongs); err != 0 || sent < len(pongs) {
			l.drop(p) // half an answer is in it
			return true
		}
	}
}

// read takes what has come and sends what may go. A short read leaves nothing behind, unless the stream has ended.
func (l *loop) read(p *peer, over bool) {
	s := p.session
	for {
		n, err := rawReceive(p.fd, l.buffer)
		if err == unix.EINTR {
			continue
		}
		l.now = measure.Now()
		switch {
		case err == unix.EAGAIN:
			l.issue(p, l.now)
			return
		case err != 0 || n == 0:
			s.lose(measure.Connect, l.now)
			l.again(p, l.now)
			return
		}
		before := s.answered()
		if !s.received(l.buffer[:n], l.now) {
			l.again(p, l.now)
			return
		}
		p.wire.hold(s.answered() - before)
		if n < len(l.buffer) && !over {
			l.issue(p, l.now)
			return
		}
	}
}

// issue sends what a peer may send now; a peer that is done leaves its job.
func (l *loop) issue(p *peer, now int64) {
	s := p.session
	if len(s.out) == 0 {
		s.out = l.scratch[:0]
	}
	s.issue(now)
	if !p.blocked && !l.flush(p) {
		return
	}
	if s.inflight == 0 && s.done(now) {
		l.finish(p, now)
		return
	}
	l.timers.set(p, s.wake())
	if p.wakeAt < l.next {
		l.next = p.wakeAt
	}
}

// flush writes a peer's bytes, as many as the socket takes; false when the connection broke.
func (l *loop) flush(p *peer) bool {
	s := p.session
	for p.outFrom < len(s.out) {
		n, err := rawSend(p.fd, s.out[p.outFrom:][:p.wire.chunk(p.outFrom, len(s.out))])
		switch {
		case err == unix.EINTR:
			continue
		case err == unix.EAGAIN:
			p.blocked = true
			s.out = append([]byte(nil), s.out...) // the scratch is everybody's
			return true
		case err != 0:
			now := measure.Now()
			s.lose(measure.Connect, now)
			l.again(p, now)
			return false
		}
		s.batch.Traffic(int64(n), 0)
		p.outFrom += n
	}
	if cap(s.out) > cap(l.scratch) {
		l.scratch = s.out
	}
	s.out, p.outFrom = nil, 0
	return true
}

// drop closes a peer's socket.
func (l *loop) drop(p *peer) {
	if p.fd < 0 {
		return
	}
	l.byFD[p.fd] = nil
	_ = unix.Close(p.fd)
	p.fd, p.blocked, p.unread, p.outFrom = -1, false, false, 0
}

// again replaces a peer's connection, unless it is done.
func (l *loop) again(p *peer, now int64) {
	l.drop(p)
	if p.session.done(now) {
		l.finish(p, now)
		return
	}
	l.connect(p)
}
