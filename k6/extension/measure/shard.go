package measure

import (
	"math"
	"sync"
	"time"
)

// NoIntended stands for "no intended start": a closed-model operation.
const NoIntended = math.MinInt64

// Entry is n operations with the same times, in nanoseconds of [Now].
type Entry struct {
	Start, End int64
	Intended   int64 // or NoIntended
	Lag        int64 // schedule lag, used only with Intended
	N          int64
}

// shard is one stripe of a Recorder. The service histogram is fed through slots, one per second, so that an
// operation is recorded once and both the series and the total come out of it.
type shard struct {
	mu                      sync.Mutex
	service, response, lag  stats
	slots                   [2]slot
	acked, late, early      int64
	errors                  [numClasses]int64
	kinds                   kinds
	lateErrors, earlyErrors int64
	failedNs                int64 // from send to end, of the failures inside the window
	finished, indeterminate int64
	wrong                   int64 // failures of class Protocol, whenever they came
	firstStart, lastEnd     int64
	_                       [64]byte // keeps neighbours off the same cache line
}

// slot holds one second of the window.
type slot struct {
	second int64
	hist   hist
	count  int64
	errors int64
	max    int64
}

func (s *slot) reset(second int64) {
	s.hist.reset()
	*s = slot{second: second, hist: s.hist}
}

// add records one entry; the caller holds mu.
func (sh *shard) add(r *Recorder, e Entry) {
	sh.acked += e.N
	sh.finished += e.N
	if r.timeline != nil {
		r.timeline.add(r.startNs, e)
	}
	switch {
	case e.End < r.startNs:
		sh.early += e.N
		return
	case e.End >= r.endNs:
		sh.late += e.N
		sh.scheduled(r, e)
		return
	}
	sh.seen(e.Start, e.End)
	service := e.End - e.Start
	sh.service.sums(service, e.N)
	if s := sh.slot(r, e.End); s != nil {
		s.hist.record(service, e.N)
		s.count += e.N
		s.max = max(s.max, service)
	} else {
		sh.service.hist.record(service, e.N)
		r.series.late(r.second(e.End), e.N, 0, service)
	}
	sh.scheduled(r, e)
}

// scheduled records the response time of operations that were due by the end of the window, whenever they were answered:
// to leave out the late ones would hide exactly the slow ones. The caller holds mu.
func (sh *shard) scheduled(r *Recorder, e Entry) {
	if e.Intended == NoIntended || e.Intended >= r.endNs {
		return
	}
	sh.response.add(e.End-e.Intended, e.N)
	sh.lag.add(max(0, e.Lag), e.N)
}

// fail records a failed operation, unknown when it may have been applied; the caller holds mu.
func (sh *shard) fail(r *Recorder, start, end int64, class Class, unknown bool) {
	sh.refuse(r, start, end, class, unknown, "")
}

// refuse is fail of what the server called by a name.
func (sh *shard) refuse(r *Recorder, start, end int64, class Class, unknown bool, kind string) {
	sh.finished++
	if unknown {
		sh.indeterminate++
	}
	if class == Protocol {
		sh.wrong++
	}
	if r.timeline != nil {
		r.timeline.fail(r.startNs, end, class)
	}
	switch {
	case end < r.startNs:
		sh.earlyErrors++
		return
	case end >= r.endNs:
		sh.lateErrors++
		return
	}
	sh.seen(start, end)
	sh.errors[class]++
	sh.failedNs += end - start
	sh.kinds.add(kind, 1)
	if s := sh.slot(r, end); s != nil {
		s.errors++
	} else {
		r.series.late(r.second(end), 0, 1, 0)
	}
}

// seen widens the span of counted operations.
func (sh *shard) seen(start, end int64) {
	if sh.lastEnd == 0 {
		sh.firstStart, sh.lastEnd = start, end
		return
	}
	sh.firstStart, sh.lastEnd = min(sh.firstStart, start), max(sh.lastEnd, end)
}

// slot returns the slot of a moment inside the window, or nil when its second has been rolled away.
func (sh *shard) slot(r *Recorder, end int64) *slot {
	second := r.second(end)
	s := &sh.slots[second&1]
	if s.second == second {
		return s
	}
	if second < s.second {
		return nil
	}
	sh.roll(r, s)
	s.reset(second)
	return s
}

// roll moves a slot's content to the total and to the series.
func (sh *shard) roll(r *Recorder, s *slot) {
	if s.count == 0 && s.errors == 0 {
		return
	}
	sh.service.hist.merge(&s.hist)
	r.series.merge(s)
}

// flush rolls both slots and leaves them empty.
func (sh *shard) flush(r *Recorder) {
	for i := range sh.slots {
		s := &sh.slots[i]
		sh.roll(r, s)
		s.reset(s.second)
	}
}

// second returns the index of the second since the window's start.
func (r *Recorder) second(now int64) int64 {
	return (now - r.startNs) / int64(time.Second)
}
