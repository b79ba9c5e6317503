package burst

import (
	"bytes"
	"sync"
	"sync/atomic"
)

// versions tells apart the documents that are written to a key again and again: all of one key are alike but for eight
// digits. All connections to one system share them, so that a reader knows which versions it may find.
type versions struct {
	of        tallyName
	documents *documentTable
	keys      []writings
}

// writings are the writes of a key. How many were sent, which numbers them, and how many are under way or got lost are one
// value: a write that took a lower number and was counted later would let a higher one be alone beside it.
type writings struct {
	both  atomic.Uint64
	least atomic.Uint64 // the write that nothing older may follow << 32 | moment of its sending, where that counts
}

// begin returns the number of a write, and whether nobody else's is under way.
func (w *writings) begin() (number uint32, alone bool) {
	now := w.both.Add(1<<32 + 1)
	return uint32(now >> 32), uint32(now) == 1
}

// acknowledged notes a write that was under way alone: it has followed all before it.
func (w *writings) acknowledged(number, sentAt uint32) {
	for was := w.least.Load(); uint32(was>>32) < number; was = w.least.Load() {
		if w.least.CompareAndSwap(was, uint64(number)<<32|uint64(sentAt)) {
			return
		}
	}
}

func (w *writings) end()          { w.both.Add(^uint64(0)) }
func (w *writings) sent() uint32  { return uint32(w.both.Load() >> 32) }
func (w *writings) open() uint32  { return uint32(w.both.Load()) }
func (w *writings) first() uint32 { return uint32(w.least.Load() >> 32) }

// resume takes over what another process knew.
func (w *writings) resume(sent, open uint32) { w.both.Store(uint64(sent)<<32 | uint64(open)) }

const versionDigits = 8

var (
	versionsMu sync.Mutex
	versionsOf = map[tallyName]*versions{}
)

// versionsFor returns those of a system's documents; the first caller makes them.
func versionsFor(name string, space uint64, documents *documentTable) *versions {
	versionsMu.Lock()
	defer versionsMu.Unlock()
	of := tallyName{name, space}
	if versionsOf[of] == nil {
		versionsOf[of] = &versions{of: of, documents: documents, keys: make([]writings, space)}
	}
	return versionsOf[of]
}

func (v *versions) name() string {
	if v == nil {
		return ""
	}
	return v.of.of
}

// versionAt returns where in a document its version stands: the first digits of its random data.
func versionAt(document []byte) int {
	const start, behind = `{"id":"doc-`, `","timestamp":"2006-01-02T15:04:05.000Z","data":"`
	return len(start) + bytes.IndexByte(document[len(start):], '"') + len(behind)
}

// stamp puts a version into a copy of a document.
func stamp(document []byte, version uint32) {
	at := versionAt(document)
	for i := versionDigits - 1; i >= 0; i-- {
		document[at+i] = byte('0' + version%10)
		version /= 10
	}
}

// read returns the version of a key's document, false where it is not one.
func (v *versions) read(key uint64, text []byte) (uint32, bool) {
	document := v.documents.at(key)
	at := versionAt(document)
	if len(text) != len(document) || !bytes.Equal(text[:at], document[:at]) ||
		!bytes.Equal(text[at+versionDigits:], document[at+versionDigits:]) {
		return 0, false
	}
	version := uint32(0)
	for _, c := range text[at : at+versionDigits] {
		if c < '0' || c > '9' {
			return 0, false
		}
		version = version*10 + uint32(c-'0')
	}
	return version, true
}

// mayBe reports whether a text may be found under a key by who asked when `least` was the oldest that could be there.
func (v *versions) mayBe(key uint64, text []byte, least uint32) bool {
	version, ok := v.read(key, text)
	return ok && least <= version && version <= v.keys[key].sent()
}

// write is one that is under way.
type write struct {
	key     uint64
	version uint32
	alone   bool // nobody else's was under way
}

// writes are those of a connection, which are answered in their order. The zero value knows of none and costs nothing.
type writes struct {
	to   *versions
	open []write
	head int
}

// begin notes a write and returns its version, 0 where nobody counts.
func (w *writes) begin(key uint64) uint32 {
	if w.to == nil {
		return 0
	}
	k := &w.to.keys[key]
	number, alone := k.begin()
	one := write{key: key, version: number, alone: alone}
	w.open = append(w.open, one)
	return one.version
}

// answered takes the oldest write: what was acknowledged, and under way alone, has followed all before it.
func (w *writes) answered(isRight bool) {
	if w.to == nil || w.head == len(w.open) {
		return
	}
	one := w.open[w.head]
	if w.head++; w.head == len(w.open) {
		w.forget()
	}
	k := &w.to.keys[one.key]
	if isRight {
		if one.alone {
			k.acknowledged(one.version, 0)
		}
		k.end()
	}
}

// forget empties the queue. A write that was lost may come late: from then on nobody's is alone.
func (w *writes) forget() { w.open, w.head = w.open[:0], 0 }
