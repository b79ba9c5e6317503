package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"sync/atomic"
	"time"
)

// env is what all connections share: the modes and their state.
type env struct {
	opts    *options
	store   *store // nil in null mode
	start   time.Time
	stopped chan struct{} // closed when the server stops; wakes sleepers
	log     io.Writer
	exit    func(code int)

	news []byte // frames for all connections that follow, of this pass of the only loop

	setBytes atomic.Int64 // null mode: how large the last value of a SET was

	plain    bool // no mode needs to see single requests: the fast path
	requests atomic.Uint64
}

func newEnv(opts *options, log io.Writer) *env {
	e := &env{opts: opts, start: time.Now(), stopped: make(chan struct{}), log: log, exit: os.Exit}
	e.plain = opts.delay == nil && opts.dieAfter == 0 && opts.spin == 0 && opts.cost == 0
	if opts.counting {
		e.store = newStore(opts.dropEvery, opts.wrongEvery)
	}
	return e
}

// ones is what null mode answers to a GET.
var ones = bytes.Repeat([]byte{'1'}, 64<<10)

// measured notes the size of a value: a GET answers with as much, so that it is a reference for large values too.
func (e *env) measured(size int) {
	if n := int64(min(size, len(ones))); e.setBytes.Load() != n {
		e.setBytes.Store(n)
	}
}

// constant is the value of every key in null mode: 1, as long as the last value that was set.
func (e *env) constant() []byte { return ones[:max(1, e.setBytes.Load())] }

// uptime is the time since the start, to the millisecond, for log lines.
func (e *env) uptime() time.Duration { return time.Since(e.start).Round(time.Millisecond) }

// loading reports whether --not-ready still holds.
func (e *env) loading() bool {
	return e.opts.notReady > 0 && time.Since(e.start) < e.opts.notReady
}

// done is called after each request, with its reply at the end of o.
func (e *env) done(o *outbox) {
	if !e.plain {
		e.doneSlow(o)
	}
}

func (e *env) doneSlow(o *outbox) {
	if n := e.requests.Add(1); n == e.opts.dieAfter {
		fmt.Fprintf(e.log, "null: died on purpose at request %d after %s\n", n, e.uptime())
		e.exit(exitDied)
	}
	for until := time.Now().Add(e.opts.spin); e.opts.spin > 0 && time.Now().Before(until); {
	}
	if d := e.opts.delay; d != nil {
		o.mark(time.Now().Add(d.draw()))
	}
}

// hold returns at the end of the current pause, if there is one, or when the server stops.
func (e *env) hold() {
	if e.opts.pause == nil {
		return
	}
	if left := e.opts.pause.remaining(time.Since(e.start)); left > 0 {
		e.sleep(left)
	}
}

// sleep waits for d; it returns false when the server stops first.
func (e *env) sleep(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-e.stopped:
		return false
	}
}

func (e *env) isStopped() bool {
	select {
	case <-e.stopped:
		return true
	default:
		return false
	}
}
