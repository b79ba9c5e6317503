package burst

import (
	"context"
	"encoding/json"
	"errors"
	"sync"

	"github.com/grafana/sobek"

	"ladderbench/k6/extension/measure"
)

// connectionBatch is how many entries a VU's connection gathers before it takes the recorder's lock.
const connectionBatch = 256

// maxWorks is how many compiled templates a connection keeps.
const maxWorks = 16

// connection is what burst.connect() returns: the connections of one VU.
type connection struct {
	options protocolOptions
	drive   drive

	mu      sync.Mutex // held by run; close by the end of the VU may come from elsewhere
	links   []carrier
	caller  *caller
	batches []*measure.Batch
	mixed   [][]*measure.Batch     // of each link, one for each part of a mix
	pushes  []*measure.Batch       // of each link, when pushes are counted
	works   map[workKey][]*session // a template, compiled for every link
	pace    paceOptions            // of the call before
	paces   []*schedule            // of each link, nil without a pace
	unwatch func() bool
	watched context.Context
}

// workKey identifies work that was compiled before.
type workKey struct {
	template string
	keys     *Keys
	depth    int
}

func (i *instance) connect(call sobek.FunctionCall) sobek.Value {
	c := &connection{drive: i.drive}
	i.must("connect", decode(i.vu.Runtime(), call.Argument(0), &c.options))
	i.must("connect", c.options.validate())
	return i.object("connect", c, map[string]any{
		"run":   func(call sobek.FunctionCall) sobek.Value { return i.runOn(c, call) },
		"call":  func(call sobek.FunctionCall) sobek.Value { return i.callOn(c, call) },
		"close": func(sobek.FunctionCall) sobek.Value { c.close(); return sobek.Undefined() },
	})
}

func (i *instance) runOn(c *connection, call sobek.FunctionCall) sobek.Value {
	rt := i.vu.Runtime()
	if i.vu.State() == nil {
		i.must("run", errors.New("cannot be called in init code"))
	}
	var o workOptions
	i.must("run", decode(rt, call.Argument(0), &o, "window", "windows", "keys", "mix", "turn", "pushes", "phase"))
	parts, windows, err := mixOf(rt, call.Argument(0))
	i.must("run", err)
	turn, ofTurn, err := turnOf(rt, call.Argument(0))
	i.must("run", err)
	switch {
	case turn != nil:
		o.turn, windows = turn, ofTurn
		o.Template, err = turn.key()
	case parts != nil:
		o.parts = parts
		o.Template, err = json.Marshal(parts)
	default:
		windows = make([]*measure.Window, 1)
		windows[0], err = windowOf(rt, call.Argument(0))
	}
	i.must("run", err)
	o.phase, err = phaseOf(rt, call.Argument(0))
	i.must("run", err)
	i.must("run", o.validate())
	pushes, pushWindow, err := pushesOf(rt, call.Argument(0))
	i.must("run", err)
	keys, err := keysOf(rt, call.Argument(0))
	i.must("run", err)
	c.mu.Lock()
	defer c.mu.Unlock()
	sessions, err := c.prepare(o, keys)
	i.must("run", err)
	c.keepPace(o.Pace)
	i.must("run", c.carry(sessions, i.vu.State().VUID))
	i.must("run", o.order(keys, c.options.Connections))
	if pushes != nil {
		i.must("run", c.readPushes(pushes, pushWindow, sessions))
	}
	c.watch(i.vu.Context())
	return i.result("run", c.run(i.vu.Context(), windows, pushes != nil, o, sessions))
}

// order makes the keys of the call those from `from` on; without one they are drawn by chance, whatever came before.
func (o *workOptions) order(keys *Keys, connections int) error {
	switch {
	case o.From == nil:
		if keys != nil {
			keys.ordered = false
		}
		return nil
	case keys == nil || connections > 1:
		return errors.New("from needs keys, and one connection")
	}
	return keys.order(uint64(*o.From), uint64(*o.Count))
}

// prepare returns the sessions that send what the call asks for.
func (c *connection) prepare(o workOptions, keys *Keys) ([]*session, error) {
	k := workKey{template: string(o.Template), keys: keys, depth: o.depth()}
	if known := c.works[k]; known != nil {
		return known, nil
	}
	sessions, err := c.compile(o, keys)
	if err != nil {
		return nil, err
	}
	if c.works == nil || len(c.works) >= maxWorks {
		c.works = make(map[workKey][]*session)
	}
	c.works[k] = sessions
	return sessions, nil
}

// keepPace makes the schedule that a call asks for, or goes on with the one of the call before, whatever each sends:
// what was due while it lasted is not due again.
func (c *connection) keepPace(o *paceOptions) {
	switch n := c.options.Connections; {
	case o == nil:
		c.paces = nil
	case c.paces == nil || c.pace != *o:
		c.pace, c.paces = *o, make([]*schedule, n)
		for i := range c.paces {
			c.paces[i] = newSchedule(o.split(i, n))
		}
	}
}

// compile makes a session for each connection; of several, connection i draws its keys from stream * n + i.
func (c *connection) compile(o workOptions, keys *Keys) ([]*session, error) {
	n := c.options.Connections
	sessions := make([]*session, 0, n)
	for i := range n {
		of := keys
		if keys != nil && n > 1 {
			of = keys.fork(keys.stream*uint64(n)+uint64(i), uint64(n))
		}
		codec, err := c.newCodec(o, of)
		if err != nil {
			return nil, err
		}
		sessions = append(sessions, newSession(codec, o.depth(), int64(c.options.timeout())))
	}
	return sessions, nil
}

func (c *connection) newCodec(o workOptions, keys *Keys) (codec, error) {
	switch {
	case o.turn != nil:
		return newTurnCodec(o.turn, c.options, keys)
	case o.parts != nil:
		return newMixedCodec(o.parts, c.options, keys)
	}
	return newCodec(o.Template, c.options, keys)
}

// run performs one call; there are several windows when the work is a mix.
func (c *connection) run(
	ctx context.Context, windows []*measure.Window, pushes bool, o workOptions, sessions []*session,
) counts {
	until := never
	if o.UntilMs != nil {
		until = measure.FromEpochMs(*o.UntilMs)
	}
	b := o.budget()
	for i, s := range sessions {
		if len(c.batches) <= i {
			c.batches = append(c.batches, windows[0].NewBatch(connectionBatch))
			c.mixed = append(c.mixed, nil)
		}
		c.links[i].use(s)
		c.batches[i].Begin(windows[0])
		var pace *schedule
		if c.paces != nil {
			pace = c.paces[i]
		}
		s.begin(c.batches[i], b, until, pace)
		s.rests.begin(o.Rest, measure.Now())
		s.slots = newSlots(o.Slots)
		if len(windows) > 1 {
			c.mixed[i] = beginAll(c.mixed[i], c.batches[i], windows)
			s.mixed = c.mixed[i]
		}
		if pushes {
			s.pushes = c.pushes[i]
		}
	}
	drawn := make([]uint64, len(sessions))
	for i, s := range sessions {
		drawn[i] = s.maker.idsDrawn()
	}
	c.drive.run(ctx, c.links)
	var sum counts
	for i, s := range sessions {
		s.maker.settle()
		c.batches[i].Flush()
		for _, b := range s.mixed {
			b.Flush()
		}
		if s.pushes != nil {
			s.pushes.Flush()
		}
		sum.add(s.sum)
		carrier := s.carrier()
		if n := s.maker.idsDrawn() - drawn[i]; n > 0 && carrier != nil {
			k := s.maker.keys
			carrier.Recorder().Carried(measure.Sent{
				Span: measure.Span{Seed: k.ids.seed, Stream: k.stream, From: drawn[i], Count: n}, Keys: k.seed, Space: k.space,
			})
		}
	}
	return sum
}

// carry makes what moves the connections. Those of a lane share a loop; else virtual users take loops in turn.
func (c *connection) carry(sessions []*session, user uint64) error {
	for i := len(c.links); i < len(sessions); i++ {
		seat := c.options.seat(user + uint64(i))
		l, err := c.drive.carry(c.options.wire(), sessions[i], seat)
		if err != nil {
			return err
		}
		c.links = append(c.links, l)
	}
	return nil
}

// beginAll readies a batch for each window of a mix; the first one counts the traffic of all.
func beginAll(batches []*measure.Batch, first *measure.Batch, windows []*measure.Window) []*measure.Batch {
	if len(batches) != len(windows) {
		batches = []*measure.Batch{first}
		for _, w := range windows[1:] {
			batches = append(batches, w.NewBatch(connectionBatch))
		}
	}
	for i, w := range windows[1:] {
		batches[i+1].Begin(w)
	}
	return batches
}

// watch closes the sockets when the VU's context ends, so that none outlives the VU.
func (c *connection) watch(ctx context.Context) {
	if c.watched == ctx {
		return
	}
	if c.unwatch != nil {
		c.unwatch()
	}
	c.watched = ctx
	c.unwatch = context.AfterFunc(ctx, c.close)
}

func (c *connection) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, l := range c.links {
		l.close()
	}
	c.caller.close()
}
