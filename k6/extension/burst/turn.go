package burst

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/grafana/sobek"

	"ladderbench/k6/extension/measure"
)

const (
	maxSteps   = 256
	maxWindows = 16
)

// turnOptions is Turn of index.d.ts.
type turnOptions struct {
	Lists map[string][]string `json:"lists"`
	Steps []stepOptions       `json:"steps"`

	operations []string // what has a window, in their order
}

// stepOptions is one operation of a turn.
type stepOptions struct {
	requestOptions
	Op    string            `json:"op"`
	Set   map[string]string `json:"set"`
	Acked map[string]string `json:"acked"`
	Apart *apartOptions     `json:"apart"`
	More  []requestOptions  `json:"more"`
	Tally *tallyOptions     `json:"tally"`
}

// tallyOptions says where an operation is counted: `each` counters of a tally of `of`, from one on, by the key's remainder.
type tallyOptions struct {
	Name string `json:"name"`
	Of   uint64 `json:"of"`
	From uint64 `json:"from"`
	Each uint64 `json:"each"`
}

// requestOptions is one request of an operation, and what is demanded of its reply.
type requestOptions struct {
	Method   string                 `json:"method"`
	Path     string                 `json:"path"`
	Headers  map[string]string      `json:"headers"`
	Body     string                 `json:"body"`
	Status   int                    `json:"status"`
	Contains string                 `json:"contains"`
	Checks   []checkOptions         `json:"checks"`
	Take     map[string]takeOptions `json:"take"`
}

// takeOptions says where in a reply a name's text is.
type takeOptions struct {
	At     *string `json:"at"`
	Header string  `json:"header"`
	After  string  `json:"after"`
}

type apartOptions struct {
	From string  `json:"from"`
	Ms   float64 `json:"ms"`
}

// turnOf reads the properties turn and windows; nil when there is no turn.
func turnOf(rt *sobek.Runtime, options sobek.Value) (*turnOptions, []*measure.Window, error) {
	object := options.ToObject(rt)
	value := object.Get("turn")
	if value == nil || sobek.IsUndefined(value) || sobek.IsNull(value) {
		return nil, nil, nil
	}
	var o turnOptions
	if err := decode(rt, value, &o); err != nil {
		return nil, nil, fmt.Errorf("turn: %w", err)
	}
	named := object.Get("windows")
	if named == nil || sobek.IsUndefined(named) || sobek.IsNull(named) {
		return nil, nil, errors.New("turn: windows are missing")
	}
	var windows []*measure.Window
	byOp := named.ToObject(rt)
	for _, op := range byOp.Keys() {
		window, err := measure.FromValue(rt, byOp.Get(op))
		if err != nil {
			return nil, nil, fmt.Errorf("windows.%s: %w", op, err)
		}
		o.operations, windows = append(o.operations, op), append(windows, window)
	}
	return &o, windows, o.validate()
}

func (o *turnOptions) validate() error {
	switch {
	case len(o.Steps) < 1 || len(o.Steps) > maxSteps:
		return fmt.Errorf("turn: from 1 to %d steps, got %d", maxSteps, len(o.Steps))
	case len(o.operations) < 1 || len(o.operations) > maxWindows:
		return fmt.Errorf("turn: from 1 to %d windows, got %d", maxWindows, len(o.operations))
	}
	for i, s := range o.Steps {
		if !slices.Contains(o.operations, s.Op) {
			return fmt.Errorf("turn: step %d: the operation %q has no window", i, s.Op)
		}
	}
	for name, list := range o.Lists {
		if len(list) == 0 {
			return fmt.Errorf("turn: the list %q is empty", name)
		}
	}
	return nil
}

// key identifies the turn among the works of a connection.
func (o *turnOptions) key() (json.RawMessage, error) {
	return json.Marshal(struct {
		Turn       *turnOptions
		Operations []string
	}{o, o.operations})
}

// turn is operations in an order, again and again: where a connection stands in it, and what it knows by name.
type turn struct {
	requests []request
	slots    [][]byte
	setAt    []int64 // of slots whose age matters, of measure.Now

	at     int  // the request that comes next, or whose reply is awaited
	passed int  // operations that were counted without being sent, since
	within bool // the request belongs to the operation of the one before it
}

// request is one request of a turn.
type request struct {
	text     text
	expected expectation
	head     bool // of its operation
	kind     uint8
	timed    bool
	sets     []assignment
	checks   []probe
	takes    []probe
	headers  []headerTake
	right    rightBodies
	counted  []tallied    // by the key's remainder; none where nobody counts
	acked    []assignment // empty while it is under way, known once it is acknowledged
	ends     bool         // without it the rest of the turn makes no sense
	apart    int64        // ns; 0: whatever it comes after
	from     int          // slot that it must be apart from, to be sure which was first
	isApart  bool         // as it was sent
}

// assignment gives a slot a text.
type assignment struct {
	slot int
	text text
}

// headerTake keeps a header of a reply.
type headerTake struct {
	slot  int
	name  string
	after []byte
}

// fail goes on after an operation that failed: with the next one, or with the next turn where the others need it.
func (t *turn) fail() {
	t.within = false
	if t.requests[t.at].ends {
		t.at = 0
		return
	}
	for t.next(); !t.requests[t.at].head; t.next() {
	}
}

func (t *turn) next() {
	if t.at++; t.at == len(t.requests) {
		t.at = 0
	}
}

// pass returns the kind of an operation that is counted and not sent.
func (t *turn) pass() uint8 {
	kind := t.requests[(t.at+t.passed)%len(t.requests)].kind
	t.passed++
	return kind
}

// names are what the texts of a turn may refer to, in the order in which they get known.
type names struct {
	slots map[string]int
	lists map[string][][]byte
}

func (n *names) slot(name string) int {
	at, known := n.slots[name]
	if !known {
		at = len(n.slots)
		n.slots[name] = at
	}
	return at
}

func (n *names) compile(template string) (text, error) { return compileWith(template, n) }

// newTurnCodec compiles a turn for one connection.
func newTurnCodec(o *turnOptions, p protocolOptions, keys *Keys) (codec, error) {
	switch {
	case p.Protocol != "http":
		return nil, fmt.Errorf("a turn needs the protocol http, not %q", p.Protocol)
	case keys == nil:
		return nil, errors.New("a turn needs keys")
	}
	known := &names{slots: map[string]int{}, lists: map[string][][]byte{}}
	for name, list := range o.Lists {
		for _, one := range list {
			known.lists[name] = append(known.lists[name], []byte(one))
		}
	}
	t := &turn{}
	for i, s := range o.Steps {
		requests, err := s.compile(p, known)
		if err != nil {
			return nil, fmt.Errorf("turn: step %d (%s): %w", i, s.Op, err)
		}
		for j := range requests {
			requests[j].kind = uint8(slices.Index(o.operations, s.Op))
		}
		t.requests = append(t.requests, requests...)
	}
	t.slots, t.setAt = make([][]byte, len(known.slots)), make([]int64, len(known.slots))
	c := &turnCodec{httpCodec: httpCodec{generator: newGenerator(nil, keys)}}
	c.turn, c.vars.slots = t, t.slots
	for i := range t.requests {
		if t.requests[i].text.uses(docPart) && keys.documents == nil {
			return nil, errors.New("turn: {document} needs keys with documents: true")
		}
	}
	return c, nil
}

// compile makes the requests of one operation.
func (s *stepOptions) compile(p protocolOptions, known *names) ([]request, error) {
	sets, err := assignments(s.Set, known)
	if err != nil {
		return nil, err
	}
	var requests []request
	for i, r := range append([]requestOptions{s.requestOptions}, s.More...) {
		one, err := r.compile(p, known)
		if err != nil {
			return nil, err
		}
		one.head = i == 0
		requests = append(requests, one)
	}
	first, last := &requests[0], &requests[len(requests)-1]
	first.sets = sets
	if s.Tally != nil {
		if first.counted, err = s.Tally.counters(); err != nil {
			return nil, err
		}
		last.counted = first.counted
	}
	for _, set := range sets {
		first.timed = first.timed || set.text.uses(nowPart)
	}
	if s.Apart != nil {
		from, isKnown := known.slots[s.Apart.From]
		if !isKnown || !(s.Apart.Ms > 0) {
			return nil, errors.New("apart needs a name that is known by then, and milliseconds")
		}
		first.from, first.apart = from, int64(s.Apart.Ms*1e6)
	}
	if len(s.More) > 0 && (s.Apart != nil || len(s.Acked) > 0) {
		return nil, errors.New("acked and apart go with one request, not with several")
	}
	if last.acked, err = assignments(s.Acked, known); err != nil {
		return nil, err
	}
	ends := slices.ContainsFunc(requests, func(r request) bool { return len(r.takes)+len(r.headers) > 0 })
	for i := range requests {
		requests[i].ends = ends
	}
	return requests, nil
}

func (r *requestOptions) compile(p protocolOptions, known *names) (request, error) {
	asked := template{Method: r.Method, Path: r.Path, Headers: r.Headers, Body: r.Body, Status: r.Status, Contains: r.Contains}
	made, expected, err := httpRequest(asked, p, known)
	if err != nil {
		return request{}, err
	}
	one := request{text: made, expected: expected, timed: made.uses(nowPart)}
	for _, check := range r.Checks {
		probe, err := check.probe(known)
		if err != nil {
			return request{}, err
		}
		one.checks = append(one.checks, probe)
	}
	if len(r.Take) == 0 {
		one.right = newRightBodies(one.checks)
	}
	for _, name := range sorted(r.Take) {
		take := r.Take[name]
		switch {
		case (take.At != nil) == (take.Header != ""):
			return request{}, fmt.Errorf("take %q: either at or header", name)
		case take.At != nil:
			path, err := compileJSONPath(*take.At, known)
			if err != nil {
				return request{}, err
			}
			one.takes = append(one.takes, probe{path: path, kind: probeTake, slot: known.slot(name)})
		default:
			one.headers = append(one.headers, headerTake{known.slot(name), lower(take.Header), []byte(take.After)})
		}
	}
	return one, nil
}

// assignments compiles texts in the order of their names. A text knows only what was named before all of them.
func assignments(texts map[string]string, known *names) ([]assignment, error) {
	var all []assignment
	for _, name := range sorted(texts) {
		compiled, err := known.compile(texts[name])
		if err != nil {
			return nil, err
		}
		all = append(all, assignment{text: compiled})
	}
	for i, name := range sorted(texts) {
		all[i].slot = known.slot(name)
	}
	return all, nil
}
