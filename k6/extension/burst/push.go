package burst

import (
	"bytes"
	"errors"

	"github.com/grafana/sobek"

	"ladderbench/k6/extension/measure"
)

// pushOptions says which WebSocket messages are pushes, and where they carry the moment of what they report.
type pushOptions struct {
	Contains    string  `json:"contains"`
	MomentAfter string  `json:"momentAfter"`
	PerMs       float64 `json:"perMs"` // units of the moment in a millisecond: 1000 for microseconds
	ValueAfter  string  `json:"valueAfter"`
}

// pushReader takes pushes out of the messages that are no replies.
type pushReader struct {
	contains, momentAfter []byte
	nsPerUnit             float64
	moments               []int64 // epoch ns, of pushes that were not recorded yet; -1 for one that cannot be right
	valueAfter            []byte  // behind the moment: the counter of key 0
	tally                 *tally  // nil: it is not looked at
	least                 int64   // what it was when this connection heard of it last
}

// pushesOf reads the property pushes; nil without it.
func pushesOf(rt *sobek.Runtime, options sobek.Value) (*pushOptions, *measure.Window, error) {
	value := options.ToObject(rt).Get("pushes")
	if value == nil || sobek.IsUndefined(value) || sobek.IsNull(value) {
		return nil, nil, nil
	}
	o := &pushOptions{}
	if err := decode(rt, value, o, "window"); err != nil {
		return nil, nil, err
	}
	if o.Contains == "" || o.MomentAfter == "" || !(o.PerMs > 0) {
		return nil, nil, errors.New("pushes: contains, momentAfter and a positive perMs are needed")
	}
	window, err := windowOf(rt, value)
	return o, window, err
}

func newPushReader(o *pushOptions, keys *Keys) *pushReader {
	p := &pushReader{
		contains: []byte(o.Contains), momentAfter: []byte(o.MomentAfter), nsPerUnit: 1e6 / o.PerMs,
		valueAfter: []byte(o.ValueAfter),
	}
	if o.ValueAfter != "" && keys != nil {
		p.tally = keys.tally
	}
	return p
}

// take looks at a message that is no reply.
func (p *pushReader) take(body []byte) {
	if p == nil || body == nil || !bytes.Contains(body, p.contains) {
		return
	}
	moment := int64(-1)
	if units, ok := numberAfter(body, p.momentAfter); ok && p.mayTell(body) {
		moment = int64(float64(units) * p.nsPerUnit)
	}
	p.moments = append(p.moments, moment)
}

// mayTell reports whether the counter may be what a push tells: no less than this connection heard before, and no more
// than was sent.
func (p *pushReader) mayTell(body []byte) bool {
	if p.tally == nil {
		return true
	}
	_, behind, _ := bytes.Cut(body, p.momentAfter)
	units, ok := numberAfter(behind, p.valueAfter)
	value, counter := int64(units), &p.tally.counters[0]
	if !ok || value < p.least || !p.tally.shared.Load() && value > counter.start+counter.sent.Load() {
		return false
	}
	p.least = value
	return true
}

// readPushes makes the connections of a VU count pushes; only WebSocket has them.
func (c *connection) readPushes(o *pushOptions, window *measure.Window, sessions []*session) error {
	for i, s := range sessions {
		ws, ok := s.codec.(*wsCodec)
		if !ok {
			return errors.New("pushes: only the protocol ws has them")
		}
		if ws.push == nil {
			ws.push = newPushReader(o, ws.keys)
		}
		if len(c.pushes) <= i {
			c.pushes = append(c.pushes, window.NewBatch(connectionBatch))
		}
		c.pushes[i].Begin(window)
	}
	return nil
}

// takePushes records the pushes among what was read at a moment: the latency of each runs from the moment that it
// carries. Those of before the window are passed over: they waited while nobody read.
func (s *session) takePushes(now int64) {
	ws, ok := s.codec.(*wsCodec)
	if !ok || ws.push == nil {
		return
	}
	if s.pushes != nil {
		start := measure.EpochNs(s.pushes.Recorder().StartNs())
		for _, moment := range ws.push.moments {
			switch {
			case moment < 0:
				s.pushes.Failure(now, now, measure.Protocol, false)
			case moment >= start:
				latency := max(0, measure.EpochNs(now)-moment)
				s.pushes.Success(measure.Entry{Start: now - latency, End: now, Intended: measure.NoIntended, N: 1})
			}
		}
	}
	ws.push.moments = ws.push.moments[:0]
}
