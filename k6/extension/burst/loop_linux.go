package burst

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"ladderbench/k6/extension/measure"
)

const (
	loopEvents = 128
	loopBuffer = 64 << 10
	// sweepEvery is the time between two looks at time-outs, at most; an eighth of a shorter time-out.
	sweepEvery = int64(100 * time.Millisecond)
	leastSweep = int64(time.Millisecond)
	// nearly is a wait so short that to sleep costs more than to look again.
	nearly = int64(5 * time.Microsecond)
)

// loop moves the connections that it was given by epoll, on a thread of its own. All but the inbox belongs to that
// thread. A loop never waits for anything but its connections: connecting is done beside it.
type loop struct {
	number  int
	epoll   int
	bell    int // eventfd that wakes it
	byFD    []*peer
	active  []*peer // with a job
	timers  timers
	next    int64 // the first moment at which there is something to do without an event
	sweepAt int64
	every   int64 // between two sweeps
	books   []*book
	info    measure.LoopInfo
	stats   threadStats
	longest int64 // ns of a pass, since the mark before
	now     int64 // the last look at the clock
	buffer  []byte
	scratch []byte // what is about to be sent
	events  [loopEvents]unix.EpollEvent

	mu     sync.Mutex
	inbox  []message
	posted atomic.Bool
	asleep atomic.Bool
}

type messageKind uint8

const (
	start  messageKind = iota // the peer has work
	cancel                    // its work is interrupted
	leave                     // its connection is needed no more
	dialed                    // its connection was made, or not
)

// message asks a loop for something.
type message struct {
	kind messageKind
	peer *peer
	job  *job
	fd   int // dialed: -1 with an error
	in   []byte
	err  error
}

func newLoop(number int) (*loop, error) {
	l := &loop{number: number, buffer: make([]byte, loopBuffer), next: never, every: sweepEvery}
	var err error
	if l.epoll, err = unix.EpollCreate1(unix.EPOLL_CLOEXEC); err != nil {
		return nil, err
	}
	if l.bell, err = unix.Eventfd(0, unix.EFD_NONBLOCK|unix.EFD_CLOEXEC); err != nil {
		return nil, err
	}
	event := unix.EpollEvent{Events: unix.EPOLLIN | edge, Fd: int32(l.bell)}
	return l, unix.EpollCtl(l.epoll, unix.EPOLL_CTL_ADD, l.bell, &event)
}

// post hands a message over and wakes the loop when it sleeps.
func (l *loop) post(m message) {
	l.mu.Lock()
	l.inbox = append(l.inbox, m)
	l.mu.Unlock()
	l.posted.Store(true)
	if l.asleep.Load() {
		_, _ = rawWrite(l.bell, []byte{1, 0, 0, 0, 0, 0, 0, 0})
	}
}

// main runs for as long as the process does.
func (l *loop) main() {
	runtime.LockOSThread()
	l.info = threadInfo(l.number)
	l.stats.open(l.info.TID)
	// By default the kernel may wake a thread 50 us late.
	_ = unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0)
	for {
		n, err := l.wait()
		if err != nil {
			panic(fmt.Sprintf("burst: event loop: %v", err))
		}
		begun := measure.Now()
		l.now = begun
		for i := range n {
			l.handle(&l.events[i])
			if l.now >= l.next {
				l.due()
			}
		}
		if l.posted.Load() {
			l.readInbox()
		}
		if l.now = measure.Now(); l.now >= l.next {
			l.due()
		}
		l.longest = max(l.longest, l.now-begun)
	}
}

// wait returns how many events there are; it waits for the first one, for a message, or until something is due.
func (l *loop) wait() (int, error) {
	if n, err := rawPoll(l.epoll, l.events[:]); n > 0 || err != 0 && err != unix.EINTR {
		return n, errnoOrNil(err)
	}
	rest := int64(-1)
	if l.next != never {
		if rest = l.next - measure.Now(); rest <= nearly {
			return 0, nil
		}
	}
	l.asleep.Store(true)
	defer l.asleep.Store(false)
	if l.posted.Load() {
		return 0, nil
	}
	n, err := pollFor(l.epoll, l.events[:], rest)
	if err == unix.EINTR {
		return 0, nil
	}
	return max(0, n), err
}

func errnoOrNil(err unix.Errno) error {
	if err == 0 {
		return nil
	}
	return err
}

// readInbox does what was asked for.
func (l *loop) readInbox() {
	l.posted.Store(false)
	l.mu.Lock()
	inbox := l.inbox
	l.inbox = nil
	l.mu.Unlock()
	l.now = measure.Now()
	for _, m := range inbox {
		switch m.kind {
		case start:
			l.start(m.peer, m.job)
		case cancel:
			l.cancel(m.peer, m.job)
		case leave:
			l.drop(m.peer)
		case dialed:
			l.connected(m)
		}
	}
}

// due does what its time has come for: marks, due operations, another attempt to connect, and the sweep.
func (l *loop) due() {
	now := l.now
	l.markDue(now)
	for len(l.timers) > 0 && l.timers[0].wakeAt <= now {
		l.ring(l.timers[0], now)
	}
	if len(l.active) > 0 && now >= l.sweepAt {
		l.sweep(now)
	}
	l.plan()
}

// plan notes when something is due next.
func (l *loop) plan() {
	l.next = l.nextMark()
	if len(l.timers) > 0 {
		l.next = min(l.next, l.timers[0].wakeAt)
	}
	if len(l.active) > 0 {
		l.next = min(l.next, l.sweepAt)
	}
}

// sweep times out overdue operations, and ends what is done without an answer that would show it.
func (l *loop) sweep(now int64) {
	l.every = sweepEvery
	for i := len(l.active) - 1; i >= 0; i-- { // those that are done leave
		p := l.active[i]
		s := p.session
		switch {
		case p.fd < 0:
		case s.overdue(now):
			s.lose(measure.Timeout, now)
			l.again(p, now)
		case s.done(now):
			l.finish(p, now)
		}
		l.every = min(l.every, max(leastSweep, s.timeout/8))
	}
	for _, b := range l.books {
		b.refresh()
	}
	l.sweepAt = now + l.every
}
