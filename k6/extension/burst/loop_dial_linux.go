package burst

import (
	"context"
	"net"
	"time"

	"golang.org/x/sys/unix"

	"ladderbench/k6/extension/measure"
)

// dial makes a peer's connection beside the loop; takeDialed gets it.
func (l *loop) dial(ctx context.Context, p *peer) {
	p.outFrom, p.waiting = 0, false
	l.dialing++
	codec := p.session.codec
	l.dials.Add(1)
	go func() {
		defer l.dials.Done()
		d := dialed{peer: p, fd: -1}
		conn, in, err := dial(ctx, l.race.wire, codec)
		if err == nil {
			d.in = in
			d.fd, err = detach(conn)
		}
		if d.err = err; err != nil {
			sleep(ctx, redialPause)
		}
		l.dialed <- d
	}()
}

// detach takes the socket away from Go's poller.
func detach(conn net.Conn) (int, error) {
	file, err := conn.(*net.TCPConn).File()
	if err != nil {
		_ = conn.Close()
		return -1, err
	}
	_ = conn.Close()
	return socketOf(file)
}

// takeDialed takes over finished dials.
func (l *loop) takeDialed(ctx context.Context) {
	for len(l.dialed) > 0 {
		d := <-l.dialed
		p, now := d.peer, measure.Now()
		l.dialing--
		if d.err == nil {
			d.err = l.register(p, d.fd)
		}
		if d.err != nil {
			if ctx.Err() == nil {
				p.session.unconnected(now)
			}
			l.again(ctx, p, now)
			continue
		}
		p.session.forget(d.in)
		l.issue(ctx, p, now)
	}
}

// register puts a fresh socket under epoll.
func (l *loop) register(p *peer, fd int) error {
	event := unix.EpollEvent{Events: unix.EPOLLIN | unix.EPOLLRDHUP, Fd: int32(p.index)}
	if err := unix.EpollCtl(l.epoll, unix.EPOLL_CTL_ADD, fd, &event); err != nil {
		_ = unix.Close(fd)
		return err
	}
	p.fd = fd
	return nil
}

// wait returns how many events there are; it waits for the first one, a due operation, or maxWait.
func (l *loop) wait() (int, error) {
	if n, err := rawPoll(l.epoll, l.events[:]); n > 0 || err != 0 && err != unix.EINTR {
		return n, errnoOrNil(err)
	}
	pause := maxWait
	if len(l.dialed) > 0 {
		return 0, nil
	}
	if l.dialing > 0 {
		pause = time.Millisecond
	}
	if now := measure.Now(); l.timer >= 0 && now < l.race.until {
		rest := l.nextDue() - now
		if rest <= 0 {
			return 0, nil
		}
		if rest < int64(pause) {
			spec := unix.ItimerSpec{Value: unix.NsecToTimespec(rest)}
			if err := unix.TimerfdSettime(l.timer, 0, &spec, nil); err != nil {
				return 0, err
			}
		}
	}
	n, err := unix.EpollWait(l.epoll, l.events[:], int(pause.Milliseconds()))
	if err == unix.EINTR {
		return 0, nil
	}
	return max(0, n), err
}
