package scriptout

import (
	"maps"
	"math"
	"slices"
)

// sketch keeps how values of any size are distributed: each falls into a bucket that is 0.2 % wide, so that a percentile is
// right within 0.1 %. Its memory grows with the range of the values, not with their number.
type sketch struct {
	buckets  map[int32]int64 // by sign and magnitude, so that they are in order of value
	count    int64
	sum      float64
	min, max float64
}

// least is the smallest magnitude that is told from 0.
const least = 1e-9

var growth = math.Log(1.002)

func (s *sketch) add(value float64) {
	if math.IsNaN(value) || math.IsInf(value, 0) {
		return
	}
	if s.count == 0 {
		s.buckets, s.min, s.max = map[int32]int64{}, value, value
	}
	s.buckets[bucketOf(value)]++
	s.count++
	s.sum += value
	s.min, s.max = min(s.min, value), max(s.max, value)
}

func bucketOf(value float64) int32 {
	magnitude := math.Abs(value)
	if magnitude < least {
		return 0
	}
	bucket := 1 + int32(math.Log(magnitude/least)/growth)
	if value < 0 {
		return -bucket
	}
	return bucket
}

func middleOf(bucket int32) float64 {
	if bucket == 0 {
		return 0
	}
	magnitude := least * math.Exp((math.Abs(float64(bucket))-0.5)*growth)
	return math.Copysign(magnitude, float64(bucket))
}

// quantiles returns the values at ascending quantiles (0..1); s must not be empty.
func (s *sketch) quantiles(quantiles ...float64) []float64 {
	order := slices.Sorted(maps.Keys(s.buckets))
	values := make([]float64, 0, len(quantiles))
	at, seen := 0, s.buckets[order[0]]
	for _, q := range quantiles {
		for seen < int64(math.Ceil(q*float64(s.count))) && at < len(order)-1 {
			at++
			seen += s.buckets[order[at]]
		}
		values = append(values, max(s.min, min(s.max, middleOf(order[at]))))
	}
	return values
}

// distribution is what is told of a sketch.
type distribution struct {
	Count int64    `json:"count"`
	Mean  *float64 `json:"mean,omitempty"`
	Min   *float64 `json:"min,omitempty"`
	P50   *float64 `json:"p50,omitempty"`
	P95   *float64 `json:"p95,omitempty"`
	P99   *float64 `json:"p99,omitempty"`
	Max   *float64 `json:"max,omitempty"`
}

func (s *sketch) distribution() distribution {
	if s.count == 0 {
		return distribution{}
	}
	mean, q := s.sum/float64(s.count), s.quantiles(0.5, 0.95, 0.99)
	return distribution{s.count, &mean, &s.min, &q[0], &q[1], &q[2], &s.max}
}
