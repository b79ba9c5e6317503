package measure

import (
	"encoding/json"
	"fmt"
	"sort"
	"sync"
)

// Store holds the recorders and notes of one k6 process.
type Store struct {
	mu        sync.Mutex
	recorders map[key]*Recorder
	phases    map[key]*Phase
	notes     map[string]json.RawMessage
	usage     usage
	loops     LoopLog
}

type key struct{ phase, op string }

// Total is what an oracle reconciles: acked <= stored <= acked + indeterminate.
type Total struct {
	Acked         int64
	Indeterminate int64
	Wrong         int64 // answers that were not what was expected, before and after the windows, too
	Failed        int64 // of all classes, what was wrong and what may have been done among them

	Sent    []Sent // the ids that operations carried, where they carried any
	Doubted []Span // the ids that indeterminate operations carried, where they carried any
}

// NewStore returns an empty store.
func NewStore() *Store {
	return &Store{
		recorders: make(map[key]*Recorder), phases: make(map[key]*Phase), notes: make(map[string]json.RawMessage),
	}
}

// Recorder returns the recorder of (phase, op), making it at the first call. Bounds are epoch ms.
func (s *Store) Recorder(op, phase string, startMs, endMs float64) (*Recorder, error) {
	if op == "" || phase == "" {
		return nil, fmt.Errorf("a window needs op and phase, got op %q and phase %q", op, phase)
	}
	if !(endMs > startMs) {
		return nil, fmt.Errorf("window %s/%s must end after it starts: %v..%v (epoch ms)", phase, op, startMs, endMs)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	k := key{phase, op}
	if r := s.recorders[k]; r != nil {
		return r, r.checkBounds(startMs, endMs)
	}
	r := newRecorder(op, phase, startMs, endMs)
	s.keep(k, r)
	return r, nil
}

// keep adds a recorder; the caller holds the lock. From the first one on, CPU time is kept with them, and loops note
// themselves at the begin and the end of each.
func (s *Store) keep(k key, r *Recorder) {
	s.recorders[k] = r
	r.loops = &s.loops
	s.loops.Ask(r.startNs)
	s.loops.Ask(r.endNs)
	s.usage.begin()
}

// Note keeps a JSON value for the export; the last value of a name wins.
func (s *Store) Note(name string, value json.RawMessage) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.notes[name] = value
}

// Totals sums up all phases by operation.
func (s *Store) Totals() map[string]Total {
	totals := make(map[string]Total)
	for _, r := range s.sorted() {
		sum := r.total()
		t := totals[r.op]
		t.Acked += sum.acked
		t.Wrong += sum.wrong
		t.Failed += sum.earlyErrors + sum.lateErrors
		for _, n := range sum.errors {
			t.Failed += n
		}
		t.Indeterminate += sum.indeterminate + r.aborted.Load() + r.unresolved(sum)
		t.Sent = append(t.Sent, r.sent()...)
		t.Doubted = append(t.Doubted, r.doubted()...)
		totals[r.op] = t
	}
	return totals
}

// sorted returns the recorders by phase and operation.
func (s *Store) sorted() []*Recorder {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := make([]*Recorder, 0, len(s.recorders))
	for _, r := range s.recorders {
		list = append(list, r)
	}
	sort.Slice(list, func(i, j int) bool {
		if list[i].phase != list[j].phase {
			return list[i].phase < list[j].phase
		}
		return list[i].op < list[j].op
	})
	return list
}
