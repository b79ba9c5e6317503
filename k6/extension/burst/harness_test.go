package burst_test

import (
	"encoding/json"
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.k6.io/k6/v2/js/modules"
	"go.k6.io/k6/v2/js/modulestest"
	"go.k6.io/k6/v2/lib"
	"go.k6.io/k6/v2/metrics"

	"ladderbench/k6/extension/burst"
	"ladderbench/k6/extension/measure"
)

// vu is a k6 runtime in VU context with both modules and a window of one minute in the global w.
type vu struct {
	t       *testing.T
	rt      *modulestest.Runtime
	samples chan metrics.SampleContainer
}

func newVU(t *testing.T) *vu {
	t.Helper()
	return newVUWith(t, burst.New())
}

// newVUWith is newVU with a burst module of one's own.
func newVUWith(t *testing.T, module modules.Module) *vu {
	t.Helper()
	v := &vu{t: t, rt: modulestest.NewRuntime(t), samples: make(chan metrics.SampleContainer, 100_000)}
	require.NoError(t, v.rt.SetupModuleSystem(map[string]any{
		measure.ImportPath: measure.New(), burst.ImportPath: module,
	}, nil, nil))
	_, err := v.rt.VU.Runtime().RunString(`var measure = require('k6/x/measure'), burst = require('k6/x/burst');`)
	require.NoError(t, err)
	registry := v.rt.VU.InitEnvField.Registry
	v.rt.MoveToVUContext(&lib.State{
		Samples: v.samples, BuiltinMetrics: v.rt.BuiltinMetrics,
		Tags: lib.NewVUStateTags(registry.RootTagSet()),
	})
	v.eval(`var w = measure.window({op: 'op', phase: 'measure', startMs: measure.epochMs() - 1, endMs: measure.epochMs() + 60000});`)
	return v
}

// set makes a Go value a global of the script.
func (v *vu) set(name string, value any) *vu {
	v.t.Helper()
	require.NoError(v.t, v.rt.VU.Runtime().Set(name, value))
	return v
}

// eval runs a script that must not throw.
func (v *vu) eval(script string) any {
	v.t.Helper()
	value, err := v.rt.VU.Runtime().RunString(script)
	require.NoError(v.t, err)
	return value.Export()
}

// result is what a burst returns.
type result struct{ Acked, Failed, Aborted, Dropped int64 }

func (v *vu) burst(script string) result {
	v.t.Helper()
	var r result
	text := v.eval(`JSON.stringify(` + script + `)`)
	require.NoError(v.t, json.Unmarshal([]byte(text.(string)), &r))
	return r
}

// drives are the two ways to perform the same work: that of this platform, and the one that runs everywhere.
var drives = map[string]func() modules.Module{"platform": burst.New, "goroutines": burst.NewWithGoroutines}

// script runs one burst on connections of its own, with further fields.
func script(fields string) string {
	return `(() => { const c = burst.connect(Object.assign({address, protocol}, connecting));
		try { return c.run(Object.assign({window: w, template, keys: keys && burst.keys(keys)}, {` + fields + `})) } finally { c.close() } })()`
}

// eachDrive runs a test once with every drive.
func eachDrive(t *testing.T, test func(t *testing.T, v *vu, drive func(fields string) result)) {
	t.Helper()
	for name, module := range drives {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v := newVUWith(t, module())
			v.eval(`var template, address, protocol = 'resp', keys = null, connecting = {};`)
			test(t, v, func(fields string) result { t.Helper(); return v.burst(script(fields)) })
		})
	}
}

// window is the part of the export that tests look at.
type window struct {
	Count, Late, Early, Aborted, Dropped int64
	Errors, ErrorKinds                   map[string]int64
	MeanMs, MaxMs, ResponseMeanMs        float64
	ResponseMaxMs                        float64
	Service, Response, Lag               *struct{ Data string }
}

func (v *vu) window() window {
	v.t.Helper()
	var all struct{ Windows []window }
	require.NoError(v.t, json.Unmarshal([]byte(v.eval(`measure.exportAll()`).(string)), &all))
	require.Len(v.t, all.Windows, 1)
	return all.Windows[0]
}

// indeterminate returns the oracle's number.
func (v *vu) indeterminate() int64 {
	return v.eval(`measure.totals().op.indeterminate`).(int64)
}

// doubted returns the ids of indeterminate operations.
func (v *vu) doubted() []measure.Span {
	v.t.Helper()
	var spans []measure.Span
	require.NoError(v.t, json.Unmarshal([]byte(v.eval(`JSON.stringify(measure.totals().op.doubted)`).(string)), &spans))
	return spans
}

// sums adds up the k6 samples by metric.
func (v *vu) sums() map[string]float64 {
	sums := map[string]float64{}
	for _, container := range metrics.GetBufferedSamples(v.samples) {
		for _, s := range container.GetSamples() {
			sums[s.Metric.Name] += s.Value
		}
	}
	return sums
}

// errorsOf returns the classes with failures.
func (w window) errorsOf() map[string]int64 {
	some := map[string]int64{}
	for class, n := range w.Errors {
		if n > 0 {
			some[class] = n
		}
	}
	return some
}

// noLeaks fails the test when goroutines or descriptors outlive what it runs.
func noLeaks(t *testing.T, run func()) {
	t.Helper()
	burst.StartLoops(t)
	goroutines, files := runtime.NumGoroutine(), openFiles()
	run()
	for end := time.Now().Add(3 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if runtime.NumGoroutine() <= goroutines && openFiles() <= files {
			return
		}
	}
	require.Failf(t, "something was left", "goroutines %d -> %d, descriptors %d -> %d",
		goroutines, runtime.NumGoroutine(), files, openFiles())
}

// openFiles counts descriptors, 0 where that cannot be known.
func openFiles() int {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return 0
	}
	return len(entries)
}
