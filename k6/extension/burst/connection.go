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

	mu      sync.Mutex // held by run; close by the end of the VU may come from elsewhere
	links   []*link
	caller  *caller
	batches []*measure.Batch
	works   map[workKey]*work
	unwatch func() bool
	watched context.Context
}

// workKey identifies work that was compiled before.
type workKey struct {
	template string
	keys     *Keys
	depth    int
}

// work is a template compiled for every link, and where its schedule stands.
type work struct {
	sessions []*session
	pace     paceOptions
	paces    []*schedule // nil without a pace
}

func (i *instance) connect(call sobek.FunctionCall) sobek.Value {
	c := &connection{}
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
	i.must("run", decode(rt, call.Argument(0), &o, "window", "keys"))
	i.must("run", o.validate())
	window, err := windowOf(rt, call.Argument(0))
	i.must("run", err)
	keys, err := keysOf(rt, call.Argument(0))
	i.must("run", err)
	c.mu.Lock()
	defer c.mu.Unlock()
	w, err := c.prepare(o, keys)
	i.must("run", err)
	i.must("run", o.order(keys, c.options.Connections))
	c.watch(i.vu.Context())
	return i.result("run", c.run(i.vu.Context(), window, o, w))
}

// order makes the keys of the call those from `from` on.
func (o *workOptions) order(keys *Keys, connections int) error {
	switch {
	case o.From == nil:
		return nil
	case keys == nil || connections > 1:
		return errors.New("from needs keys, and one connection")
	}
	return keys.order(uint64(*o.From), uint64(*o.Count))
}

// prepare returns the compiled work, with the schedule that the call asks for.
func (c *connection) prepare(o workOptions, keys *Keys) (*work, error) {
	k := workKey{template: string(o.Template), keys: keys, depth: o.depth()}
	w := c.works[k]
	if w == nil {
		var err error
		if w, err = c.compile(o.Template, o.depth(), keys); err != nil {
			return nil, err
		}
		if c.works == nil || len(c.works) >= maxWorks {
			c.works = make(map[workKey]*work)
		}
		c.works[k] = w
	}
	switch n := len(w.sessions); {
	case o.Pace == nil:
		w.paces = nil
	case w.paces == nil || w.pace != *o.Pace:
		w.pace, w.paces = *o.Pace, make([]*schedule, n)
		for i := range w.paces {
			w.paces[i] = newSchedule(o.Pace.split(i, n))
		}
	}
	return w, nil
}

// compile makes a session for each connection; of several, connection i draws its keys from stream * n + i.
func (c *connection) compile(raw json.RawMessage, depth int, keys *Keys) (*work, error) {
	n := c.options.Connections
	w := &work{}
	for i := range n {
		of := keys
		if keys != nil && n > 1 {
			of = keys.fork(keys.stream*uint64(n) + uint64(i))
		}
		codec, err := newCodec(raw, c.options, of)
		if err != nil {
			return nil, err
		}
		w.sessions = append(w.sessions, newSession(codec, depth, int64(c.options.timeout())))
	}
	return w, nil
}

// run performs one call.
func (c *connection) run(ctx context.Context, window *measure.Window, o workOptions, w *work) counts {
	until := never
	if o.UntilMs != nil {
		until = measure.FromEpochMs(*o.UntilMs)
	}
	b := o.budget()
	for i, s := range w.sessions {
		if len(c.links) <= i {
			c.links = append(c.links, newLink(c.options.wire(), s))
			c.batches = append(c.batches, window.NewBatch(connectionBatch))
		}
		c.links[i].use(s)
		c.batches[i].Begin(window)
		var pace *schedule
		if w.paces != nil {
			pace = w.paces[i]
		}
		s.begin(c.batches[i], b, until, pace)
	}
	runLinks(ctx, c.links)
	var sum counts
	for i, s := range w.sessions {
		c.batches[i].Flush()
		sum.add(s.sum)
	}
	return sum
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
