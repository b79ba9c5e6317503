package measure_test

import (
	"os"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
	"go.k6.io/k6/v2/js/modulestest"
	"go.k6.io/k6/v2/lib"
	"go.k6.io/k6/v2/metrics"

	"ladderbench/k6/extension/measure"
)

// runtimeOf returns a k6 runtime with the module, in init context.
func runtimeOf(t *testing.T) *modulestest.Runtime {
	t.Helper()
	rt := modulestest.NewRuntime(t)
	require.NoError(t, rt.SetupModuleSystem(map[string]any{measure.ImportPath: measure.New()}, nil, nil))
	return rt
}

// enterVU moves the runtime into VU context and returns the channel of its samples.
func enterVU(rt *modulestest.Runtime) chan metrics.SampleContainer {
	samples := make(chan metrics.SampleContainer, 1000)
	root := rt.VU.InitEnvField.Registry.RootTagSet()
	rt.MoveToVUContext(&lib.State{
		Samples: samples,
		Tags:    lib.NewVUStateTags(root.With("system", "fake")),
		VUID:    1,
	})
	return samples
}

func TestScript(t *testing.T) {
	t.Parallel()
	script, err := os.ReadFile("testdata/measure.js")
	require.NoError(t, err)
	rt := runtimeOf(t)
	samples := inVU(t, rt, string(script))

	count := map[string]float64{}
	for _, container := range metrics.GetBufferedSamples(samples) {
		for _, s := range container.GetSamples() {
			count[s.Metric.Name]++
			tags := s.Tags.Map()
			require.Equal(t, []string{"fake", "set", "measure"}, []string{tags["system"], tags["op"], tags["phase"]})
			if s.Metric.Name == "op_errors" {
				require.Contains(t, []string{"timeout", "server", "connect"}, tags["class"])
			}
		}
	}
	require.Equal(t, map[string]float64{"op_duration": 11, "op_count": 11, "op_errors": 3, "op_dropped": 1}, count)
}

// inVU requires the module in init context, then runs the script as a VU would.
func inVU(t *testing.T, rt *modulestest.Runtime, script string) chan metrics.SampleContainer {
	t.Helper()
	_, err := rt.VU.Runtime().RunString(`globalThis.modules = {'k6/x/measure': require('k6/x/measure')}`)
	require.NoError(t, err)
	samples := enterVU(rt)
	_, err = rt.RunOnEventLoop(`(function (require) {` + script + "\n" + `})((name) => modules[name])`)
	require.NoError(t, err)
	return samples
}

func TestGarbageIsCollectedWhenItIsAskedFor(t *testing.T) {
	t.Parallel()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := runtimeOf(t).VU.Runtime().RunString(`require('k6/x/measure').tidy()`)
	require.NoError(t, err)
	runtime.ReadMemStats(&after)
	require.Greater(t, after.NumForcedGC, before.NumForcedGC)
}

func TestWindowsCannotBeMadeInInitCode(t *testing.T) {
	t.Parallel()
	_, err := runtimeOf(t).VU.Runtime().RunString(
		`require('k6/x/measure').window({op: 'a', phase: 'b', startMs: 1, endMs: 2})`)
	require.ErrorContains(t, err, "init code")
}
