package burst

import (
	"context"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"ladderbench/k6/extension/measure"
)

const (
	loopEvents  = 256
	maxWait     = 20 * time.Millisecond  // between two looks at ctx
	sweepEvery  = 100 * time.Millisecond // between two looks at time-outs
	timerHandle = -1
)

// peer is one connection of a loop: a session on a raw non-blocking socket.
type peer struct {
	session *session
	index   int
	fd      int // -1 while there is no connection
	outFrom int
	waiting bool // for EPOLLOUT
}

// loop moves its peers by epoll. It belongs to one goroutine; only dials run beside it.
type loop struct {
	race    *race
	batch   *measure.Batch
	peers   []*peer
	epoll   int
	timer   int // -1 without a pace
	dialed  chan dialed
	dials   sync.WaitGroup
	dialing int   // dials under way
	open    int   // peers that are not done
	cursor  int64 // turns of a paced race so far
	events  [loopEvents]unix.EpollEvent
}

// dialed is the end of a dial: a socket, or the reason for none.
type dialed struct {
	peer *peer
	fd   int
	in   []byte
	err  error
}

func newLoop(r *race, number int) (*loop, error) {
	l := &loop{race: r, batch: r.batches[number], timer: -1}
	for i := number; i < len(r.sessions); i += len(r.batches) {
		l.peers = append(l.peers, &peer{session: r.sessions[i], index: len(l.peers), fd: -1})
	}
	l.dialed = make(chan dialed, len(l.peers))
	var err error
	if l.epoll, err = unix.EpollCreate1(unix.EPOLL_CLOEXEC); err != nil {
		return nil, err
	}
	if r.pace == nil {
		return l, nil
	}
	if l.timer, err = unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_NONBLOCK|unix.TFD_CLOEXEC); err != nil {
		l.close()
		return nil, err
	}
	event := unix.EpollEvent{Events: unix.EPOLLIN | unix.EPOLLET, Fd: timerHandle}
	if err = unix.EpollCtl(l.epoll, unix.EPOLL_CTL_ADD, l.timer, &event); err != nil {
		l.close()
		return nil, err
	}
	return l, nil
}

// close gives back every descriptor.
func (l *loop) close() {
	for _, p := range l.peers {
		l.drop(p)
	}
	if l.timer >= 0 {
		_ = unix.Close(l.timer)
	}
	_ = unix.Close(l.epoll)
}

// run moves all peers until they are done or ctx ends.
func (l *loop) run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer func() {
		cancel()
		l.dials.Wait()
		for len(l.dialed) > 0 {
			if d := <-l.dialed; d.err == nil {
				_ = unix.Close(d.fd)
			}
		}
	}()
	l.open = len(l.peers)
	for _, p := range l.peers {
		l.dial(ctx, p)
	}
	sweep := measure.Now()
	for l.open > 0 && ctx.Err() == nil {
		n, err := l.wait()
		if err != nil {
			return err
		}
		begun := measure.Now()
		for i := range n {
			l.handle(ctx, &l.events[i])
		}
		l.takeDialed(ctx)
		l.issueDue(ctx, measure.Now())
		now := measure.Now()
		l.batch.Recorder().LoopPass(now - begun)
		if now-sweep > int64(sweepEvery) {
			sweep = now
			l.sweep(ctx, now)
		}
	}
	l.finish(ctx)
	return nil
}

// finish ends all sessions; what is in flight now is aborted.
func (l *loop) finish(ctx context.Context) {
	now := measure.Now()
	for _, p := range l.peers {
		if ctx.Err() != nil {
			p.session.abort()
		}
		p.session.finish(now)
	}
	l.batch.Flush()
}

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
		n, err := rawWrite(p.fd, s.out[p.outFrom:])
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

// socketOf takes the descriptor out of Go's poller.
func socketOf(file *os.File) (int, error) {
	defer func() { _ = file.Close() }()
	fd, err := unix.FcntlInt(file.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return -1, err
	}
	return fd, unix.SetNonblock(fd, true)
}
