package measure

import (
	"time"

	"go.k6.io/k6/v2/metrics"
)

// trendEvery is the least time between two op_duration samples of one window in bulk recording: at most 1000/s.
const trendEvery = int64(time.Millisecond)

// flushEvery is how long an operation waits at most, while others follow it, until the recorder knows of it.
const flushEvery = int64(gaugeGrace)

// tellEvery is how long k6's own counters of a batch wait at most, while operations follow: what k6 does with a sample
// costs several times as much as an operation, and a thousand connections that tell it five times a second are heard.
const tellEvery = int64(time.Second)

// Batch gathers the operations of one connection or event loop without locks and hands them to the recorder in
// bulk. It is for one goroutine. [Batch.Flush] must be called before the JavaScript call ends.
type Batch struct {
	emit     emitter
	shard    *shard
	presence *presence
	entries  []Entry
	failures []failure

	sent, received int64 // bytes not pushed yet
	counted        int64 // operations not pushed yet
	dropped        int64 // the same, that were not sent
	flushedNs      int64
	toldNs         int64
	held           []metrics.Sample // that k6 had no room for
}

type failure struct {
	start, end int64
	class      Class
	unknown    bool
	kind       string
}

// NewBatch returns a batch that flushes itself after size entries, or as many failures, or some time.
func (w *Window) NewBatch(size int) *Batch {
	b := &Batch{shard: w.nextShard(), entries: make([]Entry, 0, size)}
	b.Begin(w)
	return b
}

// Begin takes the window's recorder and the VU's current context and tags; call it at the start of each burst.
func (b *Batch) Begin(w *Window) {
	if b.emit.rec != w.rec {
		b.shard = w.nextShard()
	}
	w.emit.refresh(w.vu)
	b.emit, b.presence = w.emit, w.presence
	b.flushedNs = Now()
	b.toldNs = b.flushedNs
}

// Success adds an entry.
func (b *Batch) Success(e Entry) {
	b.entries = append(b.entries, e)
	b.flushIfDue(len(b.entries), e.End)
}

// flushIfDue flushes when n entries or failures fill the batch, or the last flush is long ago.
func (b *Batch) flushIfDue(n int, now int64) {
	if n < cap(b.entries) && now-b.flushedNs < flushEvery {
		return
	}
	b.flushedNs = now
	// An event loop that waited for k6 would be late for all of its connections.
	if b.held = append(b.held, b.record(now-b.toldNs >= tellEvery)...); b.emit.offer(b.held) {
		b.held = nil // k6 has it
	}
}

// Failure adds a failed operation; unknown tells whether it may have been applied all the same.
func (b *Batch) Failure(start, end int64, class Class, unknown bool) {
	b.Refusal(start, end, class, unknown, "")
}

// Refusal is Failure of an operation that the server refused by a name, empty for none.
func (b *Batch) Refusal(start, end int64, class Class, unknown bool, kind string) {
	b.failures = append(b.failures, failure{start, end, class, unknown, kind})
	b.flushIfDue(len(b.failures), end)
}

// Drop counts an operation that was due and never sent. It would have waited for at least the rest of the window,
// and that is what its response time is taken for.
func (b *Batch) Drop(due int64) {
	b.emit.rec.dropDue(b.shard, due)
	b.dropped++
}

// Traffic adds bytes to k6's data_sent and data_received.
func (b *Batch) Traffic(sent, received int64) {
	b.sent += sent
	b.received += received
}

// Recorder returns the recorder that the batch feeds.
func (b *Batch) Recorder() *Recorder { return b.emit.rec }

// Flush records everything and pushes one op_count, op_dropped, op_errors by class, and a thinned op_duration to k6. It
// waits for k6 where it must.
func (b *Batch) Flush() {
	samples := append(b.held, b.record(true)...)
	b.held = nil
	b.emit.push(samples)
}

// record hands everything to the recorder and returns what k6 is to know of it now; its counters only where it tells.
func (b *Batch) record(tells bool) []metrics.Sample {
	r := b.emit.rec
	b.shard.mu.Lock()
	for _, e := range b.entries {
		b.shard.add(r, e)
		b.presence.saw(e.Start, e.End)
	}
	for _, f := range b.failures {
		b.shard.refuse(r, f.start, f.end, f.class, f.unknown, f.kind)
		b.presence.saw(f.start, f.end)
	}
	b.shard.mu.Unlock()
	samples := b.samples(tells)
	b.entries, b.failures = b.entries[:0], b.failures[:0]
	return samples
}

func (b *Batch) samples(tells bool) []metrics.Sample {
	var samples []metrics.Sample
	now := time.Now()
	next := b.emit.rec.nextTrendNs.Load()
	for _, e := range b.entries {
		b.counted += e.N
		if e.End >= next && b.emit.rec.nextTrendNs.CompareAndSwap(next, e.End+trendEvery) {
			next = e.End + trendEvery
			samples = append(samples, b.emit.sample(b.emit.metrics.duration, now, nsToMs(e.End-e.Start)))
		}
	}
	if tells {
		b.toldNs = Now()
		samples = b.counters(samples, now)
	}
	if b.dropped > 0 {
		samples = append(samples, b.emit.sample(b.emit.metrics.dropped, now, float64(b.dropped)))
		b.dropped = 0
	}
	var classes [numClasses]int64
	for _, f := range b.failures {
		classes[f.class]++
	}
	for class, n := range classes {
		if n > 0 {
			samples = append(samples, b.emit.failure(now, Class(class), n))
		}
	}
	return b.emit.gauges(samples, Now())
}

// counters appends what has been counted since k6 was told last.
func (b *Batch) counters(samples []metrics.Sample, now time.Time) []metrics.Sample {
	if b.counted > 0 {
		samples = append(samples, b.emit.sample(b.emit.metrics.count, now, float64(b.counted)))
		b.counted = 0
	}
	if b.sent+b.received > 0 && b.emit.builtin != nil {
		samples = append(samples, b.emit.sample(b.emit.builtin.DataSent, now, float64(b.sent)),
			b.emit.sample(b.emit.builtin.DataReceived, now, float64(b.received)))
		b.sent, b.received = 0, 0
	}
	return samples
}
