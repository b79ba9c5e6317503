package measure

import (
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/grafana/sobek"
	"go.k6.io/k6/v2/js/common"
	"go.k6.io/k6/v2/js/modules"
	"go.k6.io/k6/v2/metrics"
)

// ImportPath is the name under which JavaScript imports the module.
const ImportPath = "k6/x/measure"

type rootModule struct {
	store     *Store
	instances atomic.Int64
}

type instance struct {
	vu      modules.VU
	root    *rootModule
	metrics *k6Metrics
	windows map[key]*sobek.Object
	number  int64 // of this instance, to spread VUs over shards
}

var (
	_ modules.Module   = (*rootModule)(nil)
	_ modules.Instance = (*instance)(nil)
)

// New returns the module, with a store that all its VUs share.
func New() modules.Module { return &rootModule{store: NewStore()} }

// NewModuleInstance is called once for each VU.
func (r *rootModule) NewModuleInstance(vu modules.VU) modules.Instance {
	m, err := registerMetrics(vu.InitEnv().Registry)
	if err != nil {
		common.Throw(vu.Runtime(), fmt.Errorf("%s: %w", ImportPath, err))
	}
	return &instance{
		vu: vu, root: r, metrics: m, windows: make(map[key]*sobek.Object), number: r.instances.Add(1),
	}
}

// Exports lists what JavaScript sees; index.d.ts documents it.
func (i *instance) Exports() modules.Exports {
	named := map[string]any{
		"now":       i.now,
		"epochMs":   i.epochMs,
		"toEpochMs": i.toEpochMs,
		"window":    i.window,
		"phase":     i.phase,
		"dropped":   i.dropped,
		"totals":    i.totals,
		"note":      i.note,
		"exportAll": i.exportAll,
		"cutAt":     i.cutAt,
		"tidy":      i.tidy,
	}
	def := i.vu.Runtime().NewObject()
	for name, value := range named {
		i.must(def.Set(name, value))
	}
	return modules.Exports{Default: def, Named: named}
}

// tidy collects garbage. A thousand virtual users leave 300 MB of it when they are made, and to collect that takes more
// than a second of CPU: in a window it would be the system's that is measured.
func (i *instance) tidy(sobek.FunctionCall) sobek.Value {
	runtime.GC()
	return sobek.Undefined()
}

func (i *instance) now(sobek.FunctionCall) sobek.Value {
	return i.vu.Runtime().ToValue(nsToMs(Now()))
}

func (i *instance) epochMs(sobek.FunctionCall) sobek.Value {
	return i.vu.Runtime().ToValue(EpochMs(Now()))
}

func (i *instance) toEpochMs(call sobek.FunctionCall) sobek.Value {
	return i.vu.Runtime().ToValue(EpochMs(msToNs(call.Argument(0).ToFloat())))
}

func (i *instance) window(call sobek.FunctionCall) sobek.Value {
	rt := i.vu.Runtime()
	if i.vu.State() == nil {
		i.must(errors.New("measure.window() cannot be called in init code"))
	}
	arg := call.Argument(0)
	if sobek.IsUndefined(arg) || sobek.IsNull(arg) {
		i.must(errors.New("measure.window() needs {op, phase, startMs, endMs}"))
	}
	options := arg.ToObject(rt)
	op, phase := textField(options, "op"), textField(options, "phase")
	startMs, endMs := numberField(options, "startMs"), numberField(options, "endMs")
	rec, err := i.root.store.Recorder(op, phase, startMs, endMs)
	i.must(err)
	if slotMs := numberField(options, "timelineMs"); slotMs > 0 {
		i.must(rec.keepTimeline(slotMs))
	}
	return i.windowObject(rec, numberField(options, "targetPerSec"))
}

// windowObject returns this VU's view of a recorder, always the same one. targetPerSec 0: no rate is aimed at.
func (i *instance) windowObject(rec *Recorder, targetPerSec float64) *sobek.Object {
	k := key{rec.phase, rec.op}
	if object := i.windows[k]; object != nil {
		return object
	}
	turn := int(i.number % int64(len(rec.shards)))
	w := &Window{
		vu: i.vu, rec: rec, shard: &rec.shards[turn], turn: turn,
		emit: emitter{rec: rec, metrics: i.metrics, targetPerSec: targetPerSec},
	}
	if rec.openEnded() {
		w.presence = rec.join()
	}
	object, err := w.object(i.vu.Runtime())
	i.must(err)
	i.windows[k] = object
	return object
}

func (i *instance) dropped(call sobek.FunctionCall) sobek.Value {
	w, err := FromValue(i.vu.Runtime(), call.Argument(0))
	i.must(err)
	n := call.Argument(1).ToInteger()
	if n < 0 {
		i.must(errors.New("dropped(w, n): n must not be negative"))
	}
	w.rec.Drop(n)
	w.emit.refresh(w.vu)
	w.emit.push([]metrics.Sample{w.emit.sample(w.emit.metrics.dropped, time.Now(), float64(n))})
	return sobek.Undefined()
}

func (i *instance) totals(sobek.FunctionCall) sobek.Value {
	rt := i.vu.Runtime()
	all := rt.NewObject()
	for op, t := range i.root.store.Totals() {
		one := rt.NewObject()
		i.must(one.Set("acked", t.Acked))
		i.must(one.Set("indeterminate", t.Indeterminate))
		i.must(one.Set("wrong", t.Wrong))
		i.must(one.Set("failed", t.Failed))
		if len(t.Sent) > 0 {
			i.must(one.Set("sent", sentObjects(t.Sent)))
		}
		if len(t.Doubted) > 0 {
			i.must(one.Set("doubted", spanObjects(t.Doubted)))
		}
		i.must(all.Set(op, one))
	}
	return all
}

func spanObjects(spans []Span) []any {
	objects := make([]any, len(spans))
	for n, s := range spans {
		objects[n] = map[string]any{"seed": s.Seed, "stream": s.Stream, "from": s.From, "count": s.Count}
	}
	return objects
}

func sentObjects(all []Sent) []any {
	objects := make([]any, len(all))
	for n, s := range all {
		objects[n] = map[string]any{
			"seed": s.Seed, "stream": s.Stream, "from": s.From, "count": s.Count, "keys": s.Keys, "space": s.Space,
		}
	}
	return objects
}

func (i *instance) note(call sobek.FunctionCall) sobek.Value {
	var data []byte
	var err error
	if object, ok := call.Argument(1).(*sobek.Object); ok {
		data, err = object.MarshalJSON()
	} else {
		data, err = json.Marshal(call.Argument(1).Export())
	}
	if err != nil {
		i.must(fmt.Errorf("note %q is not JSON-able: %w", call.Argument(0).String(), err))
	}
	i.root.store.Note(call.Argument(0).String(), data)
	return sobek.Undefined()
}

// cutAt is measure.cutAt().
func (i *instance) cutAt(call sobek.FunctionCall) sobek.Value {
	var moments []float64
	if err := i.vu.Runtime().ExportTo(call.Argument(0), &moments); err != nil {
		i.must(errors.New("cutAt(moments) needs a list of epoch milliseconds"))
	}
	for _, ms := range moments {
		if !validMoment(ms) {
			i.must(fmt.Errorf("cutAt(moments): %v is no moment in epoch milliseconds", ms))
		}
		i.root.store.loops.Ask(FromEpochMs(ms))
	}
	return sobek.Undefined()
}

func (i *instance) exportAll(sobek.FunctionCall) sobek.Value {
	data, err := i.root.store.Export()
	i.must(err)
	return i.vu.Runtime().ToValue(string(data))
}

// must turns an error into a JavaScript exception.
func (i *instance) must(err error) {
	if err != nil {
		common.Throw(i.vu.Runtime(), err)
	}
}

// textField returns a property as text, empty when missing.
func textField(o *sobek.Object, name string) string {
	if v := o.Get(name); v != nil && !sobek.IsUndefined(v) && !sobek.IsNull(v) {
		return v.String()
	}
	return ""
}

// numberField returns a property as a number, 0 when missing.
func numberField(o *sobek.Object, name string) float64 {
	if v := o.Get(name); v != nil {
		return v.ToFloat()
	}
	return 0
}
