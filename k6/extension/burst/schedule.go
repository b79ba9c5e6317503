package burst

import (
	"errors"
	"math"
	"sync/atomic"

	"ladderbench/k6/extension/measure"
)

// paceOptions is an open model: operation i of this stream is due at startMs + (i*of + offset) / ratePerSec.
type paceOptions struct {
	RatePerSec float64 `json:"ratePerSec"` // of all streams together
	StartMs    float64 `json:"startMs"`    // epoch
	Offset     float64 `json:"offset"`
	Of         float64 `json:"of"`
}

func (o *paceOptions) validate() error {
	if o.Of == 0 {
		o.Of = 1
	}
	switch {
	case !(o.RatePerSec > 0) || math.IsInf(o.RatePerSec, 0):
		return errors.New("pace: ratePerSec must be positive")
	case !(o.StartMs > 0):
		return errors.New("pace: startMs must be epoch milliseconds")
	case !(o.Offset >= 0) || !(o.Of >= 1) || o.Offset >= o.Of:
		return errors.New("pace: offset must be at least 0 and less than of")
	}
	return nil
}

// split returns the part of stream i of n when this schedule is dealt out in turn.
func (o paceOptions) split(i, n int) paceOptions {
	o.Offset += float64(i) * o.Of
	o.Of *= float64(n)
	return o
}

// schedule walks through the due times of one stream.
type schedule struct {
	options paceOptions
	first   int64   // due time of operation 0, of measure.Now
	step    float64 // ns between two operations of the stream
	next    int64   // index of the next operation
}

func newSchedule(o paceOptions) *schedule {
	start := measure.FromEpochMs(o.StartMs)
	return &schedule{
		options: o,
		first:   start + int64(o.Offset/o.RatePerSec*1e9),
		step:    o.Of / o.RatePerSec * 1e9,
	}
}

// due returns when the next operation is due.
func (s *schedule) due() int64 { return s.first + int64(float64(s.next)*s.step) }

// skipTo passes over all operations due before end and calls skipped with each due time from a moment on.
func (s *schedule) skipTo(from, end int64, skipped func(due int64)) {
	for until := s.indexAt(end); s.next < until; s.next++ {
		if due := s.due(); due >= from {
			skipped(due)
		}
	}
}

// indexAt returns the index of the first operation due at a moment or later.
func (s *schedule) indexAt(moment int64) int64 {
	if moment <= s.first {
		return 0
	}
	return int64(math.Ceil(float64(moment-s.first) / s.step))
}

// budget is how many operations may still be issued; shared by the connections of a drive, or by all users of a phase.
type budget struct {
	left  atomic.Int64
	phase *measure.Phase // in place of left
}

func newBudget(n int64) *budget {
	b := &budget{}
	b.left.Store(n)
	return b
}

// take returns how many of n operations may be issued.
func (b *budget) take(n int64) int64 {
	if b.phase != nil {
		_, taken := b.phase.Take(n, n)
		return taken
	}
	left := b.left.Add(-n)
	if left >= 0 {
		return n
	}
	return max(0, n+left)
}

func (b *budget) empty() bool {
	if b.phase != nil {
		return b.phase.Left() == 0
	}
	return b.left.Load() <= 0
}
