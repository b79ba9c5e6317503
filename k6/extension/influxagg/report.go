package influxagg

import (
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"go.k6.io/k6/v2/lib/fsext"
)

// report reconciles what k6 handed over with what InfluxDB took. Counts are of samples, by metric.
type report struct {
	mu sync.Mutex

	Address        string           `json:"address"`
	SamplesSeen    map[string]int64 `json:"samplesSeen"`
	SamplesWritten map[string]int64 `json:"samplesWritten"`
	PointsWritten  int64            `json:"pointsWritten"`
	PointsLost     int64            `json:"pointsLost"`
	Errors         []string         `json:"errors"`
}

func newReport(address string) *report {
	return &report{
		Address: address, SamplesSeen: map[string]int64{}, SamplesWritten: map[string]int64{}, Errors: []string{},
	}
}

// batch is points that are written, or lost, together.
type batch struct {
	lines   []byte
	points  int64
	samples map[string]int64
}

func (r *report) seen(metric string, n int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.SamplesSeen[metric] += n
}

func (r *report) written(b batch) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.PointsWritten += b.points
	for metric, n := range b.samples {
		r.SamplesWritten[metric] += n
	}
}

func (r *report) lost(b batch, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.PointsLost += b.points
	r.addError(err)
}

func (r *report) failed(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.addError(err)
}

// addError keeps the first few different errors.
func (r *report) addError(err error) {
	if len(r.Errors) < reportErrors && !slices.Contains(r.Errors, err.Error()) {
		r.Errors = append(r.Errors, err.Error())
	}
}

// save writes the report by way of a temporary file.
func (r *report) save(fs fsext.Fs, path string) error {
	r.mu.Lock()
	data, err := json.MarshalIndent(r, "", "  ")
	r.mu.Unlock()
	if err != nil {
		return err
	}
	temporary := path + ".tmp"
	if err := fsext.WriteFile(fs, temporary, append(data, '\n'), 0o644); err != nil {
		return fmt.Errorf("%s: %w", reportVariable, err)
	}
	if err := fs.Rename(temporary, path); err != nil {
		return fmt.Errorf("%s: %w", reportVariable, err)
	}
	return nil
}
