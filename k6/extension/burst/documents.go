package burst

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"sync"
	"time"
)

// maxDocuments bounds the memory of a table: about 1 KB for each document.
const maxDocuments = 4 << 20

// documentTable is JSON documents by key, made once for each (seed, count) of a process: what a document costs to
// make must not be in the time of the operation that sends it.
type documentTable struct {
	once  sync.Once
	bytes []byte
	ends  []uint64 // of each document in bytes
}

type tableKey struct{ seed, count uint64 }

var (
	tablesMu sync.Mutex
	tables   = map[tableKey]*documentTable{}
)

// documentsFor returns the table of a seed; the first caller makes it, others wait for it.
func documentsFor(seed, count uint64) (*documentTable, error) {
	if count < 1 || count > maxDocuments {
		return nil, fmt.Errorf("documents: from 1 to %d, got %d", maxDocuments, count)
	}
	tablesMu.Lock()
	t := tables[tableKey{seed, count}]
	if t == nil {
		t = &documentTable{}
		tables[tableKey{seed, count}] = t
	}
	tablesMu.Unlock()
	t.once.Do(func() { t.fill(seed, count) })
	return t, nil
}

func (t *documentTable) fill(seed, count uint64) {
	t.bytes = make([]byte, 0, count*(documentBytes+documentBytes/16))
	t.ends = make([]uint64, 0, count)
	for key := range count {
		t.bytes = appendDocument(t.bytes, seed, key)
		t.ends = append(t.ends, uint64(len(t.bytes)))
	}
}

// at returns the document of a key; key must be less than count.
func (t *documentTable) at(key uint64) []byte {
	from := uint64(0)
	if key > 0 {
		from = t.ends[key-1]
	}
	return t.bytes[from:t.ends[key]]
}

// count returns how many documents there are.
func (t *documentTable) count() uint64 { return uint64(len(t.ends)) }

// facts is what a report says of a dataset.
type facts struct {
	Documents uint64  `json:"documents"`
	Bytes     uint64  `json:"bytes"`
	MeanBytes float64 `json:"meanBytes"`
	MinBytes  int     `json:"minBytes"`
	MaxBytes  int     `json:"maxBytes"`
	SHA256    string  `json:"sha256"` // of the first n documents, one after another
}

// factsOf measures the first n documents.
func (t *documentTable) factsOf(n uint64) facts {
	f := facts{Documents: n, Bytes: t.ends[n-1], MinBytes: len(t.at(0))}
	for key := range n {
		size := len(t.at(key))
		f.MinBytes, f.MaxBytes = min(f.MinBytes, size), max(f.MaxBytes, size)
	}
	f.MeanBytes = float64(f.Bytes) / float64(n)
	sum := sha256.Sum256(t.bytes[:f.Bytes])
	f.SHA256 = hex.EncodeToString(sum[:])
	return f
}

const (
	documentBytes  = 1024 // what a document's size is near to
	documentFields = 10
	firstTimestamp = 1_700_000_000 // seconds since the epoch
)

var documentTags = [...]string{
	"alpha", "archive", "billing", "draft", "europe", "export", "internal", "metrics", "mobile", "orders", "private",
	"public", "reviewed", "search", "staging", "updated",
}

// random is SplitMix64 over one document.
type random struct{ state uint64 }

func (r *random) next() uint64 {
	r.state += golden
	return mix(r.state)
}

// below returns a number from 0 to n-1.
func (r *random) below(n uint64) uint64 { return r.next() % n }

// text appends n characters that need no escape in JSON and do not compress.
func (r *random) text(dst []byte, n int) []byte {
	for bits := uint64(0); n > 0; n-- {
		if bits < 1<<6 {
			bits = r.next() | 1<<63
		}
		dst = append(dst, alphabet[bits&63])
		bits >>= 6
	}
	return dst
}

// appendDocument appends the document of a key: id, timestamp, 100 characters of random data, nested metadata with
// tags and scores, and an array of ten nested objects. It depends on seed and key only.
func appendDocument(dst []byte, seed, key uint64) []byte {
	r := &random{state: mix(mix(seed) + key*golden)}
	dst = append(dst, `{"id":"doc-`...)
	dst = strconv.AppendUint(dst, key, 10)
	dst = append(dst, `","timestamp":"`...)
	moment := time.Unix(firstTimestamp+int64(key), int64(r.below(1000))*1e6).UTC()
	dst = moment.AppendFormat(dst, "2006-01-02T15:04:05.000Z")
	dst = append(dst, `","data":"`...)
	dst = r.text(dst, 100)
	dst = append(dst, `","metadata":{"version":`...)
	dst = strconv.AppendUint(dst, 1+r.below(9), 10)
	dst = append(dst, `,"tags":[`...)
	for i := range 5 {
		dst = separator(dst, i)
		dst = append(dst, '"')
		dst = append(dst, documentTags[r.below(uint64(len(documentTags)))]...)
		dst = append(dst, '"')
	}
	dst = append(dst, `],"scores":[`...)
	for i := range 5 {
		dst = separator(dst, i)
		dst = strconv.AppendFloat(dst, float64(r.below(10_000))/100, 'f', 2, 64)
	}
	dst = append(dst, `]},"fields":[`...)
	for i := range documentFields {
		dst = separator(dst, i)
		dst = append(dst, `{"name":"field_`...)
		dst = strconv.AppendInt(dst, int64(i), 10)
		dst = append(dst, `","value":"`...)
		dst = r.text(dst, 19)
		dst = append(dst, `","nested":{"count":`...)
		dst = strconv.AppendUint(dst, 100+r.below(900), 10)
		dst = append(dst, `}}`...)
	}
	return append(dst, `]}`...)
}

func separator(dst []byte, i int) []byte {
	if i > 0 {
		dst = append(dst, ',')
	}
	return dst
}
