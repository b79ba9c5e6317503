package burst

import (
	"context"

	"golang.org/x/sys/unix"

	"ladderbench/k6/extension/measure"
)

// handle serves one event.
func (l *loop) handle(ctx context.Context, event *unix.EpollEvent) {
	if event.Fd == timerHandle {
		return
	}
	p := l.peers[event.Fd]
	if p.fd < 0 {
		return
	}
	if event.Events&unix.EPOLLOUT != 0 && !l.flush(ctx, p) {
		return
	}
	if event.Events&^uint32(unix.EPOLLOUT) != 0 {
		l.read(ctx, p)
	}
}

// read takes what has come and sends what may go.
func (l *loop) read(ctx context.Context, p *peer) {
	s := p.session
	n, err := rawRead(p.fd, s.room())
	now := measure.Now()
	switch {
	case err == unix.EAGAIN || err == unix.EINTR:
		return
	case err != 0 || n == 0:
		s.lose(measure.Connect, now)
		l.again(ctx, p, now)
		return
	}
	if !s.received(n, now) {
		l.again(ctx, p, now)
		return
	}
	l.issue(ctx, p, now)
}

// issue sends what a peer may send now; a peer that is done is retired.
func (l *loop) issue(ctx context.Context, p *peer, now int64) {
	s := p.session
	s.issue(now)
	if len(s.out) > 0 && !p.waiting && !l.flush(ctx, p) {
		return
	}
	if s.inflight == 0 && s.done(now) {
		l.retire(p)
	}
}

// retire closes a peer that has nothing more to do.
func (l *loop) retire(p *peer) {
	l.drop(p)
	l.open--
}

// drop closes a peer's socket.
func (l *loop) drop(p *peer) {
	if p.fd >= 0 {
		_ = unix.Close(p.fd)
		p.fd = -1
	}
}

// again replaces a peer's connection, unless it is done.
func (l *loop) again(ctx context.Context, p *peer, now int64) {
	l.drop(p)
	if p.session.done(now) {
		l.open--
		return
	}
	l.dial(ctx, p)
}

// flush writes a peer's bytes, as many as the socket takes; false when the connection broke.
func (l *loop) flush(ctx context.Context, p *peer) bool {
	s := p.session
	for p.outFrom < len(s.out) {
		n, err := rawWrite(p.fd, s.out[p.outFrom:][:l.race.wire.chunk(p.outFrom, len(s.out))])
		if err == unix.EAGAIN {
			return l.watch(p, true)
		}
		if err == unix.EINTR {
			continue
		}
		if err != 0 {
			now := measure.Now()
			s.lose(measure.Connect, now)
			l.again(ctx, p, now)
			return false
		}
		s.batch.Traffic(int64(n), 0)
		p.outFrom += n
	}
	s.out, p.outFrom = s.out[:0], 0
	return !p.waiting || l.watch(p, false)
}

// watch asks for EPOLLOUT, or no more.
func (l *loop) watch(p *peer, out bool) bool {
	p.waiting = out
	event := unix.EpollEvent{Events: unix.EPOLLIN | unix.EPOLLRDHUP, Fd: int32(p.index)}
	if out {
		event.Events |= unix.EPOLLOUT
	}
	return unix.EpollCtl(l.epoll, unix.EPOLL_CTL_MOD, p.fd, &event) == nil
}

// sweep times out overdue operations, retires peers whose time is up, and hands the batch over.
func (l *loop) sweep(ctx context.Context, now int64) {
	for _, p := range l.peers {
		s := p.session
		switch {
		case p.fd < 0:
		case s.overdue(now):
			s.lose(measure.Timeout, now)
			l.again(ctx, p, now)
		case s.done(now):
			l.retire(p)
		}
	}
	l.batch.Flush()
}
