// An OpenTelemetry receiver for tests: it takes metrics by OTLP over HTTP and tells their sums. It prints its address
// and runs until it is ended.
//
//	POST /v1/metrics                    what an exporter sends, as protobuf
//	GET  /sum?metric=NAME&ATTRIBUTE=…   the sum of the series with these attributes, 404 where there is none
package main

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"

	common "go.opentelemetry.io/proto/otlp/common/v1"
	metrics "go.opentelemetry.io/proto/otlp/metrics/v1"
	"google.golang.org/protobuf/proto"
)

// maxBody is more than k6 sends at once.
const maxBody = 16 << 20

var errDelta = errors.New("only cumulative sums are understood")

// series is one line of a counter.
type series struct {
	metric     string
	attributes map[string]string
	value      float64 // the last one: an exporter sends what has been counted since it began
}

// receiver keeps what was sent. It is safe for concurrent use.
type receiver struct {
	mu     sync.Mutex
	series map[string]*series
}

func main() {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Fprintf(os.Stderr, "otlp-receiver: %v\n", err)
		os.Exit(1)
	}
	r := &receiver{series: make(map[string]*series)}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/metrics", r.take)
	mux.HandleFunc("GET /sum", r.sum)
	fmt.Printf("http://%s\n", listener.Addr())
	if err := http.Serve(listener, mux); err != nil {
		fmt.Fprintf(os.Stderr, "otlp-receiver: %v\n", err)
		os.Exit(1)
	}
}

// take reads one export. MetricsData has the wire format of a request, without what gRPC needs.
func (r *receiver) take(w http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, request.Body, maxBody))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	var data metrics.MetricsData
	if err := proto.Unmarshal(body, &data); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if err := r.add(&data); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "application/x-protobuf") // an empty answer: all was taken
}

func (r *receiver) add(data *metrics.MetricsData) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, resource := range data.GetResourceMetrics() {
		for _, scope := range resource.GetScopeMetrics() {
			for _, m := range scope.GetMetrics() {
				if err := r.addSum(m.GetName(), m.GetSum()); err != nil {
					return fmt.Errorf("%s: %w", m.GetName(), err)
				}
			}
		}
	}
	return nil
}

// addSum keeps a counter's lines; nothing of a metric that is none.
func (r *receiver) addSum(name string, sum *metrics.Sum) error {
	if sum != nil && sum.GetAggregationTemporality() != metrics.AggregationTemporality_AGGREGATION_TEMPORALITY_CUMULATIVE {
		return errDelta
	}
	for _, point := range sum.GetDataPoints() {
		attributes := textsOf(point.GetAttributes())
		key := fmt.Sprint(name, point.GetStartTimeUnixNano(), sorted(attributes))
		value := point.GetAsDouble()
		if _, whole := point.GetValue().(*metrics.NumberDataPoint_AsInt); whole {
			value = float64(point.GetAsInt())
		}
		r.series[key] = &series{metric: name, attributes: attributes, value: value}
	}
	return nil
}

// sum adds up the series that the query names.
func (r *receiver) sum(w http.ResponseWriter, request *http.Request) {
	query := request.URL.Query()
	r.mu.Lock()
	defer r.mu.Unlock()
	total, found := 0.0, false
	for _, s := range r.series {
		if s.matches(query) {
			total, found = total+s.value, true
		}
	}
	if !found {
		http.NotFound(w, request)
		return
	}
	_, _ = fmt.Fprintf(w, "%v\n", total)
}

func (s *series) matches(query map[string][]string) bool {
	for name, wanted := range query {
		is := s.attributes[name]
		if name == "metric" {
			is = s.metric
		}
		if !slices.Contains(wanted, is) {
			return false
		}
	}
	return true
}

func textsOf(attributes []*common.KeyValue) map[string]string {
	texts := make(map[string]string, len(attributes))
	for _, a := range attributes {
		texts[a.GetKey()] = a.GetValue().GetStringValue()
	}
	return texts
}

func sorted(attributes map[string]string) string {
	parts := make([]string, 0, len(attributes))
	for name, value := range attributes {
		parts = append(parts, name+"="+value)
	}
	slices.Sort(parts)
	return strings.Join(parts, ",")
}
