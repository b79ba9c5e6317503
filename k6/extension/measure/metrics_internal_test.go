package measure

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.k6.io/k6/v2/metrics"
)

// gaugesOf returns the gauges of the first second of a window in which 50 operations were answered, by name.
func gaugesOf(t *testing.T, targetPerSec float64) map[string]float64 {
	t.Helper()
	registry := metrics.NewRegistry()
	registered, err := registerMetrics(registry)
	require.NoError(t, err)
	r := testRecorder(t, NewStore(), 5*time.Second)
	for range 50 {
		r.shards[0].add(r, at(r, 500*time.Millisecond, time.Millisecond))
	}
	e := emitter{rec: r, metrics: registered, tags: registry.RootTagSet(), targetPerSec: targetPerSec}
	gauges := map[string]float64{}
	for _, s := range e.gauges(nil, r.startNs+int64(1500*time.Millisecond)) {
		gauges[s.Metric.Name] = s.Value
	}
	require.Empty(t, e.gauges(nil, r.startNs+int64(1600*time.Millisecond)), "once for each second")
	return gauges
}

func TestAnOpenWindowShowsItsTargetBesideWhatWasAchieved(t *testing.T) {
	t.Parallel()
	gauges := gaugesOf(t, 200)
	require.InDelta(t, 50, gauges["op_rate_per_sec"], 0)
	require.InDelta(t, 200, gauges["op_target_per_sec"], 0)
	require.InDelta(t, 0.25, gauges["op_achieved_ratio"], 0)
	require.InDelta(t, 1, gauges["op_p99_ms"], 0.05)
}

func TestAClosedWindowHasNoTarget(t *testing.T) {
	t.Parallel()
	gauges := gaugesOf(t, 0)
	require.Contains(t, gauges, "op_rate_per_sec")
	require.NotContains(t, gauges, "op_target_per_sec")
	require.NotContains(t, gauges, "op_achieved_ratio")
}

func TestASoundSecondIsNoFailuresAndNotNothing(t *testing.T) {
	t.Parallel()
	gauges := gaugesOf(t, 0)
	require.Contains(t, gauges, "op_errors")
	require.Zero(t, gauges["op_errors"])
}

func TestRecentOperationsAreThoseOfTheSecondsSinceAMoment(t *testing.T) {
	t.Parallel()
	r := testRecorder(t, NewStore(), 10*time.Second)
	for i, took := range []time.Duration{time.Millisecond, 5 * time.Millisecond, 9 * time.Millisecond} {
		shard := &r.shards[i%len(r.shards)]
		shard.add(r, at(r, time.Duration(i)*time.Second+500*time.Millisecond, took))
	}
	since := func(moment time.Duration) []float64 {
		h := r.recentHist(r.startNs + int64(moment))
		return append(h.quantileMs(0.5, 0.99), float64(h.total))
	}
	require.InDeltaSlice(t, []float64{5, 9, 2}, since(time.Second), 0.05)
	require.InDeltaSlice(t, []float64{9, 9, 1}, since(2*time.Second+900*time.Millisecond), 0.05)
	require.Zero(t, r.recentHist(r.startNs+int64(3*time.Second)).total)
}
