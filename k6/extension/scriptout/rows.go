package scriptout

import (
	"cmp"
	"slices"
	"strings"

	"go.k6.io/k6/v2/metrics"
)

// mostRows bounds the values of a tag that have a row of their own; what comes after them is in one row together.
const mostRows = 50

// request are the trends that time one request.
var request = map[string]bool{
	metrics.HTTPReqDurationName: true, metrics.WSConnectingName: true, "grpc_req_duration": true,
}

// rows tells requests apart by the value of a tag: which of them is slow, and which fails.
type rows struct {
	tag    string
	values map[string]*row
	others row
	beyond map[string]bool // values that are in others, as far as they are kept
}

// row is of the requests with one value; its times are those of requests that did not fail.
type row struct {
	times    sketch
	failed   int64
	failedMs float64 // all of them together
}

type rowsExport struct {
	Tag    string      `json:"tag"`
	Rows   []rowExport `json:"rows"`
	Others *rowExport  `json:"others,omitempty"`
	Beyond int         `json:"beyond,omitempty"` // values that others stands for, at least
}

type rowExport struct {
	Value        string   `json:"value"`
	Failed       int64    `json:"failed"`
	FailedMeanMs *float64 `json:"failedMeanMs,omitempty"`
	distribution
}

func (r *row) export(value string) rowExport {
	told := rowExport{Value: value, Failed: r.failed, distribution: r.times.distribution()}
	if r.failed > 0 {
		mean := r.failedMs / float64(r.failed)
		told.FailedMeanMs = &mean
	}
	return told
}

func newRows(tag string) *rows {
	if tag == "" {
		return nil
	}
	return &rows{tag: tag, values: map[string]*row{}, beyond: map[string]bool{}}
}

// add counts a request that ended within the window.
func (r *rows) add(s metrics.Sample, failed bool) {
	if r == nil || !request[s.Metric.Name] {
		return
	}
	own := r.of(valueOf(s, r.tag))
	if failed {
		own.failed++
		own.failedMs += s.Value
		return
	}
	own.times.add(s.Value)
}

// valueOf leaves out the query of an address, which may be another one each time.
func valueOf(s metrics.Sample, tagName string) string {
	value := tag(s, tagName)
	if at := strings.IndexAny(value, "?#"); at >= 0 && strings.Contains(value[:at], "://") {
		return value[:at]
	}
	return value
}

func (r *rows) of(value string) *row {
	if own := r.values[value]; own != nil {
		return own
	}
	if len(r.values) >= mostRows {
		if len(r.beyond) < 100*mostRows {
			r.beyond[value] = true
		}
		return &r.others
	}
	own := &row{}
	r.values[value] = own
	return own
}

// export is in order of the time that requests took together: where it is lost comes first.
func (r *rows) export() *rowsExport {
	if r == nil {
		return nil
	}
	told := &rowsExport{Tag: r.tag, Rows: []rowExport{}}
	for value, own := range r.values {
		told.Rows = append(told.Rows, own.export(value))
	}
	slices.SortFunc(told.Rows, func(a, b rowExport) int {
		return cmp.Or(cmp.Compare(r.values[b.Value].times.sum, r.values[a.Value].times.sum), cmp.Compare(a.Value, b.Value))
	})
	if len(r.beyond) > 0 {
		others := r.others.export("")
		told.Others, told.Beyond = &others, len(r.beyond)
	}
	return told
}
