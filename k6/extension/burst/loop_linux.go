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

// socketOf takes the descriptor out of Go's poller.
func socketOf(file *os.File) (int, error) {
	defer func() { _ = file.Close() }()
	fd, err := unix.FcntlInt(file.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return -1, err
	}
	return fd, unix.SetNonblock(fd, true)
}
