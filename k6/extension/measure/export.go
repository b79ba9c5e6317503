package measure

import (
	"encoding/json"
	"fmt"
	"maps"
	"time"
)

// The shapes below are documented in index.d.ts.

type export struct {
	SchemaVersion int                        `json:"schemaVersion"`
	Notes         map[string]json.RawMessage `json:"notes"`
	Windows       []windowExport             `json:"windows"`
	CPU           []UsagePoint               `json:"cpu"`
	Loops         []loopExport               `json:"loops"`
}

type histExport struct {
	Encoding string `json:"encoding"`
	Unit     string `json:"unit"`
	Data     string `json:"data"`
}

type windowExport struct {
	Op             string           `json:"op"`
	Phase          string           `json:"phase"`
	StartMs        float64          `json:"startMs"`
	EndMs          float64          `json:"endMs"`
	FirstStartMs   *float64         `json:"firstStartMs"`
	LastEndMs      *float64         `json:"lastEndMs"`
	Count          int64            `json:"count"`
	Late           int64            `json:"late"`
	Early          int64            `json:"early"`
	Aborted        int64            `json:"aborted"`
	Unresolved     int64            `json:"unresolved"`
	Dropped        int64            `json:"dropped"`
	Errors         map[string]int64 `json:"errors"`
	ErrorKinds     map[string]int64 `json:"errorKinds,omitempty"`
	LateErrors     int64            `json:"lateErrors"`
	EarlyErrors    int64            `json:"earlyErrors"`
	FailedMs       float64          `json:"failedMs,omitempty"`
	MeanMs         *float64         `json:"meanMs"`
	SdMs           *float64         `json:"sdMs"`
	MinMs          *float64         `json:"minMs"`
	MaxMs          *float64         `json:"maxMs"`
	Service        *histExport      `json:"service"`
	Response       *histExport      `json:"response"`
	Lag            *histExport      `json:"lag"`
	ResponseMeanMs *float64         `json:"responseMeanMs"`
	ResponseMaxMs  *float64         `json:"responseMaxMs"`
	LagMeanMs      *float64         `json:"lagMeanMs"`
	LagMaxMs       *float64         `json:"lagMaxMs"`
	Series         []SeriesPoint    `json:"series"`
	PresentMs      *float64         `json:"presentMs,omitempty"`
	Timeline       *timelineExport  `json:"timeline,omitempty"`
}

// Export returns everything recorded as JSON. It may be called more than once.
func (s *Store) Export() ([]byte, error) {
	s.mu.Lock()
	out := export{SchemaVersion: 1, Notes: maps.Clone(s.notes), Windows: []windowExport{}}
	s.mu.Unlock()
	out.CPU, out.Loops = s.usage.export(), s.loops.export()
	for _, r := range s.sorted() {
		w, err := r.export()
		if err != nil {
			return nil, fmt.Errorf("exporting window %s/%s: %w", r.phase, r.op, err)
		}
		out.Windows = append(out.Windows, w)
	}
	return json.Marshal(out)
}

func (r *Recorder) export() (windowExport, error) {
	sum := r.total()
	startMs, endMs := r.bounds(sum)
	w := windowExport{
		Op: r.op, Phase: r.phase, StartMs: startMs, EndMs: endMs,
		Count: sum.service.count, Late: sum.late, Early: sum.early,
		Aborted: r.aborted.Load(), Unresolved: r.unresolved(sum), Dropped: r.dropped.Load(),
		Errors:     make(map[string]int64, numClasses),
		ErrorKinds: sum.kinds,
		LateErrors: sum.lateErrors, EarlyErrors: sum.earlyErrors, FailedMs: nsToMs(sum.failedNs),
		Series:   r.series.export(r.elapsedSeconds(sum)),
		Timeline: r.timeline.export(),
	}
	for class, n := range sum.errors {
		w.Errors[Class(class).String()] = n
	}
	if sum.lastEnd != 0 {
		w.FirstStartMs, w.LastEndMs = ptr(EpochMs(sum.firstStart)), ptr(EpochMs(sum.lastEnd))
	}
	if s := &sum.service; s.count > 0 {
		w.MeanMs, w.SdMs = floatMs(s.meanNs()), floatMs(s.sdNs())
		w.MinMs, w.MaxMs = ptr(nsToMs(s.min)), ptr(nsToMs(s.max))
	}
	if s := &sum.response; s.count > 0 {
		w.ResponseMeanMs, w.ResponseMaxMs = floatMs(s.meanNs()), ptr(nsToMs(s.max))
	}
	if s := &sum.lag; s.count > 0 {
		w.LagMeanMs, w.LagMaxMs = floatMs(s.meanNs()), ptr(nsToMs(s.max))
	}
	if r.openEnded() {
		w.PresentMs = ptr(nsToMs(r.presentNs()))
	}
	return w, w.encodeHistograms(sum)
}

// bounds returns the window, epoch ms: an open-ended one runs from its first send to its last completion.
func (r *Recorder) bounds(sum *shard) (startMs, endMs float64) {
	switch {
	case !r.openEnded():
		return r.startMs, r.endMs
	case sum.lastEnd != 0:
		return EpochMs(sum.firstStart), EpochMs(sum.lastEnd)
	default:
		return r.startMs, max(EpochMs(Now()), r.startMs+1)
	}
}

func (w *windowExport) encodeHistograms(sum *shard) error {
	var err error
	if w.Service, err = encodeHist(&sum.service.hist); err != nil {
		return err
	}
	if sum.response.count == 0 {
		return nil
	}
	if w.Response, err = encodeHist(&sum.response.hist); err != nil {
		return err
	}
	w.Lag, err = encodeHist(&sum.lag.hist)
	return err
}

func encodeHist(h *hist) (*histExport, error) {
	data, err := h.encode()
	return &histExport{Encoding: "hdr-v2-deflate-base64", Unit: "100ns", Data: data}, err
}

func floatMs(ns float64) *float64 { return ptr(ns / float64(time.Millisecond)) }

func ptr[T any](v T) *T { return &v }
