package influxagg

import (
	"math"
	"slices"
	"sort"
	"time"

	"go.k6.io/k6/v2/metrics"
)

// explosive tags have a value per VU, iteration, address or message; as InfluxDB tags they would make a series each.
var explosive = []string{"vu", "iter", "url", "ip", "error"}

// aggregator groups samples by metric, tags and second. It is not safe for concurrent use.
type aggregator struct {
	open    map[bucketKey]*bucket
	reduced map[*metrics.TagSet]*metrics.TagSet
	serial  int64 // makes the time stamps of every close distinct
}

type bucketKey struct {
	metric *metrics.Metric
	tags   *metrics.TagSet
	second int64 // Unix time
}

type bucket struct {
	count  int
	sum    float64
	last   float64
	lastAt time.Time
	trues  int
	values []float64 // of a trend
}

// point is a closed bucket.
type point struct {
	key    bucketKey
	timeNs int64
	bucket *bucket
}

func newAggregator() *aggregator {
	return &aggregator{
		open:    make(map[bucketKey]*bucket),
		reduced: make(map[*metrics.TagSet]*metrics.TagSet),
	}
}

func (a *aggregator) add(s metrics.Sample) {
	k := bucketKey{s.Metric, a.tags(s.Tags), s.Time.Unix()}
	b := a.open[k]
	if b == nil {
		b = &bucket{}
		a.open[k] = b
	}
	b.count++
	b.sum += s.Value
	if s.Value != 0 {
		b.trues++
	}
	if !s.Time.Before(b.lastAt) {
		b.last, b.lastAt = s.Value, s.Time
	}
	if s.Metric.Type == metrics.Trend {
		b.values = append(b.values, s.Value)
	}
}

// tags returns the tag set without the explosive ones.
func (a *aggregator) tags(full *metrics.TagSet) *metrics.TagSet {
	if known, ok := a.reduced[full]; ok {
		return known
	}
	if len(a.reduced) > 100_000 {
		clear(a.reduced)
	}
	reduced := full
	for _, name := range explosive {
		reduced = reduced.Without(name)
	}
	a.reduced[full] = reduced
	return reduced
}

// close takes out the buckets of all seconds before the given one, oldest first. A straggler that reopens a written
// second gets a time stamp of its own, because InfluxDB keeps one point per series and time.
func (a *aggregator) close(before int64) []point {
	a.serial++
	var points []point
	for k, b := range a.open {
		if k.second < before {
			points = append(points, point{k, k.second*int64(time.Second) + a.serial, b})
			delete(a.open, k)
		}
	}
	sort.SliceStable(points, func(i, j int) bool { return points[i].timeNs < points[j].timeNs })
	return points
}

// quantile returns the nearest-rank quantile of sorted values.
func quantile(sorted []float64, q float64) float64 {
	rank := int(math.Ceil(q * float64(len(sorted))))
	return sorted[max(0, min(rank-1, len(sorted)-1))]
}

// fields returns names and values in a fixed order.
func (p point) fields() ([]string, []float64) {
	b := p.bucket
	switch p.key.metric.Type {
	case metrics.Trend:
		slices.Sort(b.values)
		return []string{"mean", "min", "max", "p50", "p90", "p95", "p99", "p999"}, []float64{
			b.sum / float64(b.count), b.values[0], b.values[b.count-1],
			quantile(b.values, 0.5), quantile(b.values, 0.9), quantile(b.values, 0.95),
			quantile(b.values, 0.99), quantile(b.values, 0.999),
		}
	case metrics.Rate:
		return []string{"value"}, []float64{float64(b.trues) / float64(b.count)}
	case metrics.Gauge:
		return []string{"value"}, []float64{b.last}
	default:
		return []string{"value"}, []float64{b.sum}
	}
}
