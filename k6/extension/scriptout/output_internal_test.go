package scriptout

import (
	"encoding/json"
	"io"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/sirupsen/logrus"
	"github.com/stretchr/testify/require"
	"go.k6.io/k6/v2/metrics"
	"go.k6.io/k6/v2/output"
)

type fixture struct {
	t        *testing.T
	out      *Output
	logger   *logrus.Logger
	registry *metrics.Registry
	builtin  *metrics.BuiltinMetrics
	from     time.Time
}

// newFixture returns an output whose window is the second after the first tenth of one.
func newFixture(t *testing.T) *fixture {
	t.Helper()
	logger := logrus.New()
	logger.SetOutput(io.Discard)
	made, err := New(output.Params{
		ConfigArgument: filepath.Join(t.TempDir(), "export.json"), Logger: logger,
		Environment: map[string]string{warmupVariable: "0.1", windowVariable: "1"},
	})
	require.NoError(t, err)
	out, ok := made.(*Output)
	require.True(t, ok)
	require.NoError(t, out.Start())
	registry := metrics.NewRegistry()
	return &fixture{
		t: t, out: out, logger: logger, registry: registry,
		builtin: metrics.RegisterBuiltinMetrics(registry), from: time.Now().Add(-2 * time.Second),
	}
}

// at returns a sample so many milliseconds after the first thing that a user did.
func (f *fixture) at(ms int, metric *metrics.Metric, value float64, tags ...string) metrics.Sample {
	set := f.registry.RootTagSet()
	for i := 0; i < len(tags); i += 2 {
		set = set.With(tags[i], tags[i+1])
	}
	return metrics.Sample{
		TimeSeries: metrics.TimeSeries{Metric: metric, Tags: set},
		Time:       f.from.Add(time.Duration(ms) * time.Millisecond), Value: value,
	}
}

func (f *fixture) give(samples ...metrics.Sample) {
	f.out.AddMetricSamples([]metrics.SampleContainer{metrics.Samples(samples)})
}

type window struct {
	Count  int64
	Early  int64
	Late   int64
	MeanMs float64
	Errors map[string]int64

	ErrorKinds map[string]int64
}

func (f *fixture) end() (map[string]window, map[string]json.RawMessage) {
	f.t.Helper()
	require.NoError(f.t, f.out.Stop())
	data, err := os.ReadFile(f.out.path)
	require.NoError(f.t, err)
	var export struct {
		Notes   map[string]json.RawMessage
		Windows []struct {
			Op string
			window
		}
	}
	require.NoError(f.t, json.Unmarshal(data, &export))
	windows := map[string]window{}
	for _, w := range export.Windows {
		windows[w.Op] = w.window
	}
	return windows, export.Notes
}

func TestANumberThatIsNoTimeIsAFailureAndMovesNoPercentile(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	waiting, err := f.registry.NewMetric("waiting", metrics.Trend, metrics.Time)
	require.NoError(t, err)
	f.give(f.at(0, f.builtin.IterationDuration, 1))
	f.give(f.at(300, waiting, 7), f.at(400, waiting, 7))
	for _, odd := range []float64{-1, 1e18, math.NaN(), math.Inf(1)} {
		f.give(f.at(500, waiting, odd))
	}
	windows, _ := f.end()
	own := windows[operationOf("waiting")]
	require.Equal(t, int64(2), own.Count)
	require.InDelta(t, 7, own.MeanMs, 1e-3)
	require.Equal(t, map[string]int64{noTime: 4}, own.ErrorKinds)
}

func TestIterationsRequestsChecksAndTimesBecomeOperationsOfOneWindow(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	waiting, err := f.registry.NewMetric("waiting", metrics.Trend, metrics.Time)
	require.NoError(t, err)
	size, err := f.registry.NewMetric("size", metrics.Trend)
	require.NoError(t, err)
	f.give(f.at(-500, f.builtin.HTTPReqDuration, 5)) // of setup()
	f.give(f.at(10, f.builtin.HTTPReqDuration, 10, "scenario", "default"))
	f.give(f.at(50, f.builtin.IterationDuration, 50))
	for ms := 200; ms <= 400; ms += 100 {
		f.give(f.at(ms, f.builtin.HTTPReqDuration, 20, "scenario", "default"), f.at(ms, f.builtin.HTTPReqFailed, 0),
			f.at(ms, f.builtin.HTTPReqWaiting, 19))
		f.give(f.at(ms, f.builtin.IterationDuration, 30))
		f.give(f.at(ms, waiting, 7), f.at(ms, size, 1234))
		f.give(f.at(ms, f.builtin.Checks, 1))
	}
	f.give(f.at(500, f.builtin.HTTPReqDuration, 3, "scenario", "default"),
		f.at(500, f.builtin.HTTPReqFailed, 1, "error_code", "1503"))
	f.give(f.at(500, f.builtin.HTTPReqDuration, 3), f.at(500, f.builtin.HTTPReqFailed, 1, "error_code", "1212"))
	f.give(f.at(500, f.builtin.Checks, 0))
	f.give(f.at(1300, f.builtin.IterationDuration, 30))

	windows, notes := f.end()
	require.Len(t, windows, 4)
	require.Equal(t, int64(3), windows[iterations].Count)
	require.Equal(t, []int64{1, 1}, []int64{windows[iterations].Early, windows[iterations].Late})
	require.InDelta(t, 30, windows[iterations].MeanMs, 1e-3)
	require.Equal(t, int64(3), windows[httpReqs].Count)
	require.InDelta(t, 20, windows[httpReqs].MeanMs, 1e-3)
	require.Equal(t, []int64{1, 1}, []int64{windows[httpReqs].Errors["server"], windows[httpReqs].Errors["connect"]})
	require.Equal(t, int64(3), windows[checks].Count)
	require.Equal(t, int64(1), windows[checks].Errors["protocol"])
	require.InDelta(t, 7, windows["waiting"].MeanMs, 1e-3)
	require.JSONEq(t, `[
		{"name": "size", "type": "trend", "count": 3, "mean": 1234, "min": 1234, "p50": 1234, "p95": 1234, "p99": 1234, "max": 1234},
		{"name": "waiting", "type": "trend", "isTime": true, "count": 3, "mean": 7, "min": 7, "p50": 7, "p95": 7, "p99": 7, "max": 7}
	]`, string(notes["metrics"]))
	require.JSONEq(t, "null", string(notes["by"]))
	require.JSONEq(t, "true", string(notes["whole"]))
}

func TestAnIterationThatThrewIsAFailure(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.give(f.at(0, f.builtin.IterationDuration, 1))
	f.out.flush()
	f.logger.WithField("executor", "constant-vus").Error("boom")
	f.logger.WithField("component", "other").Error("not of an iteration")
	for ms := 200; ms <= 400; ms += 100 {
		f.give(f.at(ms, f.builtin.IterationDuration, 30))
	}
	windows, _ := f.end()
	require.Equal(t, int64(2), windows[iterations].Count)
	require.Equal(t, int64(1), windows[iterations].Errors["other"])
}

func TestAScriptThatEndsBeforeItsWindowIsNotWhole(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.from = time.Now()
	f.give(f.at(0, f.builtin.IterationDuration, 1))
	windows, notes := f.end()
	require.Equal(t, int64(0), windows[iterations].Count)
	require.JSONEq(t, "false", string(notes["whole"]))
}

func TestThresholdsThatDidNotHoldAreNamed(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.out.SetThresholds(map[string]metrics.Thresholds{
		"http_req_duration{name:buy}": {Thresholds: []*metrics.Threshold{
			{Source: "p(95)<1", LastFailed: true}, {Source: "p(99)<900"},
		}},
		"checks": {Thresholds: []*metrics.Threshold{{Source: "rate>0.9", LastFailed: true}}},
	})
	_, notes := f.end()
	require.JSONEq(t, `["checks: rate>0.9","http_req_duration{name:buy}: p(95)<1"]`, string(notes["crossed"]))
}

func TestWithoutAWindowItIsNotStarted(t *testing.T) {
	t.Parallel()
	for _, env := range []map[string]string{{}, {warmupVariable: "0", windowVariable: "0"}, {warmupVariable: "x", windowVariable: "1"}} {
		_, err := New(output.Params{ConfigArgument: "x", Environment: env})
		require.Error(t, err)
	}
	_, err := New(output.Params{Environment: map[string]string{warmupVariable: "0", windowVariable: "1"}})
	require.ErrorContains(t, err, "path")
}

func TestWhatNoLibraryThrowsIsToldByTheStatus(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.give(f.at(0, f.builtin.IterationDuration, 1))
	for i, status := range []string{"101", "101", "101", "", "503"} {
		var tags []string
		if status != "" {
			tags = []string{"status", status}
		}
		f.give(f.at(200+i, f.builtin.WSConnecting, 1, tags...))
		f.give(f.at(200+i, f.builtin.WSSessionDuration, 1, tags...))
		f.give(f.at(200+i, f.builtin.WSMessagesReceived, 1, tags...))
	}
	for i, status := range []string{"0", "1", "5", "14", "4"} {
		f.give(f.at(300+i, f.builtin.GRPCReqDuration, 1, "status", status))
	}
	f.give(f.at(400, f.builtin.HTTPReqDuration, 1, "status", "0")) // setResponseCallback(null)
	windows, _ := f.end()
	require.Equal(t, int64(3), windows["ws_connecting"].Count)
	require.Equal(t, []int64{1, 1}, []int64{windows["ws_connecting"].Errors["connect"], windows["ws_connecting"].Errors["server"]})
	require.Equal(t, int64(3), windows["ws_session_duration"].Count, "what was never open is no session")
	require.Equal(t, int64(5), windows["ws_msgs_received"].Count)
	require.Equal(t, int64(2), windows["grpc_req_duration"].Count)
	require.Equal(t, map[string]int64{"gRPC NotFound": 1, "gRPC Unavailable": 1, "gRPC DeadlineExceeded": 1},
		windows["grpc_req_duration"].ErrorKinds)
	require.Equal(t, int64(1), windows[httpReqs].Errors["other"])
}

func TestWhereSomethingMustComeAnIterationThatNothingCameToIsAFailure(t *testing.T) {
	t.Parallel()
	for _, mustReceive := range []bool{true, false} {
		f := newFixture(t)
		f.out.mustReceive = mustReceive
		f.give(f.at(0, f.builtin.IterationDuration, 1))
		for i, bytes := range []float64{7, 0, 7, 0} {
			f.give(f.at(200+i, f.builtin.DataReceived, bytes))
			f.give(f.at(200+i, f.builtin.IterationDuration, 1))
		}
		windows, _ := f.end()
		require.Equal(t, map[bool]int64{true: 2, false: 0}[mustReceive], windows[iterations].Errors["connect"])
	}
}

func TestASessionIsOfTheMomentItEnded(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.give(f.at(0, f.builtin.IterationDuration, 1))
	// It began before the window, and k6 says when it began.
	f.give(f.at(50, f.builtin.WSSessionDuration, 400, "status", "101"))
	windows, _ := f.end()
	require.Equal(t, int64(1), windows["ws_session_duration"].Count)
}

func TestTheWindowBeginsWithTheBeginOfTheFirstRequest(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.give(f.at(900, f.builtin.HTTPReqs, 1, "scenario", "default"),
		f.at(900, f.builtin.HTTPReqDuration, 900, "scenario", "default"))
	windows, _ := f.end()
	require.Equal(t, int64(1), windows[httpReqs].Count, "it ended within")
}
