package measure

import (
	"errors"
	"math"
	"time"

	"github.com/grafana/sobek"
	"go.k6.io/k6/v2/js/common"
	"go.k6.io/k6/v2/js/modules"
	"go.k6.io/k6/v2/metrics"
)

// handleProperty is the hidden property that carries the Go window behind its JavaScript object.
const handleProperty = "__window"

// Window is one VU's view of a [Recorder].
type Window struct {
	vu       modules.VU
	rec      *Recorder
	shard    *shard
	emit     emitter
	turn     int
	presence *presence // of this user in a phase, else nil
}

// FromValue returns the window behind a JavaScript value made by measure.window().
func FromValue(rt *sobek.Runtime, value sobek.Value) (*Window, error) {
	if value != nil && !sobek.IsUndefined(value) && !sobek.IsNull(value) {
		if handle := value.ToObject(rt).Get(handleProperty); handle != nil {
			if w, ok := handle.Export().(*Window); ok {
				return w, nil
			}
		}
	}
	return nil, errors.New("window must be what measure.window() returned")
}

// Recorder returns the shared recorder.
func (w *Window) Recorder() *Recorder { return w.rec }

// nextShard spreads the batches of one VU over the shards.
func (w *Window) nextShard() *shard {
	w.turn++
	return &w.rec.shards[w.turn%len(w.rec.shards)]
}

// object returns the JavaScript face of the window.
func (w *Window) object(rt *sobek.Runtime) (*sobek.Object, error) {
	o := rt.NewObject()
	if err := o.DefineDataProperty(handleProperty, rt.ToValue(w),
		sobek.FLAG_FALSE, sobek.FLAG_FALSE, sobek.FLAG_FALSE); err != nil {
		return nil, err
	}
	for name, value := range map[string]any{
		"op": w.rec.op, "phase": w.rec.phase, "startMs": w.rec.startMs, "endMs": w.rec.endMs,
		"start": w.start, "success": w.success, "failure": w.failure, "aborted": w.aborted,
		"recent": w.recent,
	} {
		if err := o.Set(name, value); err != nil {
			return nil, err
		}
	}
	return o, nil
}

func (w *Window) start(sobek.FunctionCall) sobek.Value {
	w.rec.started.Add(1)
	return w.vu.Runtime().ToValue(nsToMs(Now()))
}

func (w *Window) success(call sobek.FunctionCall) sobek.Value {
	end := Now()
	e := Entry{Start: w.moment(call.Argument(0), "startedAt"), End: end, Intended: NoIntended, N: 1}
	if intended := call.Argument(1); !sobek.IsUndefined(intended) && !sobek.IsNull(intended) {
		e.Intended = w.moment(intended, "intendedAt")
		e.Lag = e.Start - e.Intended
	}
	w.shard.mu.Lock()
	w.shard.add(w.rec, e)
	w.shard.mu.Unlock()
	w.presence.saw(e.Start, e.End)

	w.emit.refresh(w.vu)
	now := time.Now()
	samples := make([]metrics.Sample, 2, 6)
	samples[0] = w.emit.sample(w.emit.metrics.duration, now, nsToMs(end-e.Start))
	samples[1] = w.emit.sample(w.emit.metrics.count, now, 1)
	w.emit.push(w.emit.gauges(samples, end))
	return sobek.Undefined()
}

func (w *Window) failure(call sobek.FunctionCall) sobek.Value {
	end := Now()
	start := w.moment(call.Argument(0), "startedAt")
	class, err := ParseClass(call.Argument(1).String())
	if err != nil {
		common.Throw(w.vu.Runtime(), err)
	}
	unknown := class != Server
	if given := call.Argument(2); !sobek.IsUndefined(given) {
		unknown = given.ToBoolean()
	}
	w.shard.mu.Lock()
	w.shard.fail(w.rec, start, end, class, unknown)
	w.shard.mu.Unlock()
	w.presence.saw(start, end)

	w.emit.refresh(w.vu)
	samples := []metrics.Sample{w.emit.failure(time.Now(), class, 1)}
	w.emit.push(w.emit.gauges(samples, end))
	return sobek.Undefined()
}

func (w *Window) aborted(call sobek.FunctionCall) sobek.Value {
	n := call.Argument(0).ToInteger()
	if n < 0 {
		common.Throw(w.vu.Runtime(), errors.New("aborted(n): n must not be negative"))
	}
	w.rec.Abort(n)
	return sobek.Undefined()
}

// recent tells those who watch how fast the operations since a moment (epoch ms) were, to the second and of the two newest seconds at
// most: an object of percentiles, ms, or null without an answer.
func (w *Window) recent(call sobek.FunctionCall) sobek.Value {
	h := w.rec.recentHist(FromEpochMs(call.Argument(0).ToFloat()))
	if h.total == 0 {
		return sobek.Null()
	}
	q := h.quantileMs(0.5, 0.95, 0.99)
	return w.vu.Runtime().ToValue(map[string]float64{"p50": q[0], "p95": q[1], "p99": q[2]})
}

// moment reads a time on the clock of now(), in ms, and returns nanoseconds.
func (w *Window) moment(value sobek.Value, name string) int64 {
	ms := value.ToFloat()
	if math.IsNaN(ms) || math.IsInf(ms, 0) {
		common.Throw(w.vu.Runtime(), errors.New(name+" must be a reading of measure.now()"))
	}
	return msToNs(ms)
}
