package measure

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.k6.io/k6/v2/metrics"
)

// testBatch returns a batch of a window of 5 s that begins now, and what it tells k6.
func testBatch(t *testing.T, out chan<- metrics.SampleContainer, size int) (*Batch, *k6Metrics) {
	t.Helper()
	registry := metrics.NewRegistry()
	registered, err := registerMetrics(registry)
	require.NoError(t, err)
	r := testRecorder(t, NewStore(), 5*time.Second)
	return &Batch{
		emit:    emitter{ctx: t.Context(), out: out, rec: r, metrics: registered, tags: registry.RootTagSet()},
		shard:   &r.shards[0],
		entries: make([]Entry, 0, size), flushedNs: r.startNs, toldNs: r.startNs,
	}, registered
}

// toldOf adds up what k6 was told of a counter, and in how many samples.
func toldOf(counter *metrics.Metric, containers ...metrics.SampleContainer) (sum float64, samples int) {
	for _, c := range containers {
		for _, s := range c.GetSamples() {
			if s.Metric == counter {
				sum += s.Value
				samples++
			}
		}
	}
	return sum, samples
}

func TestABatchThatFillsSlowlyIsFlushedAllTheSame(t *testing.T) {
	t.Parallel()
	out := make(chan metrics.SampleContainer, 10)
	b, _ := testBatch(t, out, 1000)
	r := b.emit.rec
	counted := func() int64 { return r.total().service.count }

	b.Success(at(r, 0, time.Millisecond))
	b.Success(at(r, gaugeGrace/2, time.Millisecond))
	require.Zero(t, counted())
	b.Success(at(r, gaugeGrace, time.Millisecond))
	require.EqualValues(t, 3, counted())
	require.NotEmpty(t, metrics.GetBufferedSamples(out), "k6 knows of them")
	b.Success(at(r, gaugeGrace+2*time.Millisecond, time.Millisecond))
	require.EqualValues(t, 3, counted(), "the next one waits again")
	b.Failure(r.startNs, r.startNs+3*int64(gaugeGrace), Server, false)
	require.EqualValues(t, 4, counted(), "a failure flushes, too")
}

// A loop moves many connections: while k6 takes no samples it goes on, and k6 learns of everything later.
func TestABatchDoesNotWaitForK6WhileItFills(t *testing.T) {
	t.Parallel()
	out := make(chan metrics.SampleContainer) // nobody reads
	b, registered := testBatch(t, out, 10)
	r := b.emit.rec
	for range 95 {
		b.Success(at(r, 0, time.Millisecond))
	}
	require.EqualValues(t, 90, r.total().service.count)
	told := 0.0
	done := make(chan struct{})
	go func() {
		defer close(done)
		told, _ = toldOf(registered.count, <-out)
	}()
	b.Flush()
	<-done
	require.InDelta(t, 95, told, 0)
}

// An iteration that reaches beyond the end of its step is interrupted; what it has done is counted all the same.
func TestK6IsToldWhatAnInterruptedCallHasCounted(t *testing.T) {
	t.Parallel()
	out := make(chan metrics.SampleContainer, 10)
	b, registered := testBatch(t, out, 2)
	interrupted, interrupt := context.WithCancel(t.Context())
	b.emit.ctx = interrupted
	r := b.emit.rec
	b.Success(at(r, 0, time.Millisecond))
	interrupt()
	b.Success(at(r, 0, time.Millisecond)) // fills it
	b.Success(at(r, 0, time.Millisecond))
	b.Flush()
	told, _ := toldOf(registered.count, metrics.GetBufferedSamples(out)...)
	require.InDelta(t, 3, told, 0)

	b.emit.out = make(chan metrics.SampleContainer) // nobody reads any more
	b.Success(at(r, 0, time.Millisecond))
	begun := time.Now()
	b.Flush()
	require.Less(t, time.Since(begun), 10*lastPush)
}

// What k6 does with a sample costs more than an operation: of many connections each tells its counters once a second.
func TestK6IsToldOfItsCountersOnceASecond(t *testing.T) {
	t.Parallel()
	out := make(chan metrics.SampleContainer, 100)
	b, registered := testBatch(t, out, 10)
	r := b.emit.rec
	told := func() (sum float64, samples int) {
		return toldOf(registered.count, metrics.GetBufferedSamples(out)...)
	}
	for range 50 {
		b.Success(at(r, 300*time.Millisecond, time.Millisecond))
	}
	require.EqualValues(t, 41, r.total().service.count, "the recorder knows: of one after the pause, and of each ten since")
	sum, samples := told()
	require.Zero(t, samples, "k6 not yet of %v", sum)

	b.Success(at(r, 1100*time.Millisecond, time.Millisecond))
	sum, samples = told()
	require.InDelta(t, 51, sum, 0)
	require.Equal(t, 1, samples)

	b.Success(at(r, 1200*time.Millisecond, time.Millisecond))
	b.Flush()
	sum, _ = told()
	require.InDelta(t, 1, sum, 0, "the end tells the rest")
}
