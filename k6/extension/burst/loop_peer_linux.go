package burst

import (
	"net"
	"os"

	"golang.org/x/sys/unix"

	"ladderbench/k6/extension/measure"
)

// peer is one connection of a loop: a session on a raw non-blocking socket. The virtual user that it belongs to
// touches it only while it has no job.
type peer struct {
	loop    *loop
	wire    wire
	session *session
	stale   bool // the connection cannot be handed to the session

	// Of the loop's thread.
	fd       int // -1 while there is no connection
	job      *job
	book     *book // of the job
	at       int   // in loop.active
	dialing  bool
	canceled bool // while dialing
	blocked  bool // the socket takes no more bytes
	unread   bool // something came while there was no job
	pings    bool // what comes next, while there is no job, begins with a frame of WebSocket
	outFrom  int
	wakeAt   int64
	timer    int // in loop.timers, -1 when it is not there
}

func newPeer(l *loop, w wire, s *session) *peer {
	return &peer{loop: l, wire: w, session: s, fd: -1, wakeAt: never, timer: -1}
}

func (p *peer) use(s *session) {
	if old := p.session; old != s && old.unfinished() {
		p.stale = true
	}
	s.follow(p.session)
	p.session = s
}

func (p *peer) close() { p.loop.post(message{kind: leave, peer: p}) }

// start begins a peer's job.
func (l *loop) start(p *peer, j *job) {
	p.job, p.at, p.canceled = j, len(l.active), false
	l.active = append(l.active, p)
	s := p.session
	l.account(p)
	if every := max(leastSweep, s.timeout/8); len(l.active) == 1 || every < l.every {
		l.every = min(sweepEvery, every)
		l.sweepAt = l.now + l.every
	}
	l.next = min(l.next, l.sweepAt, l.nextMark())
	if p.stale {
		p.stale = false
		l.drop(p)
	}
	now := measure.Now()
	l.now = now
	switch {
	case j.ctx.Err() != nil:
		l.abort(p)
	case s.done(now):
		l.finish(p, now)
	case p.fd < 0:
		l.connect(p)
	case p.unread:
		p.unread = false
		l.read(p, true) // to the last byte, since what comes later is told again
	default:
		l.issue(p, now)
	}
}

// cancel interrupts a peer's job. Who is connecting meanwhile hears of it by the job's context, and ends then.
func (l *loop) cancel(p *peer, j *job) {
	switch {
	case p.job != j:
	case p.dialing:
		p.canceled = true
	default:
		l.abort(p)
	}
}

// abort ends a peer's job; what is in flight is indeterminate.
func (l *loop) abort(p *peer) {
	p.session.abort()
	l.drop(p)
	l.finish(p, measure.Now())
}

// finish takes a peer out of its job. From here on the session belongs to the virtual user again.
func (l *loop) finish(p *peer, now int64) {
	s, j := p.session, p.job
	if p.blocked {
		l.drop(p) // half a request is in it
		s.out = nil
	}
	_, p.pings = s.codec.(*wsCodec)
	p.pings = p.pings && !s.unfinished()
	s.finish(now)
	l.timers.set(p, never)
	last := len(l.active) - 1
	l.active[p.at] = l.active[last]
	l.active[p.at].at = p.at
	l.active[last] = nil
	l.active = l.active[:last]
	p.job = nil
	p.book.active--
	if p.book.active == 0 && s.batch.Recorder().OpenEnded() && s.budget.empty() {
		l.mark(p.book, now, now)
	}
	j.finished()
}

// connect makes a peer's connection beside the loop; connected gets it.
func (l *loop) connect(p *peer) {
	p.dialing = true
	l.timers.set(p, never)
	ctx, codec := p.job.ctx, p.session.codec
	go func() {
		m := message{kind: dialed, peer: p, fd: -1}
		conn, in, err := dial(ctx, p.wire, codec)
		if err == nil {
			m.in = in
			m.fd, err = detach(conn)
		}
		m.err = err
		l.post(m)
	}()
}

// connected takes over a finished dial.
func (l *loop) connected(m message) {
	p := m.peer
	s := p.session
	p.dialing = false
	l.now = measure.Now()
	if m.err == nil {
		m.err = l.register(p, m.fd)
	}
	switch {
	case p.canceled || p.job.ctx.Err() != nil:
		l.abort(p)
	case m.err == nil:
		s.forget(m.in)
		l.issue(p, l.now)
	default:
		s.unconnected(l.now)
		if s.done(l.now) {
			l.finish(p, l.now)
			return
		}
		l.timers.set(p, l.now+int64(redialPause))
		l.next = min(l.next, p.wakeAt)
	}
}

// ring is what a peer's time has come for: a due operation, or another attempt to connect.
func (l *loop) ring(p *peer, now int64) {
	switch {
	case p.fd >= 0:
		l.issue(p, now)
		if p.timer >= 0 && p.wakeAt <= now {
			// Its due time has passed and nothing could be sent: the operations are spent, and the sweep ends it.
			l.timers.set(p, never)
		}
	case p.session.done(now):
		l.finish(p, now)
	default:
		l.connect(p)
	}
}

// register puts a fresh socket under epoll.
func (l *loop) register(p *peer, fd int) error {
	event := unix.EpollEvent{Events: interest, Fd: int32(fd)}
	if err := unix.EpollCtl(l.epoll, unix.EPOLL_CTL_ADD, fd, &event); err != nil {
		_ = unix.Close(fd)
		return err
	}
	for fd >= len(l.byFD) {
		l.byFD = append(l.byFD, make([]*peer, fd+64)...)
	}
	l.byFD[fd] = p
	p.fd = fd
	return nil
}

// detach takes the socket away from Go's poller.
func detach(conn net.Conn) (int, error) {
	file, err := conn.(*net.TCPConn).File()
	_ = conn.Close()
	if err != nil {
		return -1, err
	}
	return socketOf(file)
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
