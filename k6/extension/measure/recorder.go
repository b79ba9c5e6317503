package measure

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// maxShards bounds a recorder's memory: at most about 1 MB for each shard.
const maxShards = 8

// boundsToleranceMs is how far two VUs may disagree about the bounds of one window.
const boundsToleranceMs = 1

// Recorder counts and times the operations of one (phase, op). It is safe for concurrent use.
type Recorder struct {
	op, phase      string
	startMs, endMs float64 // epoch
	startNs, endNs int64   // of Now

	shards   []shard
	series   series
	timeline *timeline // nil unless it was asked for

	timelineOnce sync.Once

	loops *LoopLog

	presentMu sync.Mutex
	present   []*presence // of the users of a phase

	doubtsMu sync.Mutex
	doubts   []Span
	carried  map[Span]*Sent // by seed and stream

	started, aborted, dropped atomic.Int64
	nextGaugeSec, nextTrendNs atomic.Int64
}

func newRecorder(op, phase string, startMs, endMs float64) *Recorder {
	return &Recorder{
		op: op, phase: phase, startMs: startMs, endMs: endMs,
		startNs: FromEpochMs(startMs), endNs: FromEpochMs(endMs),
		shards: make([]shard, min(2*runtime.GOMAXPROCS(0), maxShards)),
	}
}

// keepTimeline asks for slots of so many milliseconds; every caller asks before the window opens.
func (r *Recorder) keepTimeline(slotMs float64) error {
	if slotMs < 1 || r.openEnded() {
		return errors.New("timelineMs: at least 1, of a window that ends at a time")
	}
	r.timelineOnce.Do(func() {
		r.timeline = newTimeline(time.Duration(msToNs(slotMs)), r.endNs-r.startNs)
	})
	return nil
}

// checkBounds tells whether another caller means the same window.
func (r *Recorder) checkBounds(startMs, endMs float64) error {
	if math.Abs(startMs-r.startMs) > boundsToleranceMs || math.Abs(endMs-r.endMs) > boundsToleranceMs {
		return fmt.Errorf("window %s/%s exists with other bounds: has %.0f..%.0f, asked for %.0f..%.0f (epoch ms)",
			r.phase, r.op, r.startMs, r.endMs, startMs, endMs)
	}
	return nil
}

// StartNs returns the first moment of the window, nanoseconds of [Now].
func (r *Recorder) StartNs() int64 { return r.startNs }

// Op returns the operation's name.
func (r *Recorder) Op() string { return r.op }

// EndNs returns the first moment after the window, nanoseconds of [Now].
func (r *Recorder) EndNs() int64 { return r.endNs }

// Drop counts operations that were scheduled inside the window and never sent.
func (r *Recorder) Drop(n int64) { r.dropped.Add(n) }

// Abort counts operations that were sent and then abandoned.
func (r *Recorder) Abort(n int64) { r.aborted.Add(n) }

// total sums up the shards and rolls their open seconds.
func (r *Recorder) total() *shard {
	sum := &shard{}
	for i := range r.shards {
		sh := &r.shards[i]
		sh.mu.Lock()
		sh.flush(r)
		sum.service.merge(&sh.service)
		sum.response.merge(&sh.response)
		sum.lag.merge(&sh.lag)
		sum.addCounts(sh)
		sh.mu.Unlock()
	}
	return sum
}

func (sh *shard) addCounts(from *shard) {
	sh.acked += from.acked
	sh.late += from.late
	sh.early += from.early
	sh.lateErrors += from.lateErrors
	sh.earlyErrors += from.earlyErrors
	sh.failedNs += from.failedNs
	sh.finished += from.finished
	sh.indeterminate += from.indeterminate
	sh.wrong += from.wrong
	for class, n := range from.errors {
		sh.errors[class] += n
	}
	for kind, n := range from.kinds {
		sh.kinds.add(kind, n)
	}
	if from.lastEnd != 0 {
		sh.seen(from.firstStart, from.lastEnd)
	}
}

// unresolved returns how many operations were started and neither finished nor aborted.
func (r *Recorder) unresolved(sum *shard) int64 {
	started := r.started.Load()
	if started == 0 {
		return 0
	}
	return max(0, started-sum.finished-r.aborted.Load())
}

// elapsedSeconds returns how many seconds of the window have begun.
func (r *Recorder) elapsedSeconds(sum *shard) int64 {
	end := min(Now(), r.endNs)
	if r.openEnded() && sum.lastEnd != 0 {
		end = sum.lastEnd
	}
	if end <= r.startNs {
		return 0
	}
	return (end - r.startNs + int64(time.Second) - 1) / int64(time.Second)
}
