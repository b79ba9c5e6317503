package measure

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

// doubted returns a copy of what Doubt kept.
func (r *Recorder) doubted() []Span {
	r.doubtsMu.Lock()
	defer r.doubtsMu.Unlock()
	return append([]Span(nil), r.doubts...)
}
