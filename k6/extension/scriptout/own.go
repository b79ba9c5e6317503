package scriptout

import (
	"maps"
	"slices"

	"go.k6.io/k6/v2/metrics"
)

// builtin are the metrics of k6's own: all others are the script's.
var builtin = func() map[string]bool {
	names := map[string]bool{
		"grpc_req_duration": true, "grpc_streams": true, "grpc_streams_msgs_sent": true, "grpc_streams_msgs_received": true,
	}
	registry := metrics.NewRegistry()
	metrics.RegisterBuiltinMetrics(registry)
	for _, metric := range registry.All() {
		names[metric.Name] = true
	}
	return names
}()

// ownMetric is one that the script made: what it added within the window.
type ownMetric struct {
	metric *metrics.Metric
	values sketch
	last   float64
}

func (m *ownMetric) add(value float64) {
	m.last = value
	if m.metric.Type == metrics.Counter {
		m.values.count++
		m.values.sum += value
		return
	}
	m.values.add(value)
}

type ownExport struct {
	Name string `json:"name"`
	Type string `json:"type"`
	distribution
	IsTime bool     `json:"isTime,omitempty"`
	Share  *float64 `json:"share,omitempty"`
	PerSec *float64 `json:"perSec,omitempty"`
	Last   *float64 `json:"last,omitempty"`
}

// export tells of a trend how its values are distributed, of a rate the share that was not 0, of a counter how much was added
// in a second, and of a gauge the least, the greatest and the last value.
func (m *ownMetric) export(seconds float64) ownExport {
	told := ownExport{
		Name: m.metric.Name, Type: m.metric.Type.String(), IsTime: m.metric.Contains == metrics.Time,
		distribution: distribution{Count: m.values.count},
	}
	switch m.metric.Type {
	case metrics.Trend:
		told.distribution = m.values.distribution()
	case metrics.Counter:
		perSec := m.values.sum / seconds
		told.PerSec = &perSec
	case metrics.Rate:
		if m.values.count > 0 {
			share := m.values.sum / float64(m.values.count)
			told.Share = &share
		}
	case metrics.Gauge:
		if m.values.count > 0 {
			told.Min, told.Max, told.Last = &m.values.min, &m.values.max, &m.last
		}
	}
	return told
}

// own records a sample of one of the script's own metrics.
func (o *Output) own(s metrics.Sample) {
	if builtin[s.Metric.Name] {
		return
	}
	m := o.metrics[s.Metric.Name]
	if m == nil {
		m = &ownMetric{metric: s.Metric}
		o.metrics[s.Metric.Name] = m
	}
	if o.isWithin(endNs(s)) {
		m.add(s.Value)
	}
}

func (o *Output) ownMetrics() []ownExport {
	told := []ownExport{}
	for _, name := range slices.Sorted(maps.Keys(o.metrics)) {
		told = append(told, o.metrics[name].export(o.window.Seconds()))
	}
	return told
}
