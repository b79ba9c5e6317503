package measure

import "math"

// stats holds exact running sums of durations in nanoseconds next to their histogram.
type stats struct {
	hist     hist
	count    int64
	sum      float64
	sumSq    float64
	min, max int64
}

// sums counts n equal durations without touching the histogram.
func (s *stats) sums(ns, n int64) {
	if s.count == 0 {
		s.min, s.max = ns, ns
	} else {
		s.min, s.max = min(s.min, ns), max(s.max, ns)
	}
	value, times := float64(ns), float64(n)
	s.count += n
	s.sum += value * times
	s.sumSq += value * value * times
}

// add counts n equal durations.
func (s *stats) add(ns, n int64) {
	s.sums(ns, n)
	s.hist.record(ns, n)
}

func (s *stats) merge(other *stats) {
	if other.count == 0 {
		return
	}
	if s.count == 0 {
		s.min, s.max = other.min, other.max
	} else {
		s.min, s.max = min(s.min, other.min), max(s.max, other.max)
	}
	s.count += other.count
	s.sum += other.sum
	s.sumSq += other.sumSq
	s.hist.merge(&other.hist)
}

// meanNs returns the mean; count must not be 0.
func (s *stats) meanNs() float64 { return s.sum / float64(s.count) }

// sdNs returns the sample standard deviation, 0 for fewer than two values.
func (s *stats) sdNs() float64 {
	if s.count < 2 {
		return 0
	}
	n := float64(s.count)
	return math.Sqrt(max(0, (s.sumSq-s.sum*s.sum/n)/(n-1)))
}
