package main

import "syscall"

// conn is one connection of an event loop.
type conn struct {
	peer
	fd       int
	interest uint32 // epoll events asked for
	full     bool   // the session stopped because the outbox is full
	closing  bool   // no more input: close when the outbox is empty
	gone     bool   // closed; a timer may still hold it
	timed    bool   // in the loop's timer
}

// ready handles the events of one connection.
func (l *loop) ready(c *conn, events uint32) {
	if events&syscall.EPOLLIN != 0 && c.interest&syscall.EPOLLIN != 0 {
		l.read(c)
	} else if events&(syscall.EPOLLERR|syscall.EPOLLHUP) != 0 {
		l.drop(c) // reset: nobody is there to take the replies
		return
	}
	if !c.gone {
		l.flush(c)
	}
}

// read takes what has arrived and answers it into the outbox.
func (l *loop) read(c *conn) {
	n, errno := rawReceive(c.fd, l.buf)
	switch {
	case errno == syscall.EAGAIN || errno == syscall.EINTR:
	case errno != 0:
		l.drop(c)
	case n == 0:
		c.closing = true // a client may end its side first and still want its replies
	default:
		l.feed(c, l.buf[:n])
	}
}

func (l *loop) feed(c *conn, data []byte) {
	st := c.peer.feed(data)
	c.full = st == statusFull
	c.closing = st == statusClose
}

// flush sends what may leave, and sees to what the connection waits for next.
func (l *loop) flush(c *conn) {
	blocked := false
	for !blocked {
		chunk := c.out.sendable()
		if len(chunk) == 0 {
			if c.out.pending() > 0 || !c.full {
				break
			}
			l.feed(c, nil) // room again: the rest is kept in c.in
			continue
		}
		n, errno := rawSend(c.fd, chunk)
		switch errno {
		case 0:
			c.out.advance(n)
		case syscall.EAGAIN:
			blocked = true
		case syscall.EINTR:
		default:
			l.drop(c)
			return
		}
	}
	if c.out.pending() == 0 && c.closing {
		l.drain(c)
		l.drop(c)
		return
	}
	l.want(c, blocked)
	if !blocked && c.out.pending() > 0 && !c.timed {
		l.timer.add(c)
	}
}

// want asks epoll for what the connection can use now.
func (l *loop) want(c *conn, blocked bool) {
	interest := uint32(0)
	if !c.closing && !c.full {
		interest |= syscall.EPOLLIN
	}
	if blocked {
		interest |= syscall.EPOLLOUT
	}
	if interest == c.interest {
		return
	}
	ev := syscall.EpollEvent{Events: interest, Fd: int32(c.fd)}
	if syscall.EpollCtl(l.ep, syscall.EPOLL_CTL_MOD, c.fd, &ev) != nil {
		l.drop(c)
		return
	}
	c.interest = interest
}

// drain reads and forgets what has arrived meanwhile: closing with unread bytes
// sends a reset, which can overtake the reply that says why.
func (l *loop) drain(c *conn) {
	for range 16 {
		if n, errno := rawReceive(c.fd, l.buf); n <= 0 || errno != 0 {
			return
		}
	}
}

// expire sends the delayed replies that are due.
func (l *loop) expire() {
	for _, c := range l.timer.expired() {
		if !c.gone {
			l.flush(c)
		}
	}
	l.timer.arm()
}
