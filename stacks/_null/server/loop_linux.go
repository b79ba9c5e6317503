package main

import (
	"os"
	"sync"
	"syscall"
	"time"
)

// loop is one event loop: an epoll instance and the connections it alone touches.
type loop struct {
	engine *epollEngine
	env    *env
	ep     int
	timer  *loopTimer // nil without --delay
	pipe   [2]int     // wakes the loop: new connections, or the end
	conns  []*conn    // by file descriptor
	doors  map[int]door
	buf    []byte // every read of the loop lands here first

	mu    sync.Mutex
	inbox []*conn // accepted by the first loop for this one
}

// door is a listening socket. The file keeps its descriptor open.
type door struct {
	proto protocol
	file  *os.File
}

func newLoop(g *epollEngine) (*loop, error) {
	l := &loop{engine: g, env: g.env, ep: -1, pipe: [2]int{-1, -1}, doors: map[int]door{}, buf: make([]byte, readSize)}
	err := l.open()
	if err != nil {
		l.close()
		return nil, err
	}
	return l, nil
}

func (l *loop) open() (err error) {
	if l.ep, err = syscall.EpollCreate1(syscall.EPOLL_CLOEXEC); err != nil {
		return os.NewSyscallError("epoll_create1", err)
	}
	if err = syscall.Pipe2(l.pipe[:], syscall.O_NONBLOCK|syscall.O_CLOEXEC); err != nil {
		return os.NewSyscallError("pipe2", err)
	}
	if err = l.watch(l.pipe[0]); err != nil || l.env.opts.delay == nil {
		return err
	}
	if l.timer, err = newLoopTimer(); err != nil {
		return err
	}
	return l.watch(l.timer.fd)
}

// watch reports readable bytes on fd for good.
func (l *loop) watch(fd int) error {
	ev := syscall.EpollEvent{Events: syscall.EPOLLIN, Fd: int32(fd)}
	return os.NewSyscallError("epoll_ctl", syscall.EpollCtl(l.ep, syscall.EPOLL_CTL_ADD, fd, &ev))
}

func (l *loop) listen(end endpoint) error {
	file, err := takeListener(end)
	if err != nil {
		return err
	}
	fd := int(file.Fd())
	l.doors[fd] = door{end.proto, file}
	if err := syscall.SetNonblock(fd, true); err != nil {
		return os.NewSyscallError("fcntl", err)
	}
	return l.watch(fd)
}

// run handles events until the server stops.
func (l *loop) run() {
	events := make([]syscall.EpollEvent, 256)
	bill := newBill(l.env)
	for !l.env.isStopped() {
		n := rawEpollWait(l.ep, events)
		if n == 0 {
			// Nothing waits: only now is a call worth its price that lets the Go scheduler know.
			var err error
			if n, err = syscall.EpollWait(l.ep, events, -1); err != nil {
				continue // EINTR; nothing else can happen to a valid epoll descriptor
			}
		}
		l.env.hold()
		for i := range events[:n] {
			l.handle(int(events[i].Fd), events[i].Events)
		}
		l.spread()
		bill.pay()
	}
	for _, c := range l.conns {
		if c != nil {
			l.drop(c)
		}
	}
}

func (l *loop) handle(fd int, events uint32) {
	if fd < len(l.conns) && l.conns[fd] != nil {
		l.ready(l.conns[fd], events)
		return
	}
	if fd == l.pipe[0] {
		rawRead(fd, l.buf)
		l.adopt()
		return
	}
	if l.timer != nil && fd == l.timer.fd {
		l.expire()
		return
	}
	if d, ok := l.doors[fd]; ok {
		l.accept(fd, d.proto)
	}
}

// accept takes all waiting connections and deals them out.
func (l *loop) accept(door int, proto protocol) {
	for {
		fd, _, err := syscall.Accept4(door, syscall.SOCK_NONBLOCK|syscall.SOCK_CLOEXEC)
		switch err {
		case nil:
		case syscall.EMFILE, syscall.ENFILE:
			l.env.sleep(10 * time.Millisecond) // let some end, instead of spinning on the door
			return
		case syscall.EINTR, syscall.ECONNABORTED:
			continue
		default:
			return
		}
		// Without it a reply would wait for the client's delayed ACK of the one before.
		_ = syscall.SetsockoptInt(fd, syscall.IPPROTO_TCP, syscall.TCP_NODELAY, 1)
		c := &conn{fd: fd, peer: peer{sess: newSession(proto, l.env)}}
		if to := l.engine.pick(); to != l {
			to.post(c)
		} else {
			l.add(c)
		}
	}
}

// post hands a connection to this loop from another one.
func (l *loop) post(c *conn) {
	l.mu.Lock()
	l.inbox = append(l.inbox, c)
	l.mu.Unlock()
	l.wake()
}

// adopt takes over the connections that were posted.
func (l *loop) adopt() {
	l.mu.Lock()
	conns := l.inbox
	l.inbox = nil
	l.mu.Unlock()
	for _, c := range conns {
		l.add(c)
	}
}

func (l *loop) add(c *conn) {
	for c.fd >= len(l.conns) {
		l.conns = append(l.conns, nil)
	}
	if l.watch(c.fd) != nil {
		syscall.Close(c.fd)
		return
	}
	c.interest = syscall.EPOLLIN
	l.conns[c.fd] = c
}

// drop ends a connection at once.
func (l *loop) drop(c *conn) {
	l.conns[c.fd] = nil
	c.gone = true
	syscall.Close(c.fd)
}

func (l *loop) wake() { rawWrite(l.pipe[1], []byte{0}) }

// close frees the loop's own descriptors; it does not run any more.
func (l *loop) close() {
	for _, c := range l.inbox {
		syscall.Close(c.fd)
	}
	for _, d := range l.doors {
		d.file.Close()
	}
	if l.timer != nil {
		l.timer.close()
	}
	for _, fd := range []int{l.pipe[0], l.pipe[1], l.ep} {
		if fd >= 0 {
			syscall.Close(fd)
		}
	}
}
