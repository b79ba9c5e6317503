package burst

import (
	"errors"
	"fmt"
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

// lookEvery is how many counters there are for each that is looked at in a pipeline, where an operation costs the client so
// little that a look at each reply would be a tenth of it. Increments of the others are counted when they are answered, so
// many at a time; in the state after the load each counter is held against them.
const (
	lookEvery   = 8
	settleEvery = 4096
	maxSummed   = 8192 // counters whose increments are summed up first
)

// asked is one operation in flight: its counter, and the least that a right answer can be.
type asked struct {
	counter *tallied
	least   int64
	n       uint64 // which one of its connection it is, from 1
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
	digits := body
	if len(body) > 0 && body[0] == '-' {
		digits = body[1:]
	}
	if len(digits) == 0 || len(digits) > maxCounterDigits {
		return 0, false
	}
	value := int64(0)
	for _, c := range digits {
		if c < '0' || c > '9' {
			return 0, false
		}
		value = value*10 + int64(c-'0')
	}
	if len(digits) < len(body) {
		value = -value
	}
	return value, true
}

// maxCounterDigits is how many digits a counter has at most that no load reaches.
const maxCounterDigits = 18

// talliedAnswers checks replies that come in order. The zero value checks nothing and costs nothing.
type talliedAnswers struct {
	tally    *tally
	use      tallyUse
	after    []byte  // what stands before the counter in a reply of text
	inFlight []asked // in flight, of which something is known: inFlight[head:]
	head     int
	// Operations of the connection so far.
	asked, answered uint64
	unseen          unseen
}

// unseen are increments of counters that are not looked at, in their order. The zero value has none and costs nothing.
type unseen struct {
	keys     []uint32
	answered int
	failed   []int // places in keys
	sums     []int64
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

// sent notes an operation, one of several that are sent together or alone.
func (t *talliedAnswers) sent(key uint64, together bool) {
	if t.tally == nil {
		return
	}
	t.asked++
	if !together || key%lookEvery == 0 {
		one := t.tally.ask(key, t.use)
		one.n = t.asked
		t.inFlight = append(t.inFlight, one)
	} else if t.use != tallyReads {
		t.unseen.keys = append(t.unseen.keys, uint32(key))
	}
}

// check takes the oldest operation and reports whether the reply may be its answer.
func (t *talliedAnswers) check(kind byte, body []byte) bool {
	if t.tally == nil {
		return true
	}
	oldest, isAsked := t.take()
	if oldest == nil {
		return isAsked && t.pass(kind != '-' && kind != '_')
	}
	value, ok := counterValue(kind, body)
	return ok && kind != '-' && oldest.answered(value, t.use)
}

// take returns the oldest operation, nil where it is not looked at; false where there is none.
func (t *talliedAnswers) take() (*asked, bool) {
	if t.answered == t.asked {
		return nil, false
	}
	t.answered++
	if t.head == len(t.inFlight) || t.inFlight[t.head].n != t.answered {
		return nil, true
	}
	oldest := &t.inFlight[t.head]
	t.head++
	if t.head == len(t.inFlight) {
		t.inFlight, t.head = t.inFlight[:0], 0 // the array keeps it
	}
	return oldest, true
}

// told is check for replies of text. One that is no success acknowledges nothing.
func (t *talliedAnswers) told(body []byte, isSuccess bool) bool {
	if t.tally == nil {
		return true
	}
	oldest, isAsked := t.take()
	if oldest == nil {
		return isAsked && (t.pass(isSuccess) || !isSuccess)
	}
	return !isSuccess || t.tells(oldest, body)
}

// pass counts an operation that is not looked at.
func (t *talliedAnswers) pass(isSuccess bool) bool {
	if t.use == tallyReads {
		return true
	}
	u := &t.unseen
	if !isSuccess {
		u.failed = append(u.failed, u.answered)
	}
	if u.answered++; u.answered == len(u.keys) && u.answered >= settleEvery {
		t.settle()
	}
	return isSuccess
}

// settle counts the increments that were not looked at. What has no answer by then may have been applied.
func (t *talliedAnswers) settle() {
	u := &t.unseen
	if len(u.keys) == 0 {
		return
	}
	counters := t.tally.counters
	add := func(key uint32, n int64) {
		counters[key].sent.Add(n)
		counters[key].acked.Add(n)
	}
	if len(counters) > maxSummed {
		for _, key := range u.keys {
			add(key, 1)
		}
	} else {
		if u.sums == nil {
			u.sums = make([]int64, len(counters))
		}
		for _, key := range u.keys {
			u.sums[key]++
		}
		for key, n := range u.sums {
			if n > 0 {
				add(uint32(key), n)
				u.sums[key] = 0
			}
		}
	}
	for _, at := range u.failed {
		counters[u.keys[at]].acked.Add(-1)
	}
	for _, key := range u.keys[u.answered:] {
		counters[key].acked.Add(-1)
	}
	u.keys, u.failed, u.answered = u.keys[:0], u.failed[:0], 0
}

// tells reports whether a text may be the answer to an operation.
func (t *talliedAnswers) tells(one *asked, body []byte) bool {
	if t.use == tallyCounted {
		return one.answered(0, t.use)
	}
	value, ok := numberAfter(body, t.after)
	return ok && one.answered(int64(value), t.use)
}

// forget empties the queue: for a new connection.
func (t *talliedAnswers) forget() {
	t.inFlight, t.head, t.answered = t.inFlight[:0], 0, t.asked
	t.settle()
}

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
