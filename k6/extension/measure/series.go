package measure

import "sync"

// seriesOpen is how many seconds keep a histogram before only their percentiles are kept.
const seriesOpen = 4

// SeriesPoint is one second of a window.
type SeriesPoint struct {
	T      int64    `json:"t"`
	Count  int64    `json:"count"`
	Errors int64    `json:"errors"`
	P50Ms  *float64 `json:"p50Ms"`
	P95Ms  *float64 `json:"p95Ms"`
	P99Ms  *float64 `json:"p99Ms"`
	MaxMs  *float64 `json:"maxMs"`
}

// series gathers the seconds of all shards of one Recorder.
type series struct {
	mu     sync.Mutex
	points []SeriesPoint
	open   map[int64]*hist
	spare  []*hist
}

// merge adds a shard's second.
func (s *series) merge(from *slot) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count(from.second, from.count, from.errors, from.max)
	newest := int64(len(s.points)) - 1
	if from.count == 0 || from.second <= newest-seriesOpen {
		return
	}
	h := s.open[from.second]
	if h == nil {
		h = s.newHist()
		if s.open == nil {
			s.open = make(map[int64]*hist)
		}
		s.open[from.second] = h
	}
	h.merge(&from.hist)
	for second, old := range s.open {
		if second <= newest-seriesOpen {
			s.points[second].quantiles(old)
			delete(s.open, second)
			s.spare = append(s.spare, old)
		}
	}
}

// late counts operations of a second whose histogram is gone; they change its count and maximum only.
func (s *series) late(second, count, errors, maxNs int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count(second, count, errors, maxNs)
}

func (s *series) count(second, count, errors, maxNs int64) {
	for int64(len(s.points)) <= second {
		s.points = append(s.points, SeriesPoint{T: int64(len(s.points))})
	}
	p := &s.points[second]
	p.Count += count
	p.Errors += errors
	if ms := nsToMs(maxNs); count > 0 && (p.MaxMs == nil || ms > *p.MaxMs) {
		p.MaxMs = &ms
	}
}

func (s *series) newHist() *hist {
	if n := len(s.spare); n > 0 {
		h := s.spare[n-1]
		s.spare = s.spare[:n-1]
		h.reset()
		return h
	}
	return &hist{}
}

// export returns a copy with at least seconds points.
func (s *series) export(seconds int64) []SeriesPoint {
	s.mu.Lock()
	defer s.mu.Unlock()
	if seconds > 0 {
		s.count(seconds-1, 0, 0, 0)
	}
	for second, h := range s.open {
		s.points[second].quantiles(h)
	}
	return append([]SeriesPoint{}, s.points...)
}

func (p *SeriesPoint) quantiles(h *hist) {
	if h.total == 0 {
		return
	}
	q := h.quantileMs(0.5, 0.95, 0.99)
	p.P50Ms, p.P95Ms, p.P99Ms = &q[0], &q[1], &q[2]
}
