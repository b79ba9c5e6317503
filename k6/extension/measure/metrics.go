package measure

import (
	"context"
	"time"

	"go.k6.io/k6/v2/js/modules"
	"go.k6.io/k6/v2/metrics"
)

// k6Metrics are the k6 metrics that thresholds and live views see. Results never come from them.
type k6Metrics struct {
	duration, count, errors, dropped *metrics.Metric
	rate, p50, p95, p99              *metrics.Metric
	target, achieved                 *metrics.Metric // open model
}

func registerMetrics(registry *metrics.Registry) (*k6Metrics, error) {
	m := &k6Metrics{}
	for _, def := range []struct {
		into *(*metrics.Metric)
		name string
		typ  metrics.MetricType
		unit metrics.ValueType
	}{
		{&m.duration, "op_duration", metrics.Trend, metrics.Time},
		{&m.count, "op_count", metrics.Counter, metrics.Default},
		{&m.errors, "op_errors", metrics.Counter, metrics.Default},
		{&m.dropped, "op_dropped", metrics.Counter, metrics.Default},
		{&m.rate, "op_rate_per_sec", metrics.Gauge, metrics.Default},
		{&m.p50, "op_p50_ms", metrics.Gauge, metrics.Time},
		{&m.p95, "op_p95_ms", metrics.Gauge, metrics.Time},
		{&m.p99, "op_p99_ms", metrics.Gauge, metrics.Time},
		{&m.target, "op_target_per_sec", metrics.Gauge, metrics.Default},
		{&m.achieved, "op_achieved_ratio", metrics.Gauge, metrics.Default},
	} {
		metric, err := registry.NewMetric(def.name, def.typ, def.unit)
		if err != nil {
			return nil, err
		}
		*def.into = metric
	}
	return m, nil
}

// emitter pushes the k6 samples of one window with one VU's tags. It may be used from other goroutines than the
// VU's, but only until the JavaScript call that made it returns.
type emitter struct {
	ctx     context.Context
	out     chan<- metrics.SampleContainer
	metrics *k6Metrics
	builtin *metrics.BuiltinMetrics // nil outside of a run
	rec     *Recorder
	base    *metrics.TagSet // the VU's tags
	tags    *metrics.TagSet // and op, phase

	targetPerSec float64 // of all VUs together; not positive without a schedule
}

// refresh takes the VU's current context and tags.
func (e *emitter) refresh(vu modules.VU) {
	state := vu.State()
	e.ctx, e.out, e.builtin = vu.Context(), state.Samples, state.BuiltinMetrics
	if base := state.Tags.GetCurrentValues().Tags; base != e.base {
		e.base = base
		e.tags = base.With("op", e.rec.op).With("phase", e.rec.phase)
	}
}

func (e *emitter) sample(metric *metrics.Metric, now time.Time, value float64) metrics.Sample {
	return metrics.Sample{TimeSeries: metrics.TimeSeries{Metric: metric, Tags: e.tags}, Time: now, Value: value}
}

func (e *emitter) failure(now time.Time, class Class, n int64) metrics.Sample {
	s := e.sample(e.metrics.errors, now, float64(n))
	s.Tags = e.tags.With("class", class.String())
	return s
}

// lastPush is how long a call that k6 interrupts waits at most for k6 to take what it has counted.
const lastPush = time.Second

// push hands samples over, also from an iteration that k6 interrupts, as those are that reach beyond the end of a
// step: what was done has been done, and k6 takes samples until the last iteration has returned.
func (e *emitter) push(samples []metrics.Sample) {
	if len(samples) == 0 {
		return
	}
	select {
	case e.out <- metrics.Samples(samples):
		return
	case <-e.ctx.Done():
	}
	timer := time.NewTimer(lastPush)
	defer timer.Stop()
	select {
	case e.out <- metrics.Samples(samples):
	case <-timer.C:
	}
}

// offer is push for those who must not wait; false when k6 takes no samples at the moment.
func (e *emitter) offer(samples []metrics.Sample) bool {
	if len(samples) == 0 {
		return true
	}
	select {
	case e.out <- metrics.Samples(samples):
		return true
	default:
		return false
	}
}

// gauges appends the live gauges of the last full second, once for each second of the window and all VUs.
func (e *emitter) gauges(samples []metrics.Sample, now int64) []metrics.Sample {
	second, ok := e.rec.takeGaugeSecond(now)
	if !ok {
		return samples
	}
	h := e.rec.secondHist(second)
	at := time.Now()
	// A second without failures is 0 failures; without any load there is nothing.
	samples = append(samples, e.sample(e.metrics.rate, at, float64(h.total)), e.sample(e.metrics.errors, at, 0))
	if e.targetPerSec > 0 {
		samples = append(samples, e.sample(e.metrics.target, at, e.targetPerSec),
			e.sample(e.metrics.achieved, at, float64(h.total)/e.targetPerSec))
	}
	if h.total == 0 {
		return samples
	}
	q := h.quantileMs(0.5, 0.95, 0.99)
	return append(samples, e.sample(e.metrics.p50, at, q[0]), e.sample(e.metrics.p95, at, q[1]),
		e.sample(e.metrics.p99, at, q[2]))
}

// gaugeGrace is how long after a second its gauges wait for bursts that are merged late.
const gaugeGrace = 200 * time.Millisecond

// takeGaugeSecond returns the last full second of the window to the first caller that asks for it.
func (r *Recorder) takeGaugeSecond(now int64) (int64, bool) {
	if now < r.startNs+int64(time.Second+gaugeGrace) {
		return 0, false
	}
	done := min(r.second(now-int64(gaugeGrace)), (r.endNs-r.startNs)/int64(time.Second))
	next := r.nextGaugeSec.Load()
	if done <= next || !r.nextGaugeSec.CompareAndSwap(next, done) {
		return 0, false
	}
	return done - 1, true
}

// secondHist merges one recent second of all shards.
func (r *Recorder) secondHist(second int64) *hist {
	return r.slotsHist(func(s *slot) bool { return s.second == second })
}

// recentHist merges the seconds from that of a moment on, nanoseconds of [Now], as far as shards still have them open.
func (r *Recorder) recentHist(sinceNs int64) *hist {
	first := r.second(sinceNs)
	return r.slotsHist(func(s *slot) bool { return s.second >= first })
}

func (r *Recorder) slotsHist(wanted func(*slot) bool) *hist {
	h := &hist{}
	for i := range r.shards {
		sh := &r.shards[i]
		sh.mu.Lock()
		for j := range sh.slots {
			if s := &sh.slots[j]; wanted(s) {
				h.merge(&s.hist)
			}
		}
		sh.mu.Unlock()
	}
	return h
}
