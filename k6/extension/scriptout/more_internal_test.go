package scriptout

import (
	"encoding/json"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.k6.io/k6/v2/metrics"

	"ladderbench/k6/extension/measure"
)

func TestASketchIsRightWithinATenthOfAPerCent(t *testing.T) {
	t.Parallel()
	s := sketch{}
	for i := -2000; i <= 100_000; i++ {
		s.add(float64(i) / 7)
	}
	s.add(math.NaN())
	for i, q := range s.quantiles(0.001, 0.5, 0.95, 0.99, 1) {
		exact := (math.Ceil([]float64{0.001, 0.5, 0.95, 0.99, 1}[i]*102_001) - 2001) / 7
		require.InEpsilon(t, exact, q, 0.0011)
	}
	told := s.distribution()
	require.Equal(t, int64(102_001), told.Count)
	require.InDelta(t, -2000.0/7, *told.Min, 1e-9)
	require.InDelta(t, 0, (&sketch{buckets: map[int32]int64{0: 1}, count: 1}).quantiles(0.5)[0], 0)
	require.Nil(t, (&sketch{}).distribution().Mean)
}

func TestMetricsOfTheScriptsOwnAreToldByTheirKind(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	made := func(name string, kind metrics.MetricType) *metrics.Metric {
		metric, err := f.registry.NewMetric(name, kind)
		require.NoError(t, err)
		return metric
	}
	sold, failed, open := made("sold", metrics.Counter), made("failed", metrics.Rate), made("open", metrics.Gauge)
	f.give(f.at(0, f.builtin.IterationDuration, 1), f.at(0, sold, 100))
	for ms := 200; ms < 600; ms += 100 {
		f.give(f.at(ms, sold, 2.5), f.at(ms, failed, float64(ms/100%2)), f.at(ms, open, float64(1000-ms)))
	}
	f.give(f.at(1200, sold, 100), f.at(1200, open, 5))
	_, notes := f.end()
	require.JSONEq(t, `[
		{"name": "failed", "type": "rate", "count": 4, "share": 0.5},
		{"name": "open", "type": "gauge", "count": 4, "min": 500, "max": 800, "last": 500},
		{"name": "sold", "type": "counter", "count": 4, "perSec": 10}
	]`, string(notes["metrics"]))
}

func TestRequestsAreToldApartByATagWithinABound(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.out.rows = newRows("url")
	f.give(f.at(0, f.builtin.IterationDuration, 1))
	for i := range 4 {
		url := fmt.Sprintf("http://shop/buy?session=%d", i)
		f.give(f.at(200+i, f.builtin.HTTPReqDuration, 20, "url", url), f.at(200+i, f.builtin.HTTPReqFailed, 0))
		f.give(f.at(200+i, f.builtin.HTTPReqDuration, 4, "url", url, "status", "503"),
			f.at(200+i, f.builtin.HTTPReqFailed, 1, "error_code", "1503"))
	}
	for i := range 60 {
		f.give(f.at(300+i, f.builtin.HTTPReqDuration, 1, "url", fmt.Sprintf("http://shop/item/%d", i)))
	}
	f.give(f.at(2000, f.builtin.HTTPReqDuration, 1, "url", "http://shop/late"))
	_, notes := f.end()
	var told rowsExport
	require.NoError(t, json.Unmarshal(notes["by"], &told))
	require.Len(t, told.Rows, mostRows)
	require.Equal(t, "http://shop/buy", told.Rows[0].Value)
	require.Equal(t, []int64{4, 4}, []int64{told.Rows[0].Count, told.Rows[0].Failed})
	require.InDelta(t, 20, *told.Rows[0].P50, 0.1)
	require.InDelta(t, 4, *told.Rows[0].FailedMeanMs, 1e-9)
	require.Equal(t, []int64{11, 11}, []int64{told.Others.Count, int64(told.Beyond)})
}

func TestThresholdsThatNoSampleWasForAreNamed(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	own := metrics.Thresholds{Thresholds: []*metrics.Threshold{{Source: "count<1"}}}
	f.out.SetThresholds(map[string]metrics.Thresholds{
		"http_reqs{kind:read}": own, "http_reqs{kind:read,team:x}": own, "http_reqs": own, "checks": own,
		"http_reqs{kind:none}": {}, // asserts nothing
	})
	f.give(f.at(-500, f.builtin.HTTPReqs, 1, "kind", "read")) // of setup(), which k6 counts, too
	_, notes := f.end()
	require.JSONEq(t, `["checks", "http_reqs{kind:read,team:x}"]`, string(notes["unseen"]))
}

func TestTheOrderOfBeginsTellsWhenTheyWereDue(t *testing.T) {
	t.Parallel()
	const period = 10 * time.Millisecond
	ms := func(values ...int64) []int64 {
		for i := range values {
			values[i] *= int64(time.Millisecond)
		}
		return values
	}
	require.Equal(t, ms(100, 110, 120, 130), dueOf(ms(100, 110, 127, 131), period, 0))
	// The first one was late itself.
	require.Equal(t, ms(100, 110, 120), dueOf(ms(104, 110, 121), period, 0))
	// Late by more than a period, and then in time again.
	require.Equal(t, ms(0, 10, 20, 30, 40), dueOf(ms(0, 35, 36, 37, 40), period, 0))
	// One that was begun and never ended: only where k6 gave up waiting can there be any.
	require.Equal(t, ms(0, 20, 30), dueOf(ms(0, 20, 30), period, 1))
	require.Equal(t, ms(0, 10, 20), dueOf(ms(0, 20, 30), period, 0))
}

func TestIterationsOfAScheduleAreTimedFromWhenTheyWereDue(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.out.arrivals = map[string]*arrivals{"buy": {period: 100 * time.Millisecond, duration: time.Second, gracefulStop: time.Hour}}
	buy := []string{"scenario", "buy"}
	for ms := 0; ms < 1000; ms += 100 {
		switch {
		case ms == 500:
			f.give(f.at(ms, f.builtin.DroppedIterations, 1, buy...))
		case ms == 300:
			f.give(f.at(ms+60, f.builtin.IterationDuration, 20, buy...)) // began 40 ms late
		default:
			f.give(f.at(ms+20, f.builtin.IterationDuration, 20, buy...))
		}
	}
	require.NoError(t, f.out.Stop())
	export, err := f.out.store.Export()
	require.NoError(t, err)
	var told struct {
		Windows []struct {
			Op                               string
			Count, Dropped                   int64
			MeanMs, ResponseMeanMs, LagMaxMs float64
			ResponseMaxMs                    float64
		}
	}
	require.NoError(t, json.Unmarshal(export, &told))
	w := told.Windows[0]
	require.Equal(t, iterations, w.Op)
	require.Equal(t, []int64{8, 1}, []int64{w.Count, w.Dropped})
	require.InDelta(t, 20, w.MeanMs, 0.01)
	require.InDelta(t, 40, w.LagMaxMs, 0.01)
	// Dropped at 500 of a window that ends at 1100.
	require.InDelta(t, 600, w.ResponseMaxMs, 0.01)
	require.InDelta(t, (8*20+40+600.0)/9, w.ResponseMeanMs, 0.01)
}

func TestADropThatComesFirstTellsWhenTheScheduleBegan(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.out.arrivals = map[string]*arrivals{"buy": {period: 10 * time.Millisecond, users: 40}}
	f.give(f.at(400, f.builtin.DroppedIterations, 1, "scenario", "buy"))
	f.give(f.at(500, f.builtin.IterationDuration, 500, "scenario", "buy"))
	f.out.flush()
	require.InDelta(t, measure.At(f.from), f.out.begunNs, 1e6)
}

// What a request costs the output, with and without rows by a tag.
func BenchmarkTake(b *testing.B) {
	for _, by := range []string{"", "name"} {
		b.Run("by="+by, func(b *testing.B) {
			f := newFixture(&testing.T{})
			f.out.rows = newRows(by)
			f.from = time.Now()
			f.out.begin(0)
			f.out.window = time.Hour
			requests := make([][]metrics.Sample, 20)
			for i := range requests {
				tags := []string{"scenario", "default", "status", "200", "name", fmt.Sprintf("http://shop/item/%d", i)}
				for _, metric := range []*metrics.Metric{
					f.builtin.HTTPReqs, f.builtin.HTTPReqDuration, f.builtin.HTTPReqBlocked, f.builtin.HTTPReqConnecting,
					f.builtin.HTTPReqTLSHandshaking, f.builtin.HTTPReqSending, f.builtin.HTTPReqWaiting, f.builtin.HTTPReqReceiving,
					f.builtin.HTTPReqFailed,
				} {
					value := float64(i)
					if metric == f.builtin.HTTPReqFailed {
						value = 0
					}
					requests[i] = append(requests[i], f.at(200, metric, value, tags...))
				}
			}
			b.ReportAllocs()
			for i := range b.N {
				f.out.take(requests[i%len(requests)])
			}
		})
	}
}
