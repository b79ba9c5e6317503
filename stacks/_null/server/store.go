package main

import (
	"bytes"
	"hash/maphash"
	"strconv"
	"sync"
	"sync/atomic"
)

// Redis's own texts, so that clients recognise them.
const (
	errNotInteger = "ERR value is not an integer or out of range"
	errOverflow   = "ERR increment or decrement would overflow"
)

const shardCount = 64

// store is the true state behind --counting: integers and strings by key. Keys of one
// MGET, DEL or EXISTS are taken one after the other; FLUSHALL and DBSIZE see all shards at once.
type store struct {
	seed       maphash.Seed
	shards     [shardCount]shard
	dropEvery  uint64 // 0 means never
	wrongEvery uint64 // 0 means never
	adds       atomic.Uint64
	sets       atomic.Uint64
	gets       atomic.Uint64
}

type shard struct {
	mu   sync.Mutex
	keys map[string]*entry
	_    [48]byte // a cache line each
}

// entry is a value; text is nil while it is a number.
type entry struct {
	number int64
	text   []byte
}

func newStore(dropEvery, wrongEvery uint64) *store {
	s := &store{seed: maphash.MakeSeed(), dropEvery: dropEvery, wrongEvery: wrongEvery}
	for i := range s.shards {
		s.shards[i].keys = map[string]*entry{}
	}
	return s
}

// lock returns the shard of a key, locked.
func (s *store) lock(key []byte) *shard {
	sh := &s.shards[maphash.Bytes(s.seed, key)%shardCount]
	sh.mu.Lock()
	return sh
}

// drops counts an acknowledged write and says whether it is one to lose.
func (s *store) drops(counter *atomic.Uint64) bool {
	return s.dropEvery > 0 && counter.Add(1)%s.dropEvery == 0
}

// add changes a counter and returns its new value, or Redis's error text.
func (s *store) add(key []byte, delta int64) (n int64, problem string) {
	sh := s.lock(key)
	defer sh.mu.Unlock()
	e := sh.keys[string(key)]
	if e != nil {
		if e.text != nil {
			return 0, errNotInteger
		}
		n = e.number
	}
	sum := n + delta
	if (sum > n) != (delta > 0) && delta != 0 {
		return 0, errOverflow
	}
	if s.drops(&s.adds) {
		return sum, ""
	}
	if e == nil {
		e = &entry{}
		sh.keys[string(key)] = e
	}
	e.number = sum
	return sum, ""
}

// set stores a value: as a number if it is written as one, so that INCR works on it.
func (s *store) set(key, value []byte) {
	if s.drops(&s.sets) {
		return
	}
	sh := s.lock(key)
	defer sh.mu.Unlock()
	e := sh.keys[string(key)]
	if e == nil {
		e = &entry{}
		sh.keys[string(key)] = e
	}
	if n, ok := parseInt(value); ok {
		e.number, e.text = n, nil
		return
	}
	if e.text == nil {
		e.text = []byte{} // not nil even for an empty value
	}
	e.text = append(e.text[:0], value...)
}

// appendValue appends the RESP bulk string of a key, or the nil one.
func (s *store) appendValue(b, key []byte) []byte {
	sh := s.lock(key)
	defer sh.mu.Unlock()
	e := sh.keys[string(key)]
	switch {
	case e == nil:
		return append(b, "$-1\r\n"...)
	case e.text != nil:
		at := len(b) + 1
		b = appendBulk(b, e.text)
		if s.spoils() && len(e.text) > 0 {
			b[at+bytes.IndexByte(b[at:], '\n')+1] ^= 1
		}
		return b
	}
	var digits [20]byte
	return appendBulk(b, strconv.AppendInt(digits[:0], e.number, 10))
}

// value returns a copy of a key's value.
func (s *store) value(key []byte) ([]byte, bool) {
	sh := s.lock(key)
	defer sh.mu.Unlock()
	e := sh.keys[string(key)]
	switch {
	case e == nil:
		return nil, false
	case e.text == nil:
		return strconv.AppendInt(nil, e.number, 10), true
	}
	value := bytes.Clone(e.text)
	if s.spoils() && len(value) > 0 {
		value[0] ^= 1
	}
	return value, true
}

// spoils counts an answer to a GET and says whether it is one to get wrong.
func (s *store) spoils() bool {
	return s.wrongEvery > 0 && s.gets.Add(1)%s.wrongEvery == 0
}

// bytes returns the size of all keys and values.
func (s *store) bytes() int64 {
	s.lockAll()
	defer s.unlockAll()
	sum := 0
	for i := range s.shards {
		for key, e := range s.shards[i].keys {
			sum += len(key) + len(e.text)
		}
	}
	return int64(sum)
}

func (s *store) del(key []byte) bool {
	sh := s.lock(key)
	defer sh.mu.Unlock()
	_, ok := sh.keys[string(key)]
	delete(sh.keys, string(key))
	return ok
}

func (s *store) has(key []byte) bool {
	sh := s.lock(key)
	defer sh.mu.Unlock()
	_, ok := sh.keys[string(key)]
	return ok
}

func (s *store) size() int {
	s.lockAll()
	defer s.unlockAll()
	n := 0
	for i := range s.shards {
		n += len(s.shards[i].keys)
	}
	return n
}

func (s *store) flush() {
	s.lockAll()
	defer s.unlockAll()
	for i := range s.shards {
		s.shards[i].keys = map[string]*entry{}
	}
}

func (s *store) lockAll() {
	for i := range s.shards {
		s.shards[i].mu.Lock()
	}
}

func (s *store) unlockAll() {
	for i := range s.shards {
		s.shards[i].mu.Unlock()
	}
}

// parseInt reads a number only in the form it would be printed in: "+1", "01" and "-0" stay strings.
func parseInt(b []byte) (int64, bool) {
	if len(b) == 0 || len(b) > 20 {
		return 0, false
	}
	n, err := strconv.ParseInt(string(b), 10, 64)
	if err != nil {
		return 0, false
	}
	var digits [20]byte
	return n, string(strconv.AppendInt(digits[:0], n, 10)) == string(b)
}
