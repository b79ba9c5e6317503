package measure

import (
	"math"
	"sort"
	"sync"
	"sync/atomic"
)

// maxMarks bounds what is kept of one loop.
const maxMarks = 20_000

// Tally is how many operations of one window a loop has seen succeed, those on one lane apart.
type Tally struct {
	Op    string `json:"op"`
	Phase string `json:"phase"`
	Lane  *int   `json:"lane"` // null without one
	Acked int64  `json:"acked"`
}

// Mark is what a loop notes of itself when it passes a moment.
type Mark struct {
	MomentMs   float64 `json:"momentMs"` // epoch, as asked for
	AtMs       float64 `json:"atMs"`     // epoch, when the loop came to it
	CPUNs      *int64  `json:"cpuNs"`    // of its thread, since it began
	WaitNs     *int64  `json:"waitNs"`   // its thread could have run and had no CPU, since it began
	PassMs     float64 `json:"passMs"`   // longest pass since the mark before
	Operations []Tally `json:"operations"`
}

// LoopInfo says which loop a mark is of.
type LoopInfo struct {
	Loop int   `json:"loop"`
	TID  int   `json:"tid"`
	CPUs []int `json:"cpus"` // that its thread may use
}

type loopExport struct {
	LoopInfo
	Marks []Mark `json:"marks"`
}

// LoopLog keeps what the event loops of a process note of themselves: at the moments that were asked for, and at the
// begin and the end of each window. It is safe for concurrent use.
type LoopLog struct {
	mu    sync.Mutex
	asked []int64 // of Now, in the order of asking, each once
	known map[int64]bool
	count atomic.Int64 // of asked
	loops []*loopExport
}

// Ask makes every loop note itself when it passes a moment of [Now].
func (l *LoopLog) Ask(moment int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.known == nil {
		l.known = make(map[int64]bool)
	}
	if moment == never || l.known[moment] {
		return
	}
	l.known[moment] = true
	l.asked = append(l.asked, moment)
	l.count.Store(int64(len(l.asked)))
}

// Asked returns the moments that were asked for beyond the first n; nil, and cheaply, when there are none.
func (l *LoopLog) Asked(n int) []int64 {
	if l.count.Load() <= int64(n) {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]int64(nil), l.asked[n:]...)
}

// Mark keeps a loop's note.
func (l *LoopLog) Mark(of LoopInfo, m Mark) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, known := range l.loops {
		if known.Loop == of.Loop {
			if len(known.Marks) < maxMarks {
				known.Marks = append(known.Marks, m)
			}
			return
		}
	}
	l.loops = append(l.loops, &loopExport{LoopInfo: of, Marks: []Mark{m}})
}

func (l *LoopLog) export() []loopExport {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := make([]loopExport, 0, len(l.loops))
	for _, known := range l.loops {
		out = append(out, loopExport{LoopInfo: known.LoopInfo, Marks: append([]Mark{}, known.Marks...)})
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Loop < out[j].Loop })
	return out
}

// Loops returns where the loops that serve this recorder note themselves.
func (r *Recorder) Loops() *LoopLog { return r.loops }

// Tally returns an empty tally of this recorder's operations.
func (r *Recorder) Tally(lane *int) *Tally { return &Tally{Op: r.op, Phase: r.phase, Lane: lane} }

// OpenEnded reports whether the window ends with its last operation.
func (r *Recorder) OpenEnded() bool { return r.openEnded() }

// validMoment reports whether an epoch time in ms can be asked for.
func validMoment(ms float64) bool { return ms > 0 && !math.IsInf(ms, 0) }
