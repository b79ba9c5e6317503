package burst

import (
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"ladderbench/k6/extension/measure"
)

// dataOptions is what a workload's file says of what is stored.
type dataOptions struct {
	// Of names the system: each one that a process loads has data of its own.
	Of string `json:"of"`
	// Mark tells the values of this load from those of others.
	Mark   uint64        `json:"mark"`
	Values valuesOptions `json:"values"`
	// TTLSec is after how many seconds a value is gone; 0: it stays.
	TTLSec float64 `json:"ttlSec"`
	// MayMiss: the store may drop what it was given, as a cache does, or operations remove it.
	MayMiss bool `json:"mayMiss"`
	// Room is how many keys may be inserted beyond the space.
	Room uint64 `json:"room"`
	// Shared: other processes write to the same keys.
	Shared bool `json:"shared"`
}

// data is what this process knows of what it stored in one system: all its connections share it.
type data struct {
	options dataOptions
	space   uint64
	values  *storedValues
	ttl     uint32 // moments
	grown   atomic.Uint64
	mu      sync.Mutex
	tables  map[string]*table
}

// table is the values under one kind of key.
type table struct {
	of     *data
	keys   []keyState // nil where there are too many: then a value is held against its key alone
	faults [faultKinds]atomic.Int64
	absent atomic.Int64 // reads that found nothing where a value was written, and may be dropped
}

// keyState is what is known of one key: its writings, and when one was acknowledged last.
type keyState struct {
	writings
	acked atomic.Uint32 // moment
}

// fault is what is wrong with a value that was read.
type fault uint8

const (
	noFault   fault = iota
	ofAnother       // the value of another key
	tooOld          // an earlier value than the last one acknowledged
	isExpired       // a value that should have been gone
	isMissing       // nothing, where a value was promised
	isCut           // the beginning of the value
	isDamaged       // a value that nobody wrote
	faultKinds
)

var faultNames = [faultKinds]string{"", "ofAnother", "tooOld", "expired", "missing", "cut", "damaged"}

const (
	momentsPerSec = 10
	momentsFrom   = 1_700_000_000 * 1000 // epoch ms
	slack         = momentsPerSec        // what a store's clock may be off by
	maxKeyStates  = 4 << 20
)

// moment is a time in tenths of a second, the same for every process.
func moment(now int64) uint32 {
	return uint32((measure.EpochMs(now) - momentsFrom) * momentsPerSec / 1000)
}

var (
	dataMu sync.Mutex
	dataOf = map[tallyName]*data{}
)

// dataFor returns that of a system and space; the first caller says what it is.
func dataFor(o dataOptions, space uint64) (*data, error) {
	dataMu.Lock()
	defer dataMu.Unlock()
	name := tallyName{o.Of, space}
	if known := dataOf[name]; known != nil {
		return known, nil
	}
	if !(o.TTLSec >= 0 && o.TTLSec < 1e8) {
		return nil, fmt.Errorf("keys: ttlSec must be from 0 to 10^8, got %v", o.TTLSec)
	}
	values, err := newStoredValues(o.Values, o.Mark)
	if err != nil {
		return nil, err
	}
	d := &data{options: o, space: space, values: values, ttl: uint32(o.TTLSec * momentsPerSec), tables: map[string]*table{}}
	dataOf[name] = d
	return d, nil
}

// table returns that of a kind of key; the first caller makes it.
func (d *data) table(name string) *table {
	d.mu.Lock()
	defer d.mu.Unlock()
	t := d.tables[name]
	if t == nil {
		t = &table{of: d}
		if n := d.space + d.options.Room; n <= maxKeyStates {
			t.keys = make([]keyState, n)
		}
		d.tables[name] = t
	}
	return t
}

// inserted returns how many keys there are beyond the space.
func (d *data) inserted() uint64 {
	if d == nil {
		return 0
	}
	return min(d.grown.Load(), d.options.Room)
}

// insert returns the next key that was not used yet; where there is no room left, the oldest of these once more.
func (d *data) insert() uint64 {
	if d.options.Room == 0 {
		return 0
	}
	return d.space + (d.grown.Add(1)-1)%d.options.Room
}

// use says what an operation does with the value of its key.
type use uint8

const (
	useReads use = 1 << iota
	useWrites
	useRemoves
	useInserts
	useFills
)

var uses = map[string]use{
	"": 0, "reads": useReads, "writes": useWrites, "removes": useRemoves,
	"inserts": useInserts | useWrites, "swaps": useReads | useWrites, "fills": useFills | useWrites,
}

// access is the operations of one template on a table. The zero value does nothing and costs nothing.
type access struct {
	table *table
	use   use
	open  []askedValue // in flight: open[head:]
	head  int
	// missed gets the keys of reads that found nothing; nil where nobody fills them.
	missed *[]uint64
}

// askedValue is one operation in flight.
type askedValue struct {
	key            uint64
	least, leastAt uint32 // of the value that is read
	write, sentAt  uint32
	alone, gone    bool
}

func newAccess(t template, keys *Keys) (access, error) {
	use, ok := uses[t.Use]
	switch {
	case !ok:
		return access{}, fmt.Errorf("use %q: use reads, writes, removes, inserts, swaps or fills", t.Use)
	case use == 0:
		return access{}, nil
	case keys == nil || keys.data == nil:
		return access{}, errors.New("use needs keys with data")
	}
	return access{table: keys.data.table(t.Of), use: use}, nil
}

// begin notes an operation that is about to be sent; an insertion gets its key, and a writing its number.
func (a *access) begin(v *vars, now uint32) {
	if a.use&useInserts != 0 {
		v.key = a.table.of.insert()
	}
	one := askedValue{key: v.key}
	if a.table.keys == nil {
		a.open = append(a.open, one)
		v.turn = 0
		return
	}
	k := &a.table.keys[v.key]
	if a.use&useReads != 0 {
		least, sent := k.least.Load(), k.sent()
		one.least, one.leastAt = uint32(least>>32), uint32(least)
		if ttl := a.table.of.ttl; ttl > 0 && one.least > 0 && k.open() == 0 && now > k.acked.Load()+ttl+slack {
			one.gone, one.least = true, sent+1
		}
	}
	if a.use&(useWrites|useRemoves) != 0 {
		one.write, one.alone = k.begin()
		one.sentAt = now
		v.turn = one.write & maxTurn
	}
	a.open = append(a.open, one)
}

// answer is what a reply to an operation is, whatever the protocol.
type answer uint8

const (
	given   answer = iota // with a value, or an acknowledgement
	nothing               // there is none
	refused               // not done
	unsure                // perhaps done
)

// answered takes the oldest operation, and reports whether the value in its reply may be the answer.
func (a *access) answered(what answer, body []byte, within bool, now uint32) bool {
	if a.use == 0 || a.head == len(a.open) {
		return true
	}
	one := a.open[a.head]
	if a.head++; a.head == len(a.open) {
		a.forget()
	}
	t := a.table
	right := true
	if what == nothing && a.missed != nil {
		*a.missed = append(*a.missed, one.key)
	}
	if a.use&useReads != 0 && what <= nothing {
		if fault := t.fault(&one, what, body, within, now); fault != noFault {
			t.faults[fault].Add(1)
			right = false
		}
	}
	if one.write != 0 && what != unsure {
		k := &t.keys[one.key]
		// Who writes under a condition is told by nothing that it did not hold.
		if what == given || a.use&useReads != 0 && what == nothing {
			k.acked.Store(now)
			if one.alone {
				k.acknowledged(one.write, one.sentAt)
			}
		}
		k.end()
	}
	return right
}

// fault tells what is wrong with what was read.
func (t *table) fault(one *askedValue, what answer, body []byte, within bool, now uint32) fault {
	d := t.of
	if what == nothing {
		over := d.ttl > 0 && now+slack > one.leastAt+d.ttl
		switch {
		case one.least == 0 || one.gone || over:
			return noFault
		case d.options.MayMiss:
			t.absent.Add(1)
			return noFault
		}
		return isMissing
	}
	var f found
	switch {
	case !d.values.read(body, within, &f):
		return isDamaged
	case f.key != one.key:
		return ofAnother
	case !f.whole && f.cut:
		return isCut
	case !f.whole:
		return isDamaged
	case t.keys == nil || d.options.Shared:
		return noFault
	case f.mark != d.values.mark || f.turn < one.least&maxTurn:
		if one.least == 0 {
			return noFault
		}
		if one.gone {
			return isExpired
		}
		return tooOld
	case f.turn > t.keys[one.key].sent()&maxTurn:
		return isDamaged
	}
	return noFault
}

// forget empties the queue: for a new connection. A writing that was lost may come late: from then on nobody's is alone.
func (a *access) forget() { a.open, a.head = a.open[:0], 0 }

// tableState is a table for JavaScript: how many keys were written, how many reads found nothing where the store may drop
// what it was given, and what was wrong with values that were read.
type tableState struct {
	Table   string           `json:"table"`
	Written int64            `json:"written"`
	Open    int64            `json:"open"`
	Absent  int64            `json:"absent"`
	Faults  map[string]int64 `json:"faults"`
	Keys    []uint64         `json:"keys,omitempty"` // least of each, for who looks after this process has ended
	Sent    []uint32         `json:"sent,omitempty"`
}

// state tells what is known of all tables; whole with every key.
func (d *data) state(whole bool) []tableState {
	d.mu.Lock()
	defer d.mu.Unlock()
	all := []tableState{}
	for name, t := range d.tables {
		s := tableState{Table: name, Absent: t.absent.Load(), Faults: map[string]int64{}}
		for kind, n := range faultNames[1:] {
			s.Faults[n] = t.faults[kind+1].Load()
		}
		for i := range t.keys {
			k := &t.keys[i]
			least := k.least.Load()
			if least > 0 {
				s.Written++
			}
			s.Open += int64(k.open())
			if whole {
				s.Keys, s.Sent = append(s.Keys, least), append(s.Sent, k.sent())
			}
		}
		all = append(all, s)
	}
	return all
}

// restore takes over what an earlier process knew.
func (d *data) restore(text []byte) error {
	var all []tableState
	if err := json.Unmarshal(text, &all); err != nil {
		return err
	}
	for _, s := range all {
		t := d.table(s.Table)
		if len(s.Keys) != len(t.keys) || len(s.Sent) != len(t.keys) {
			return fmt.Errorf("data: %q had %d keys, and has %d", s.Table, len(s.Keys), len(t.keys))
		}
		for i := range t.keys {
			k := &t.keys[i]
			k.least.Store(s.Keys[i])
			open := uint32(0)
			if s.Sent[i] > uint32(s.Keys[i]>>32) {
				open = 1
			}
			k.resume(s.Sent[i], open)
			k.acked.Store(uint32(s.Keys[i]))
		}
	}
	return nil
}
