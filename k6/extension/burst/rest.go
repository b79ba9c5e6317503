package burst

import (
	"errors"
	"math"
)

// restOptions is a user who thinks: after every so many operations it does nothing for a while.
type restOptions struct {
	Ms      float64 `json:"ms"`
	Every   int     `json:"every"`
	FirstMs float64 `json:"firstMs"`
}

const maxRestMs = 3_600_000

func (o *restOptions) validate() error {
	isTime := func(ms float64) bool { return ms >= 0 && ms <= maxRestMs && !math.IsNaN(ms) }
	switch {
	case !isTime(o.Ms) || !isTime(o.FirstMs):
		return errors.New("rest: ms and firstMs must be from 0 to 3600000")
	case o.Every < 1:
		return errors.New("rest: every must be at least 1 operation")
	}
	return nil
}

// rests is where a connection stands between its rests. The zero value never rests.
type rests struct {
	every, ns int64
	next      int64 // rests when so many operations have got an answer
	since     int64 // of the rest under way, 0 for none
	until     int64
}

// begin makes a connection rest before its first operation.
func (r *rests) begin(o *restOptions, now int64) {
	*r = rests{}
	if o == nil {
		return
	}
	r.every, r.ns = int64(o.Every), int64(o.Ms*1e6)
	r.next = r.every
	r.since, r.until = now, now+int64(o.FirstMs*1e6)
}

// hold reports whether the connection rests, and adds a rest that is over to the time rested.
func (r *rests) hold(now, answered int64, rested *int64) bool {
	if r.every == 0 {
		return false
	}
	if answered >= r.next {
		r.next = answered + r.every
		r.since, r.until = now, now+r.ns
	}
	if now < r.until {
		return true
	}
	if r.since > 0 {
		*rested += now - r.since
		r.since = 0
	}
	return false
}
