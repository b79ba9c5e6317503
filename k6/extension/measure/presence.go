package measure

import (
	"errors"
	"sync/atomic"

	"github.com/grafana/sobek"
)

// phaseProperty is the hidden property that carries the Go phase behind its JavaScript object.
const phaseProperty = "__phase"

// presence is the time that one user takes part in a phase: from its first send to its last completion. Users start
// and end at different moments; Little's law holds over the time that each is there, not over the whole window.
// It is written by one goroutine at a time; a nil one is not kept.
type presence struct{ firstStart, lastEnd atomic.Int64 }

// saw widens the presence by a counted operation.
func (p *presence) saw(start, end int64) {
	if p == nil {
		return
	}
	if p.lastEnd.Load() == 0 || start < p.firstStart.Load() {
		p.firstStart.Store(start)
	}
	if end > p.lastEnd.Load() {
		p.lastEnd.Store(end)
	}
}

// join returns the presence of one more user.
func (r *Recorder) join() *presence {
	p := &presence{}
	r.presentMu.Lock()
	r.present = append(r.present, p)
	r.presentMu.Unlock()
	return p
}

// presentNs sums the presences of all users.
func (r *Recorder) presentNs() int64 {
	r.presentMu.Lock()
	defer r.presentMu.Unlock()
	var sum int64
	for _, p := range r.present {
		sum += p.lastEnd.Load() - p.firstStart.Load()
	}
	return sum
}

// PhaseFromValue returns the phase behind a JavaScript value made by measure.phase().
func PhaseFromValue(rt *sobek.Runtime, value sobek.Value) (*Phase, error) {
	if value != nil && !sobek.IsUndefined(value) && !sobek.IsNull(value) {
		if handle := value.ToObject(rt).Get(phaseProperty); handle != nil {
			if p, ok := handle.Export().(*Phase); ok {
				return p, nil
			}
		}
	}
	return nil, errors.New("phase must be what measure.phase() returned")
}
