package burst

import (
	"errors"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
)

// maxTally bounds the memory of a tally: 24 bytes for each counter.
const maxTally = 4 << 20

var errTallyRange = errors.New("tally: no such counter")

// tallied is what is known of one counter: its value before the load, and the increments that were sent and
// acknowledged since.
type tallied struct {
	start       int64
	sent, acked atomic.Int64
}

// tally knows the counters of a space, so that a reply can be checked by its value and not by its type alone. All
// connections of a process share one: a counter lies, at any moment, between what was acknowledged and what was sent.
type tally struct {
	counters []tallied
	shared   atomic.Bool // others add to them too: what was sent is not known here
}

var (
	talliesMu sync.Mutex
	tallies   = map[tallyName]*tally{}
)

// tallyName tells the tallies of a process apart: systems that it loads at the same time have one each.
type tallyName struct {
	of    string
	space uint64
}

// tallyFor returns the tally of a space of counters; the first caller makes it.
func tallyFor(of string, space uint64) (*tally, error) {
	if space < 1 || space > maxTally {
		return nil, fmt.Errorf("tally: from 1 to %d counters, got %d", maxTally, space)
	}
	talliesMu.Lock()
	defer talliesMu.Unlock()
	name := tallyName{of, space}
	t := tallies[name]
	if t == nil {
		t = &tally{counters: make([]tallied, space)}
		tallies[name] = t
	}
	return t, nil
}

// begin sets what the counters from one on hold before the load.
func (t *tally) begin(from int, values []int64) error {
	if from < 0 || from+len(values) > len(t.counters) {
		return errTallyRange
	}
	for i, value := range values {
		t.counters[from+i].start = value
	}
	return nil
}

// tallyCounts is what is known of each counter.
type tallyCounts struct{ start, sent, acked []int64 }

// counts returns what each counter held before, what was sent to it, and what of that was acknowledged.
func (t *tally) counts() tallyCounts {
	n := len(t.counters)
	c := tallyCounts{start: make([]int64, n), sent: make([]int64, n), acked: make([]int64, n)}
	for i := range t.counters {
		own := &t.counters[i]
		c.start[i], c.sent[i], c.acked[i] = own.start, own.sent.Load(), own.acked.Load()
	}
	return c
}

// tallyUse says what the replies to a template's operations tell of a counter.
type tallyUse uint8

const (
	tallyNone    tallyUse = iota
	tallyAdds             // the reply is the counter after one increment
	tallyReads            // the reply is the counter, or nothing where it was never incremented
	tallyCounted          // increments are counted, and no reply is checked: what was lost meanwhile is found out later
)

func parseTallyUse(name string) (tallyUse, error) {
	switch name {
	case "":
		return tallyNone, nil
	case "adds":
		return tallyAdds, nil
	case "reads":
		return tallyReads, nil
	case "counted":
		return tallyCounted, nil
	}
	return tallyNone, fmt.Errorf("tally %q: use adds, reads or counted", name)
}

// asked is one operation in flight: its counter, and the least that a right answer can be.
type asked struct {
	counter *tallied
	least   int64
	shared  bool
}

// ask notes an operation that is about to be sent. What was acknowledged before it was sent it must see.
func (t *tally) ask(key uint64, use tallyUse) asked {
	counter := &t.counters[key]
	least := counter.start + counter.acked.Load()
	if use != tallyReads {
		counter.sent.Add(1)
		least++
	}
	return asked{counter: counter, least: least, shared: t.shared.Load()}
}

// answered reports whether a value may be the answer: not below what had been acknowledged when it was asked for, not
// above what has been sent by now, where nobody else sends. A right answer to an increment acknowledges it.
func (a asked) answered(value int64, use tallyUse) bool {
	if use != tallyCounted && (value < a.least || (!a.shared && value > a.counter.start+a.counter.sent.Load())) {
		return false
	}
	if use != tallyReads {
		a.counter.acked.Add(1)
	}
	return true
}

// counterValue reads a reply: an integer, a text that is one, or nothing, which is zero.
func counterValue(kind byte, body []byte) (int64, bool) {
	if kind == '_' {
		return 0, true
	}
	value, err := strconv.ParseInt(string(body), 10, 64)
	return value, err == nil
}

// talliedAnswers checks replies that come in order. The zero value checks nothing and costs nothing.
type talliedAnswers struct {
	tally    *tally
	use      tallyUse
	after    []byte  // what stands before the counter in a reply of text
	inFlight []asked // in flight: inFlight[head:]
	head     int
}

// newTalliedAnswers checks a template's replies by the tally of the keys, or, where they have data, by that of its kind of
// key in the system.
func newTalliedAnswers(from template, keys *Keys) (talliedAnswers, error) {
	parsed, err := parseTallyUse(from.Tally)
	if err != nil || parsed == tallyNone || keys == nil || (keys.tally == nil && keys.data == nil) {
		return talliedAnswers{}, err
	}
	t := keys.tally
	if keys.data != nil {
		t, err = tallyFor(keys.data.options.Of+"/"+from.Of, keys.space)
	}
	return talliedAnswers{tally: t, use: parsed, after: []byte(from.ValueAfter)}, err
}

// newToldAnswers is newTalliedAnswers for replies of text, which tell a counter behind a marker.
func newToldAnswers(from template, keys *Keys) (talliedAnswers, error) {
	t, err := newTalliedAnswers(from, keys)
	if err == nil && t.tally != nil && t.use != tallyCounted && len(t.after) == 0 {
		err = fmt.Errorf("tally %q: needs valueAfter", from.Tally)
	}
	return t, err
}

// sent notes an operation.
func (t *talliedAnswers) sent(key uint64) {
	if t.tally != nil {
		t.inFlight = append(t.inFlight, t.tally.ask(key, t.use))
	}
}

// check takes the oldest operation and reports whether the reply may be its answer.
func (t *talliedAnswers) check(kind byte, body []byte) bool {
	if t.tally == nil {
		return true
	}
	if t.head == len(t.inFlight) {
		return false
	}
	oldest := t.take()
	value, ok := counterValue(kind, body)
	return ok && kind != '-' && oldest.answered(value, t.use)
}

func (t *talliedAnswers) take() asked {
	oldest := t.inFlight[t.head]
	t.head++
	if t.head == len(t.inFlight) {
		t.forget()
	}
	return oldest
}

// told is check for replies of text. One that is no success acknowledges nothing.
func (t *talliedAnswers) told(body []byte, isSuccess bool) bool {
	switch {
	case t.tally == nil:
		return true
	case t.head == len(t.inFlight):
		return false
	}
	oldest := t.take()
	return !isSuccess || t.tells(oldest, body)
}

// tells reports whether a text may be the answer to an operation.
func (t *talliedAnswers) tells(one asked, body []byte) bool {
	if t.use == tallyCounted {
		return one.answered(0, t.use)
	}
	value, ok := numberAfter(body, t.after)
	return ok && one.answered(int64(value), t.use)
}

// forget empties the queue: for a new connection.
func (t *talliedAnswers) forget() { t.inFlight, t.head = t.inFlight[:0], 0 }

// counters returns where an operation of a turn is counted.
func (o *tallyOptions) counters() ([]tallied, error) {
	if o.Each < 1 || o.From+o.Each > o.Of || o.From+o.Each < o.From {
		return nil, fmt.Errorf("tally: counters %d to %d are not of %d", o.From, o.From+o.Each, o.Of)
	}
	t, err := tallyFor(o.Name, o.Of)
	if err != nil {
		return nil, err
	}
	return t.counters[o.From : o.From+o.Each], nil
}

// counter returns where an operation is counted, nil where nobody counts.
func (r *request) counter(key uint64) *tallied {
	if len(r.counted) == 0 {
		return nil
	}
	return &r.counted[key%uint64(len(r.counted))]
}
