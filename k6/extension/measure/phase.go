package measure

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"

	"github.com/grafana/sobek"
)

// never is the end of a window that ends with its last operation.
const never = int64(math.MaxInt64)

// Phase is a fixed number of operations of one (phase, op) that a fixed number of virtual users share: all wait at a
// barrier, its release opens the window, and slices are dealt out from a common cursor until none is left.
type Phase struct {
	store      *Store
	op, phase  string
	parties    int
	operations int64

	mu      sync.Mutex
	arrived int
	next    int64
	opened  chan struct{}
	rec     *Recorder
	err     error
}

// Phase returns the phase (phase, op), making it at the first call.
func (s *Store) Phase(op, phase string, parties int, operations int64) (*Phase, error) {
	switch {
	case op == "" || phase == "":
		return nil, fmt.Errorf("a phase needs op and phase, got op %q and phase %q", op, phase)
	case parties < 1:
		return nil, fmt.Errorf("phase %s/%s: parties must be at least 1, got %d", phase, op, parties)
	case operations < 1:
		return nil, fmt.Errorf("phase %s/%s: operations must be at least 1, got %d", phase, op, operations)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	k := key{phase, op}
	p := s.phases[k]
	if p == nil {
		p = &Phase{
			store: s, op: op, phase: phase, parties: parties, operations: operations, opened: make(chan struct{}),
		}
		s.phases[k] = p
	}
	if p.parties != parties || p.operations != operations {
		return nil, fmt.Errorf("phase %s/%s exists with %d parties and %d operations, asked for %d and %d",
			phase, op, p.parties, p.operations, parties, operations)
	}
	return p, nil
}

// Enter waits until all parties have entered; the last one opens the window.
func (p *Phase) Enter(ctx context.Context) (*Recorder, error) {
	p.mu.Lock()
	p.arrived++
	switch {
	case p.arrived == p.parties:
		p.rec, p.err = p.store.open(p.op, p.phase)
		close(p.opened)
	case p.arrived > p.parties:
		p.mu.Unlock()
		return nil, fmt.Errorf("phase %s/%s: more than its %d parties entered", p.phase, p.op, p.parties)
	}
	p.mu.Unlock()
	select {
	case <-p.opened:
		return p.rec, p.err
	case <-ctx.Done():
		return nil, fmt.Errorf("phase %s/%s: interrupted at the barrier", p.phase, p.op)
	}
}

// Take deals out the next operations: from, from+1, ... from+count-1; count is 0 when none is left. Slices shrink
// towards the end, half of what is left dealt evenly, so that the users finish together; least and most bound them.
func (p *Phase) Take(least, most int64) (from, count int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	left := p.operations - p.next
	even := (left + 2*int64(p.parties) - 1) / (2 * int64(p.parties))
	count = min(max(min(even, most), least), left)
	from = p.next
	p.next += count
	return from, count
}

// Left returns how many operations nobody has taken.
func (p *Phase) Left() int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.operations - p.next
}

// open returns a recorder whose window opens now and ends with its last operation.
func (s *Store) open(op, phase string) (*Recorder, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	k := key{phase, op}
	if s.recorders[k] != nil {
		return nil, fmt.Errorf("window %s/%s exists already", phase, op)
	}
	start := EpochMs(Now())
	r := newRecorder(op, phase, start, start)
	r.endMs, r.endNs = math.Inf(1), never
	s.keep(k, r)
	return r, nil
}

// openEnded reports whether the window ends with its last operation.
func (r *Recorder) openEnded() bool { return r.endNs == never }

// phase is measure.phase().
func (i *instance) phase(call sobek.FunctionCall) sobek.Value {
	rt := i.vu.Runtime()
	if i.vu.State() == nil {
		i.must(errors.New("measure.phase() cannot be called in init code"))
	}
	options := call.Argument(0).ToObject(rt)
	op, phase := textField(options, "op"), textField(options, "phase")
	p, err := i.root.store.Phase(op, phase, int(numberField(options, "parties")), int64(numberField(options, "operations")))
	i.must(err)
	o := rt.NewObject()
	i.must(o.DefineDataProperty(phaseProperty, rt.ToValue(p),
		sobek.FLAG_FALSE, sobek.FLAG_FALSE, sobek.FLAG_FALSE))
	i.must(o.Set("left", func(sobek.FunctionCall) sobek.Value { return rt.ToValue(p.Left()) }))
	i.must(o.Set("enter", func(sobek.FunctionCall) sobek.Value {
		rec, err := p.Enter(i.vu.Context())
		i.must(err)
		return i.windowObject(rec, 0)
	}))
	i.must(o.Set("take", func(call sobek.FunctionCall) sobek.Value {
		from, count := p.Take(max(1, call.Argument(0).ToInteger()), max(1, call.Argument(1).ToInteger()))
		slice := rt.NewObject()
		i.must(errors.Join(slice.Set("from", from), slice.Set("count", count)))
		return slice
	}))
	return o
}
