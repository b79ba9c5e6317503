package influxagg

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sirupsen/logrus"
	"github.com/stretchr/testify/require"
	"go.k6.io/k6/v2/lib/fsext"
	"go.k6.io/k6/v2/metrics"
	"go.k6.io/k6/v2/output"
)

// fakeInflux remembers the lines of all writes and answers with a status that the test chooses.
type fakeInflux struct {
	mu     sync.Mutex
	status int
	writes int
	lines  []string
	create string
}

func (f *fakeInflux) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if r.URL.Path == "/query" {
		f.create = r.URL.Query().Get("q")
		return
	}
	f.writes++
	if f.status == 0 {
		body, _ := io.ReadAll(r.Body)
		f.lines = append(f.lines, strings.Split(strings.TrimSpace(string(body)), "\n")...)
		w.WriteHeader(http.StatusNoContent)
		return
	}
	w.WriteHeader(f.status)
}

// startOutput returns a running output and a function that stops it and reads its report.
func startOutput(t *testing.T, address string) (*Output, func() *report) {
	t.Helper()
	fs := fsext.NewMemMapFs()
	logger := logrus.New()
	logger.SetOutput(io.Discard)
	made, err := New(output.Params{
		ConfigArgument: address, Logger: logger, FS: fs,
		Environment: map[string]string{reportVariable: "/report.json"},
	})
	require.NoError(t, err)
	o := made.(*Output)
	require.NoError(t, o.Start())
	return o, func() *report {
		require.NoError(t, o.Stop())
		data, err := fsext.ReadFile(fs, "/report.json")
		require.NoError(t, err)
		r := newReport("")
		require.NoError(t, json.Unmarshal(data, r))
		return r
	}
}

// registry is shared, as in a k6 process: tag sets and metrics compare by pointer.
var registry = metrics.NewRegistry()

// feed gives the output 100 trend, 10 counter, 4 rate and 3 gauge samples of one second.
func feed(o *Output, at time.Time) {
	tags := registry.RootTagSet().With("op", "set").With("vu", "1").With("url", "http://x/1").With("name", "a b")
	trend := registry.MustNewMetric("op_duration", metrics.Trend, metrics.Time)
	counter := registry.MustNewMetric("op_count", metrics.Counter)
	rate := registry.MustNewMetric("op_failed", metrics.Rate)
	gauge := registry.MustNewMetric("vus", metrics.Gauge)
	var samples metrics.Samples
	add := func(m *metrics.Metric, value float64) {
		samples = append(samples, metrics.Sample{
			TimeSeries: metrics.TimeSeries{Metric: m, Tags: tags}, Time: at, Value: value,
		})
	}
	for i := range 100 {
		add(trend, float64(i+1))
	}
	for range 10 {
		add(counter, 3)
	}
	for i := range 4 {
		add(rate, float64(i%2))
	}
	for i := range 3 {
		add(gauge, float64(i))
	}
	o.AddMetricSamples([]metrics.SampleContainer{samples})
}

func TestOnePointPerSeriesAndSecond(t *testing.T) {
	t.Parallel()
	fake := &fakeInflux{}
	server := httptest.NewServer(fake)
	defer server.Close()
	o, stop := startOutput(t, server.URL+"/bench")
	at := time.Unix(1_700_000_000, 5)
	feed(o, at)
	r := stop()

	require.Equal(t, `CREATE DATABASE "bench"`, fake.create)
	require.ElementsMatch(t, []string{
		`op_duration,name=a\ b,op=set count=100i,mean=50.5,min=1,max=100,p50=50,p90=90,p95=95,p99=99,p999=100`,
		`op_count,name=a\ b,op=set count=10i,value=30`,
		`op_failed,name=a\ b,op=set count=4i,value=0.5`,
		`vus,name=a\ b,op=set count=3i,value=2`,
	}, withoutTime(fake.lines))
	require.Equal(t, r.SamplesSeen, r.SamplesWritten)
	require.Equal(t, int64(4), r.PointsWritten)
	require.Zero(t, r.PointsLost)
	require.Empty(t, r.Errors)
}

func withoutTime(lines []string) []string {
	var cut []string
	for _, line := range lines {
		cut = append(cut, line[:strings.LastIndexByte(line, ' ')])
	}
	return cut
}

func TestStragglersDoNotOverwriteTheirSecond(t *testing.T) {
	t.Parallel()
	fake := &fakeInflux{}
	server := httptest.NewServer(fake)
	defer server.Close()
	o, stop := startOutput(t, server.URL)
	at := time.Unix(1_700_000_000, 0)
	feed(o, at)
	o.flush(at.Unix() + 1)
	feed(o, at)
	r := stop()
	times := map[string]bool{}
	for _, line := range fake.lines {
		times[line] = true
	}
	require.Len(t, times, 8, "same series and second, different time stamps")
	require.Equal(t, int64(8), r.PointsWritten)
}

func TestRefusedWritesAreCountedAsLostWithoutRetry(t *testing.T) {
	t.Parallel()
	fake := &fakeInflux{status: http.StatusRequestEntityTooLarge}
	server := httptest.NewServer(fake)
	defer server.Close()
	o, stop := startOutput(t, server.URL)
	feed(o, time.Unix(1_700_000_000, 0))
	r := stop()
	require.Equal(t, int64(4), r.PointsLost)
	require.Equal(t, int64(100), r.SamplesSeen["op_duration"])
	require.Empty(t, r.SamplesWritten)
	require.Len(t, r.Errors, 1)
	require.Equal(t, 1, fake.writes)
}

func TestServerErrorsAreRetried(t *testing.T) {
	t.Parallel()
	fake := &fakeInflux{status: http.StatusServiceUnavailable}
	server := httptest.NewServer(fake)
	defer server.Close()
	o, stop := startOutput(t, server.URL)
	feed(o, time.Unix(1_700_000_000, 0))
	r := stop()
	require.Equal(t, int64(4), r.PointsLost)
	require.Equal(t, writeAttempts, fake.writes)
}

func TestNobodyListeningNeverFailsTheRun(t *testing.T) {
	t.Parallel()
	o, stop := startOutput(t, "http://127.0.0.1:1/k6")
	feed(o, time.Unix(1_700_000_000, 0))
	begun := time.Now()
	r := stop()
	require.Less(t, time.Since(begun), stopTimeout)
	require.Equal(t, int64(4), r.PointsLost)
	require.NotEmpty(t, r.Errors)
}

func TestAFullQueueLosesInsteadOfBlocking(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-release }))
	defer server.Close()
	o, stop := startOutput(t, server.URL)
	begun := time.Now()
	for i := range queueBatches + 10 {
		feed(o, time.Unix(1_700_000_000+int64(i), 0))
		o.flush(1_800_000_000)
	}
	require.Less(t, time.Since(begun), 2*time.Second)
	close(release)
	r := stop()
	require.Positive(t, r.PointsLost)
	require.Contains(t, strings.Join(r.Errors, "\n"), "queue full")
}

func TestAddresses(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                                   "http://127.0.0.1:8086/k6",
		"http://h:8086":                      "http://h:8086/k6",
		"http://u:secret@h:8086/db/":         "http://h:8086/db",
		"https://h/some/prefix/db":           "https://h/some/prefix/db",
		"http://h:1/a?insecure=1&x=ignored#": "http://h:1/a",
	} {
		a, err := parseAddress(text)
		require.NoError(t, err)
		require.Equal(t, want, a.String())
	}
	for _, text := range []string{"h:8086", "ftp://h/k6", "://"} {
		_, err := parseAddress(text)
		require.Error(t, err, text)
	}
}
