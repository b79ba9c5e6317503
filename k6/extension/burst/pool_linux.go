package burst

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
)

const (
	loopsVariable = "BURST_LOOPS"
	maxLoops      = 64
)

// pool holds the event loops of this process. They live as long as it does.
var pool struct {
	once  sync.Once
	loops []*loop
	err   error
}

// loops is the drive of Linux: event loops on threads of their own, shared by all virtual users.
type loops struct{}

// platformDrive returns the drive of this operating system.
func platformDrive() drive { return loops{} }

func (loops) carry(w wire, s *session, seat uint64) (carrier, error) {
	pool.once.Do(startLoops)
	if pool.err != nil {
		return nil, pool.err
	}
	return newPeer(pool.loops[seat%uint64(len(pool.loops))], w, s), nil
}

func startLoops() {
	n, err := loopCount(os.Getenv(loopsVariable), runtime.GOMAXPROCS(0))
	if err != nil {
		pool.err = err
		return
	}
	for i := range n {
		l, err := newLoop(i)
		if err != nil {
			pool.err = fmt.Errorf("event loop: %w", err)
			return
		}
		pool.loops = append(pool.loops, l)
	}
	// A busy loop never gives its place to a goroutine of its own accord: k6 keeps the places that it had.
	runtime.GOMAXPROCS(runtime.GOMAXPROCS(0) + n)
	for _, l := range pool.loops {
		go l.main()
	}
}

// loopCount reads how many loops there are to be: by default one for each CPU that this process may use.
func loopCount(asked string, cpus int) (int, error) {
	if asked == "" {
		return min(cpus, maxLoops), nil
	}
	n, err := strconv.Atoi(asked)
	if err != nil || n < 1 || n > maxLoops {
		return 0, fmt.Errorf("%s must be a number from 1 to %d, got %q", loopsVariable, maxLoops, asked)
	}
	return n, nil
}

// job is one call: some connections that work until each is done.
type job struct {
	ctx  context.Context
	left atomic.Int64
	done chan struct{}
}

// finished counts a connection off.
func (j *job) finished() {
	if j.left.Add(-1) == 0 {
		close(j.done)
	}
}

func (loops) run(ctx context.Context, carriers []carrier) {
	j := &job{ctx: ctx, done: make(chan struct{})}
	j.left.Store(int64(len(carriers)))
	for _, c := range carriers {
		p := c.(*peer)
		p.loop.post(message{kind: start, peer: p, job: j})
	}
	select {
	case <-j.done:
		return
	case <-ctx.Done():
	}
	for _, c := range carriers {
		p := c.(*peer)
		p.loop.post(message{kind: cancel, peer: p, job: j})
	}
	<-j.done
}
