package burst

import (
	"errors"

	"ladderbench/k6/extension/measure"
)

// slotsOptions is one of several streams that take turns: time is cut into slots from startMs on, and this stream sends
// in slot own of every `of` of them.
type slotsOptions struct {
	StartMs float64 `json:"startMs"` // epoch
	EachMs  float64 `json:"eachMs"`
	Of      int     `json:"of"`
	Own     int     `json:"own"`
}

const (
	maxSlotMs = 60_000
	maxSlots  = 1000
)

func (o *slotsOptions) validate() error {
	switch {
	case !(o.StartMs > 0):
		return errors.New("slots: startMs must be epoch milliseconds")
	case !(o.EachMs >= 1 && o.EachMs <= maxSlotMs):
		return errors.New("slots: eachMs must be from 1 to 60000")
	case o.Of < 1 || o.Of > maxSlots || o.Own < 0 || o.Own >= o.Of:
		return errors.New("slots: own must be at least 0 and less than of, which is at most 1000")
	}
	return nil
}

// slots is when a connection may send. The zero value is always.
type slots struct {
	each, cycle int64
	first       int64 // begin of a slot of its own
}

func newSlots(o *slotsOptions) slots {
	if o == nil {
		return slots{}
	}
	each := int64(o.EachMs * 1e6)
	return slots{
		each:  each,
		cycle: each * int64(o.Of),
		first: measure.FromEpochMs(o.StartMs) + each*int64(o.Own),
	}
}

// from returns the first moment, at now or later, that lies in a slot of the connection.
func (s slots) from(now int64) int64 {
	if s.cycle == s.each {
		return now
	}
	into := (now - s.first) % s.cycle
	if into < 0 {
		into += s.cycle
	}
	if into < s.each {
		return now
	}
	return now + s.cycle - into
}
