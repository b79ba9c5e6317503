package burst

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"time"

	"ladderbench/k6/extension/measure"
)

// idleCheck is how long a connection may rest before it is looked at for a close by the server.
const idleCheck = int64(500 * time.Millisecond)

// link is a session on a blocking connection, moved by a goroutine of its own: the drive where there is no epoll.
type link struct {
	wire     wire
	session  *session
	buffer   []byte
	conn     net.Conn
	deadline int64 // read deadline that the connection has, of measure.Now
	lastUsed int64
}

func newLink(w wire, s *session) *link {
	return &link{wire: w, session: s, buffer: make([]byte, readBytes)}
}

// close ends the connection; the link dials again when it is needed.
func (l *link) close() {
	if l.conn != nil {
		_ = l.conn.Close()
		l.conn = nil
	}
}

// use gives the link another session. A connection with half a message in it cannot be handed on.
func (l *link) use(s *session) {
	if old := l.session; old != s && old.unfinished() {
		l.close()
	}
	s.follow(l.session)
	l.session = s
}

// run moves the session until it is done or ctx ends. session.begin comes before it.
func (l *link) run(ctx context.Context) {
	s := l.session
	stop := func() bool { return true } // ends the watch that kicks the connection when ctx ends
	var kicked net.Conn
	defer func() { stop() }()
	for ctx.Err() == nil && !s.done(measure.Now()) {
		if l.conn == nil && !l.connect(ctx) {
			continue
		}
		if conn := l.conn; conn != kicked {
			stop()
			stop = context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })
			kicked, l.deadline = conn, 0
		}
		l.step(ctx)
	}
	if ctx.Err() != nil {
		s.abort()
		l.close()
	}
	s.finish(measure.Now())
}

// connect makes the connection, or counts the operation that wanted it as failed.
func (l *link) connect(ctx context.Context) bool {
	s := l.session
	if wake := s.wake(); s.pace != nil && wake != never && wake > measure.Now() {
		sleepUntil(ctx, wake)
		return false
	}
	conn, in, err := dial(ctx, l.wire, s.codec)
	if err != nil {
		if ctx.Err() == nil {
			s.unconnected(measure.Now())
			sleep(ctx, redialPause)
		}
		return false
	}
	s.forget(in)
	l.conn, l.lastUsed = conn, measure.Now()
	return true
}

// step sends what may be sent, then waits for replies or for the next due operation.
func (l *link) step(ctx context.Context) {
	s := l.session
	now := measure.Now()
	if s.inflight == 0 && !s.listening && now-l.lastUsed > idleCheck && !fresh(l.conn.(*net.TCPConn)) {
		l.close()
		return
	}
	s.issue(now)
	if len(s.out) > 0 && !l.write(ctx, now) {
		return
	}
	if s.inflight == 0 && !s.listening {
		// Nothing to wait for means that the call's time ran out since it was looked at: the caller sees that it is done.
		if wake := s.wake(); wake != never {
			sleepUntil(ctx, wake)
		}
		return
	}
	l.read(ctx)
}

// write sends everything in out.
func (l *link) write(ctx context.Context, now int64) bool {
	s := l.session
	if err := l.extend(ctx, now+s.timeout); err != nil {
		return false
	}
	n, err := l.conn.Write(s.out[:l.wire.chunk(0, len(s.out))])
	if err == nil && n < len(s.out) {
		var rest int
		rest, err = l.conn.Write(s.out[n:])
		n += rest
	}
	s.batch.Traffic(int64(n), 0)
	s.out = s.out[:0]
	l.lastUsed = now
	if err == nil {
		return true
	}
	if ctx.Err() == nil {
		s.lose(classOf(err), measure.Now())
		l.close()
	}
	return false
}

// read waits for bytes until the next due operation or the time-out of the oldest one.
func (l *link) read(ctx context.Context) {
	s := l.session
	limit := s.wake()
	if s.inflight > 0 {
		limit = min(limit, s.groups[s.head].start+s.timeout)
	}
	if err := l.extend(ctx, limit); err != nil {
		return
	}
	n, err := l.conn.Read(l.buffer)
	now := measure.Now()
	if n > 0 {
		l.lastUsed = now
		before := s.answered()
		if !s.received(l.buffer[:n], now) {
			l.close()
		}
		l.wire.hold(s.answered() - before)
		return
	}
	switch {
	case ctx.Err() != nil:
	case errors.Is(err, os.ErrDeadlineExceeded):
		l.deadline = -1
		if s.overdue(now) {
			s.lose(measure.Timeout, now)
			l.close()
		}
	case err != nil:
		s.lose(classOf(err), now)
		l.close()
	}
}

// extend sets the connection's deadline to a moment, but only when the one it has is later or much earlier: setting
// it costs more than a short read.
func (l *link) extend(ctx context.Context, to int64) error {
	if l.deadline > 0 && l.deadline <= to && to-l.deadline < l.session.timeout/8 {
		return ctx.Err()
	}
	l.deadline = to
	if err := l.conn.SetDeadline(time.Now().Add(time.Duration(to - measure.Now()))); err != nil {
		return err
	}
	return ctx.Err() // after setting it, so that a kick in between is not lost
}

// classOf sorts an I/O error.
func classOf(err error) measure.Class {
	var timeout interface{ Timeout() bool }
	switch {
	case errors.Is(err, io.EOF):
		return measure.Connect
	case errors.As(err, &timeout) && timeout.Timeout():
		return measure.Timeout
	}
	return measure.Connect
}
