package burst

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/grafana/sobek"

	"ladderbench/k6/extension/measure"
)

// loopBatch is how many entries an event loop gathers before it takes the recorder's lock.
const loopBatch = 2048

// race is burst.race().
func (i *instance) race(call sobek.FunctionCall) sobek.Value {
	rt := i.vu.Runtime()
	if i.vu.State() == nil {
		i.must("race", errors.New("cannot be called in init code"))
	}
	var o raceOptions
	i.must("race", decode(rt, call.Argument(0), &o, "window"))
	i.must("race", o.validate())
	window, err := windowOf(rt, call.Argument(0))
	i.must("race", err)
	r, err := newRace(o, window)
	i.must("race", err)
	i.must("race", r.run(i.vu.Context()))
	return i.result("race", r.total())
}

// validate checks the options and turns a duration into an end.
func (o *raceOptions) validate() error {
	if o.DurationMs != nil {
		if o.UntilMs != nil || !(*o.DurationMs > 0) {
			return errors.New("durationMs must be positive and excludes untilMs")
		}
		until := measure.EpochMs(measure.Now()) + *o.DurationMs
		o.UntilMs = &until
	}
	if o.Loops < 0 || o.Loops > maxLoops {
		return fmt.Errorf("loops must be from 1 to %d, got %d", maxLoops, o.Loops)
	}
	if err := o.protocolOptions.validate(); err != nil {
		return err
	}
	return o.workOptions.validate()
}

// newRace compiles the template for every connection; connection i draws its keys from stream + i.
func newRace(o raceOptions, window *measure.Window) (*race, error) {
	r := &race{
		wire: o.wire(), budget: o.budget(), until: never, pace: o.Pace,
		batches: make([]*measure.Batch, loopsFor(o.Loops, o.Connections)),
	}
	if o.UntilMs != nil {
		r.until = measure.FromEpochMs(*o.UntilMs)
	}
	for i := range o.Connections {
		var keys *Keys
		if o.Keys != nil {
			stream := *o.Keys
			stream.Stream += uint64(i)
			var err error
			if keys, err = newKeys(stream); err != nil {
				return nil, err
			}
		}
		c, err := newCodec(o.Template, o.protocolOptions, keys)
		if err != nil {
			return nil, err
		}
		r.sessions = append(r.sessions, newSession(c, o.depth(), int64(r.wire.timeout)))
	}
	for i := range r.batches {
		r.batches[i] = window.NewBatch(loopBatch)
	}
	return r, nil
}

// race is one drive of many connections to one address.
type race struct {
	wire     wire
	sessions []*session
	batches  []*measure.Batch // one for each loop, or one for each connection
	budget   *budget
	until    int64
	pace     *paceOptions
}

// begin readies all sessions; batch i serves the sessions i, i+n, ...
func (r *race) begin() {
	for i, s := range r.sessions {
		var pace *schedule
		if r.pace != nil {
			pace = newSchedule(r.pace.split(i, len(r.sessions)))
		}
		s.begin(r.batches[i%len(r.batches)], r.budget, r.until, pace)
	}
}

// total flushes the batches and sums up the sessions.
func (r *race) total() counts {
	for _, b := range r.batches {
		b.Flush()
	}
	var sum counts
	for _, s := range r.sessions {
		sum.add(s.sum)
	}
	return sum
}

// runLinks drives every session by a goroutine of its own; each needs its own batch.
func runLinks(ctx context.Context, links []*link) {
	var group sync.WaitGroup
	for _, l := range links[1:] {
		group.Add(1)
		go func() {
			defer group.Done()
			l.run(ctx)
		}()
	}
	links[0].run(ctx)
	group.Wait()
}
