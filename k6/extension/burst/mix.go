package burst

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"

	"github.com/grafana/sobek"

	"ladderbench/k6/extension/measure"
)

const (
	maxMix    = 16
	mixSalt   = 0xa0761d6478bd642f // keeps the choice of operations apart from the choice of keys
	mixScale  = 1 << 53
	shareSlip = 1e-9
)

// mixPart is one operation of a mix: `{share, window, template}` of index.d.ts without its window.
type mixPart struct {
	Share    float64         `json:"share"`
	Template json.RawMessage `json:"template"`
}

// mixture decides which operation comes next. The same keys give the same row of operations on every system.
type mixture struct {
	parts    []codec
	requests []text
	bounds   []float64 // upper ends of the shares, the last one 1
	draws    *Keys
	missed   []uint64 // keys that the part `filler` writes next
	filler   int      // -1: none
}

// draw returns the number of the next operation's part.
func (m *mixture) draw() int {
	x := float64(m.draws.next()) / mixScale
	for i, bound := range m.bounds {
		if x < bound {
			return i
		}
	}
	return len(m.bounds) - 1
}

// mixOf reads the property mix: the parts, and the windows that record them; none of it when there is no mix.
func mixOf(rt *sobek.Runtime, options sobek.Value) (parts []mixPart, windows []*measure.Window, err error) {
	list := options.ToObject(rt).Get("mix")
	if list == nil || sobek.IsUndefined(list) || sobek.IsNull(list) {
		return nil, nil, nil
	}
	var elements []sobek.Value
	if err := rt.ExportTo(list, &elements); err != nil {
		return nil, nil, errors.New("mix must be a list of {share, window, template}")
	}
	for _, element := range elements {
		var part mixPart
		if err := decode(rt, element, &part, "window"); err != nil {
			return nil, nil, fmt.Errorf("mix: %w", err)
		}
		window, err := windowOf(rt, element)
		if err != nil {
			return nil, nil, fmt.Errorf("mix: %w", err)
		}
		parts, windows = append(parts, part), append(windows, window)
	}
	return parts, windows, validateMix(parts)
}

func validateMix(parts []mixPart) error {
	if len(parts) < 1 || len(parts) > maxMix {
		return fmt.Errorf("mix must have from 1 to %d parts, got %d", maxMix, len(parts))
	}
	sum := 0.0
	for _, p := range parts {
		if !(p.Share >= 0) || len(p.Template) == 0 {
			return errors.New("mix: every part needs a share and a template")
		}
		sum += p.Share
	}
	if sum < 1-shareSlip || sum > 1+shareSlip {
		return fmt.Errorf("mix: the shares must add up to 1, got %v", sum)
	}
	return nil
}

// newMixedCodec makes one codec that sends the requests of all parts in a seeded row. Replies come in one stream: where
// the parts do not agree on what a right one is, they must come in the order of the requests.
func newMixedCodec(parts []mixPart, o protocolOptions, keys *Keys) (codec, error) {
	if keys == nil {
		return nil, errors.New("a mix needs keys: they choose its operations")
	}
	m := &mixture{filler: -1}
	var first codec
	var expected template
	bound := 0.0
	for i, p := range parts {
		c, err := newCodec(p.Template, o, keys)
		if err != nil {
			return nil, err
		}
		var t template
		if err := strict(p.Template, &t); err != nil {
			return nil, err
		}
		if t = t.answer(); o.Protocol == "ws" {
			t.Tally, t.Of, t.ValueAfter = "", "", "" // it keeps what each operation in flight is of
		}
		if i == 0 {
			first, expected = c, t
		} else if !reflect.DeepEqual(t, expected) {
			first.maker().awaited.on = true
		}
		if fills := t.Use == "fills"; fills != (p.Share == 0) {
			return nil, errors.New("mix: what fills has the share 0, and nothing else has")
		}
		if ws, ok := c.(*wsCodec); ok {
			first.(*wsCodec).tells = first.(*wsCodec).tells || ws.tells
		}
		bound += p.Share
		m.parts = append(m.parts, c)
		m.requests, m.bounds = append(m.requests, c.maker().request), append(m.bounds, bound)
	}
	var err error
	if m.draws, err = newKeys(keysOptions{Seed: keys.seed ^ mixSalt, Stream: keys.stream, Space: mixScale}); err != nil {
		return nil, err
	}
	if _, byID := first.matched(); first.maker().awaited.on && (byID || o.Protocol == "ws") {
		return nil, errors.New("mix: over WebSocket the templates must agree on what a right answer is")
	}
	first.maker().mix = m
	return first, m.fill()
}

// fill has the part that fills write what the parts that read keys of its kind do not find.
func (m *mixture) fill() error {
	for i, part := range m.parts {
		if part.maker().access.use&useFills == 0 {
			continue
		}
		if m.filler >= 0 {
			return errors.New("mix: only one part may fill")
		}
		m.filler = i
	}
	if m.filler < 0 {
		return nil
	}
	of := m.parts[m.filler].maker().access.table
	for _, part := range m.parts {
		if a := &part.maker().access; a.use == useReads && a.table == of {
			a.missed = &m.missed
		}
	}
	return nil
}

// answer returns the part of a template that says what a right answer is.
func (t template) answer() template {
	t.Command, t.Path, t.Headers, t.Body, t.Message = nil, "", nil, "", ""
	return t
}

// carrier returns what records the operations that carry ids: of a mix those of its only part that does, nil where
// several do.
func (s *session) carrier() *measure.Batch {
	if s.mixed == nil {
		return s.batch
	}
	var one *measure.Batch
	for i, request := range s.maker.requestsOfMix() {
		if !request.uses(uuidPart) {
			continue
		}
		if one != nil {
			return nil
		}
		one = s.mixed[i]
	}
	return one
}

// requestsOfMix returns one request for each part; none where there is no mix.
func (g *generator) requestsOfMix() []text {
	if g.mix == nil {
		return nil
	}
	return g.mix.requests
}
