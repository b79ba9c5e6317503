package burst

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/grafana/sobek"
	"go.k6.io/k6/v2/js/common"
	"go.k6.io/k6/v2/js/modules"

	"ladderbench/k6/extension/measure"
)

// ImportPath is the name under which JavaScript imports the module.
const ImportPath = "k6/x/burst"

// handleProperty is the hidden property that carries the Go value behind a JavaScript object.
const handleProperty = "__burst"

type rootModule struct{ drive drive }

type instance struct {
	vu    modules.VU
	drive drive
}

var (
	_ modules.Module   = (*rootModule)(nil)
	_ modules.Instance = (*instance)(nil)
)

// New returns the module. It keeps no state: recorders live in k6/x/measure, event loops belong to the process.
func New() modules.Module { return &rootModule{drive: platformDrive()} }

// NewModuleInstance is called once for each VU.
func (r *rootModule) NewModuleInstance(vu modules.VU) modules.Instance {
	return &instance{vu: vu, drive: r.drive}
}

// Exports lists what JavaScript sees; index.d.ts documents it.
func (i *instance) Exports() modules.Exports {
	named := map[string]any{"keys": i.keys, "connect": i.connect, "listen": i.listen, "tally": i.tally, "samples": i.samples}
	def := i.vu.Runtime().NewObject()
	for name, value := range named {
		i.must("exports", def.Set(name, value))
	}
	return modules.Exports{Default: def, Named: named}
}

// must turns an error into a JavaScript exception that names the function.
func (i *instance) must(function string, err error) {
	if err != nil {
		common.Throw(i.vu.Runtime(), fmt.Errorf("burst.%s(): %w", function, err))
	}
}

func (i *instance) keys(call sobek.FunctionCall) sobek.Value {
	rt := i.vu.Runtime()
	var o keysOptions
	i.must("keys", decode(rt, call.Argument(0), &o))
	k, err := newKeys(o)
	i.must("keys", err)
	return i.object("keys", k, map[string]any{
		"stream": k.stream,
		"next":   func(sobek.FunctionCall) sobek.Value { return rt.ToValue(int64(k.next())) },
		"value": func(call sobek.FunctionCall) sobek.Value {
			key, size := call.Argument(0).ToInteger(), call.Argument(1).ToInteger()
			if key < 0 || size < 0 || size > maxValue {
				i.must("keys", errors.New("value(key, bytes): out of range"))
			}
			return rt.ToValue(string(k.values.appendValue(nil, uint64(key), int(size))))
		},
		"at": func(call sobek.FunctionCall) sobek.Value {
			return rt.ToValue(int64(k.at(uint64(max(0, call.Argument(0).ToInteger())))))
		},
		"whose": func(call sobek.FunctionCall) sobek.Value {
			stream, n, ok := k.ids.whose([]byte(call.Argument(0).String()))
			if !ok {
				return sobek.Null()
			}
			return rt.ToValue(map[string]any{"stream": stream, "n": n})
		},
		"mayBe": func(call sobek.FunctionCall) sobek.Value {
			key := call.Argument(0).ToInteger()
			if k.versions == nil || key < 0 || uint64(key) >= k.space {
				i.must("keys", errors.New("mayBe(key, document): needs versions and a key of the space"))
			}
			return rt.ToValue(k.versions.mayBe(uint64(key), []byte(call.Argument(1).String()), k.versions.keys[key].first()))
		},
		"known": func(call sobek.FunctionCall) sobek.Value {
			if k.data == nil {
				i.must("keys", errors.New("known(whole): needs data"))
			}
			var plain any
			data, err := json.Marshal(k.data.state(call.Argument(0).ToBoolean()))
			i.must("keys", errors.Join(err, json.Unmarshal(data, &plain)))
			return rt.ToValue(plain)
		},
		"restore": func(call sobek.FunctionCall) sobek.Value {
			if k.data == nil {
				i.must("keys", errors.New("restore(known): needs data"))
			}
			data, err := call.Argument(0).ToObject(rt).MarshalJSON()
			i.must("keys", errors.Join(err, k.data.restore(data)))
			return sobek.Undefined()
		},
		"inserted": func(sobek.FunctionCall) sobek.Value { return rt.ToValue(int64(k.data.inserted())) },
		"nextUuid": func(call sobek.FunctionCall) sobek.Value {
			size := max(uuidBytes, int(min(call.Argument(0).ToInteger(), maxValue)))
			return rt.ToValue(string(k.ids.appendNext(nil, size)))
		},
		"uuid": func(call sobek.FunctionCall) sobek.Value {
			n := call.Argument(0).ToInteger()
			if n < 0 || n >= maxIDs {
				i.must("keys", errors.New("uuid(n): out of range"))
			}
			return rt.ToValue(string(k.ids.append(nil, uint64(n))))
		},
		"document": func(call sobek.FunctionCall) sobek.Value {
			key := call.Argument(0).ToInteger()
			if k.documents == nil || key < 0 || uint64(key) >= k.documents.count() {
				i.must("keys", errors.New("document(key): needs documents: true and a key of the space"))
			}
			return rt.ToValue(string(k.documents.at(uint64(key))))
		},
		"facts": func(call sobek.FunctionCall) sobek.Value {
			n := call.Argument(0).ToInteger()
			if k.documents == nil || n < 1 || uint64(n) > k.documents.count() {
				i.must("keys", errors.New("facts(n): needs documents: true and 1 to space documents"))
			}
			var plain map[string]any
			data, err := json.Marshal(k.documents.factsOf(uint64(n)))
			i.must("keys", errors.Join(err, json.Unmarshal(data, &plain)))
			return rt.ToValue(plain)
		},
	})
}

// tally(space, name) is what k6/x/burst knows of the counters of a space.
func (i *instance) tally(call sobek.FunctionCall) sobek.Value {
	rt := i.vu.Runtime()
	space := call.Argument(0).ToInteger()
	t, err := tallyFor(nameIn(call.Argument(1)), uint64(max(0, space)))
	i.must("tally", err)
	return i.object("tally", t, map[string]any{
		"begin": func(call sobek.FunctionCall) sobek.Value {
			var values []int64
			i.must("tally", rt.ExportTo(call.Argument(1), &values))
			i.must("tally", t.begin(int(call.Argument(0).ToInteger()), values))
			return sobek.Undefined()
		},
		"share": func(sobek.FunctionCall) sobek.Value {
			t.shared.Store(true)
			return sobek.Undefined()
		},
		"counts": func(sobek.FunctionCall) sobek.Value {
			c := t.counts()
			return rt.ToValue(map[string]any{"start": c.start, "sent": c.sent, "acked": c.acked})
		},
		"ask": func(call sobek.FunctionCall) sobek.Value {
			key, adds := call.Argument(0).ToInteger(), call.Argument(1).ToBoolean()
			if key < 0 || key >= int64(len(t.counters)) {
				i.must("tally", errTallyRange)
			}
			use := tallyReads
			if adds {
				use = tallyAdds
			}
			asked := t.ask(uint64(key), use)
			return rt.ToValue(func(call sobek.FunctionCall) sobek.Value {
				value := call.Argument(0)
				if adds && (sobek.IsNull(value) || sobek.IsUndefined(value)) {
					return rt.ToValue(asked.answered(0, tallyCounted))
				}
				return rt.ToValue(asked.answered(value.ToInteger(), use))
			})
		},
	})
}

// samples() are the replies that were kept, by operation.
func (i *instance) samples(sobek.FunctionCall) sobek.Value {
	samples.mu.Lock()
	defer samples.mu.Unlock()
	all := []any{}
	for _, op := range slices.Sorted(maps.Keys(samples.kept)) {
		for _, one := range samples.kept[op] {
			newest := any(nil)
			if one.newest != 0 {
				newest = float64(measure.EpochNs(one.newest)) / 1e6
			}
			all = append(all, map[string]any{"op": op, "body": string(one.body), "newestMs": newest})
		}
	}
	return i.vu.Runtime().ToValue(all)
}

// nameIn returns a text argument, empty where there is none.
func nameIn(value sobek.Value) string {
	if value == nil || sobek.IsUndefined(value) || sobek.IsNull(value) {
		return ""
	}
	return value.String()
}

// object returns a JavaScript object with functions and a Go value behind it.
func (i *instance) object(function string, handle any, properties map[string]any) *sobek.Object {
	rt := i.vu.Runtime()
	o := rt.NewObject()
	i.must(function, o.DefineDataProperty(handleProperty, rt.ToValue(handle),
		sobek.FLAG_FALSE, sobek.FLAG_FALSE, sobek.FLAG_FALSE))
	for name, value := range properties {
		i.must(function, o.Set(name, value))
	}
	return o
}

// keysOf returns the sequence behind the property keys, nil when there is none.
func keysOf(rt *sobek.Runtime, options sobek.Value) (*Keys, error) {
	value := options.ToObject(rt).Get("keys")
	if value == nil || sobek.IsUndefined(value) || sobek.IsNull(value) {
		return nil, nil
	}
	if handle := value.ToObject(rt).Get(handleProperty); handle != nil {
		if k, ok := handle.Export().(*Keys); ok {
			return k, nil
		}
	}
	return nil, errors.New("keys must be what burst.keys() returned")
}

// windowOf returns the window behind the property window.
func windowOf(rt *sobek.Runtime, options sobek.Value) (*measure.Window, error) {
	return measure.FromValue(rt, options.ToObject(rt).Get("window"))
}

// phaseOf returns the phase behind the property phase, nil when there is none.
func phaseOf(rt *sobek.Runtime, options sobek.Value) (*measure.Phase, error) {
	value := options.ToObject(rt).Get("phase")
	if value == nil || sobek.IsUndefined(value) {
		return nil, nil
	}
	return measure.PhaseFromValue(rt, value)
}

// result is the JavaScript form of counts.
func (i *instance) result(function string, c counts) sobek.Value {
	o := i.vu.Runtime().NewObject()
	i.must(function, errors.Join(o.Set("acked", c.acked), o.Set("failed", c.failed),
		o.Set("aborted", c.aborted), o.Set("dropped", c.dropped), o.Set("restedMs", float64(c.restedNs)/1e6)))
	return o
}
