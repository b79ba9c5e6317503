package measure

import (
	"cmp"
	"slices"
)

// maxSpans bounds the memory of a recorder's spans: 32 bytes for each.
const maxSpans = 1 << 16

// Span is ids of one sequence, one after another, that operations in doubt carried: sent, and not answered in a way that
// tells whether they were applied. A store can be asked for each of them.
type Span struct{ Seed, Stream, From, Count uint64 }

// Doubt keeps the ids of an operation that counts as indeterminate. Beyond a bound nothing more is kept, so that they
// are fewer than the indeterminate operations carried.
func (r *Recorder) Doubt(s Span) {
	r.doubtsMu.Lock()
	defer r.doubtsMu.Unlock()
	if len(r.doubts) < maxSpans {
		r.doubts = append(r.doubts, s)
	}
}

// Sent is all ids of one sequence that operations of a recorder carried, and the sequence that their keys came from.
type Sent struct {
	Span
	Keys, Space uint64
}

// Carried keeps that operations carried ids; those of one sequence follow one another.
func (r *Recorder) Carried(s Sent) {
	r.doubtsMu.Lock()
	defer r.doubtsMu.Unlock()
	if r.carried == nil {
		r.carried = make(map[Span]*Sent)
	}
	of := Span{Seed: s.Seed, Stream: s.Stream}
	if known := r.carried[of]; known != nil {
		known.Count = max(known.Count, s.From+s.Count-known.From)
		return
	}
	r.carried[of] = &s
}

// sent returns what Carried kept, in order.
func (r *Recorder) sent() []Sent {
	r.doubtsMu.Lock()
	defer r.doubtsMu.Unlock()
	all := make([]Sent, 0, len(r.carried))
	for _, one := range r.carried {
		all = append(all, *one)
	}
	slices.SortFunc(all, func(a, b Sent) int {
		return cmp.Or(cmp.Compare(a.Seed, b.Seed), cmp.Compare(a.Stream, b.Stream))
	})
	return all
}

// doubted returns a copy of what Doubt kept.
func (r *Recorder) doubted() []Span {
	r.doubtsMu.Lock()
	defer r.doubtsMu.Unlock()
	return append([]Span(nil), r.doubts...)
}
