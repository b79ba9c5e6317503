package measure

import (
	"math"
	"sync"
	"time"
)

// timelineGrowth is the ratio of two neighbouring bounds of a timeline's buckets, and timelineLeastMs the first bound.
const (
	timelineGrowth  = 1.05
	timelineLeastMs = 0.01
	timelineBuckets = 340 // the last one begins beyond two minutes
)

// timeline keeps short slots of one window, from which recovery from a fault is read off. Response times stand at the
// moment that the schedule asked for, errors at the moment that they were known, and the first acknowledgement at the
// moment that its operation was sent.
type timeline struct {
	mu     sync.Mutex
	slotNs int64
	slots  []timelineSlot
}

type timelineSlot struct {
	buckets    [timelineBuckets]uint32
	due        int64
	errors     [numClasses]int64
	firstAckNs int64 // 0: nothing that was sent here was acknowledged
}

func newTimeline(slot time.Duration, lengthNs int64) *timeline {
	n := (lengthNs + int64(slot) - 1) / int64(slot)
	return &timeline{slotNs: int64(slot), slots: make([]timelineSlot, n)}
}

// at returns the slot of a moment since the window's start, nil outside of it.
func (t *timeline) at(ns int64) *timelineSlot {
	if i := ns / t.slotNs; ns >= 0 && i < int64(len(t.slots)) {
		return &t.slots[i]
	}
	return nil
}

// add takes acknowledged operations.
func (t *timeline) add(startNs int64, e Entry) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if s := t.at(e.Start - startNs); s != nil && (s.firstAckNs == 0 || e.End < s.firstAckNs) {
		s.firstAckNs = e.End
	}
	due := e.Intended
	if due == NoIntended {
		due = e.Start
	}
	if s := t.at(due - startNs); s != nil {
		s.buckets[timelineBucket(e.End-due)] += uint32(e.N)
		s.due += e.N
	}
}

// fail takes a failed operation.
func (t *timeline) fail(startNs, end int64, class Class) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if s := t.at(end - startNs); s != nil {
		s.errors[class]++
	}
}

func timelineBucket(ns int64) int {
	ms := nsToMs(ns)
	if ms <= timelineLeastMs {
		return 0
	}
	return min(timelineBuckets-1, 1+int(math.Log(ms/timelineLeastMs)/math.Log(timelineGrowth)))
}

type timelineExport struct {
	SlotMs  float64              `json:"slotMs"`
	LeastMs float64              `json:"leastMs"`
	Growth  float64              `json:"growth"`
	Slots   []timelineSlotExport `json:"slots"`
}

type timelineSlotExport struct {
	Acked      int64            `json:"acked"`
	Buckets    [][2]int64       `json:"buckets"`
	Errors     map[string]int64 `json:"errors,omitempty"`
	FirstAckMs *float64         `json:"firstAckMs,omitempty"` // epoch
}

func (t *timeline) export() *timelineExport {
	if t == nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	out := &timelineExport{
		SlotMs: nsToMs(t.slotNs), LeastMs: timelineLeastMs, Growth: timelineGrowth,
		Slots: make([]timelineSlotExport, len(t.slots)),
	}
	for i := range t.slots {
		s, o := &t.slots[i], &out.Slots[i]
		o.Acked, o.Buckets = s.due, [][2]int64{}
		for bucket, n := range s.buckets {
			if n > 0 {
				o.Buckets = append(o.Buckets, [2]int64{int64(bucket), int64(n)})
			}
		}
		for class, n := range s.errors {
			if n > 0 {
				if o.Errors == nil {
					o.Errors = make(map[string]int64)
				}
				o.Errors[Class(class).String()] = n
			}
		}
		if s.firstAckNs != 0 {
			o.FirstAckMs = ptr(EpochMs(s.firstAckNs))
		}
	}
	return out
}
