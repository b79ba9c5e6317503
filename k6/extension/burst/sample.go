package burst

import (
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"ladderbench/k6/extension/measure"
)

// sampleEvery is how often a connection keeps a reply, and maxSamples how many of each operation a process keeps: later
// ones take the places of earlier ones by chance, so that all of a load is looked at.
const (
	sampleEvery = int64(20 * time.Millisecond)
	maxSamples  = 512
)

// newestAcked is when the newest operation that says its moment was sent, of those that were acknowledged; of Now.
var newestAcked atomic.Int64

// acknowledge notes that an operation was acknowledged.
func acknowledge(start int64) {
	for was := newestAcked.Load(); was < start && !newestAcked.CompareAndSwap(was, start); {
		was = newestAcked.Load()
	}
}

// sample is a reply, and what had been acknowledged when it was asked for.
type sample struct {
	body   []byte
	newest int64
}

// samples of a process by operation.
var samples = struct {
	mu   sync.Mutex
	kept map[string][]sample
	seen map[string]int
}{kept: map[string][]sample{}, seen: map[string]int{}}

func keepSample(op string, body []byte, newest int64) {
	samples.mu.Lock()
	defer samples.mu.Unlock()
	seen := samples.seen[op]
	samples.seen[op]++
	kept := samples.kept[op]
	one := sample{append([]byte(nil), body...), newest}
	if len(kept) < maxSamples {
		samples.kept[op] = append(kept, one)
	} else if at := rand.IntN(seen + 1); at < maxSamples {
		kept[at] = one
	}
}

// sampler keeps a reply now and then. The zero value keeps none and costs nothing.
type sampler struct {
	on     bool
	next   int64
	newest int64
	body   []byte // until the session takes it
}

func (s *sampler) asked() {
	if s.on {
		s.newest = newestAcked.Load()
	}
}

func (s *sampler) answered(body []byte) {
	if !s.on {
		return
	}
	if now := measure.Now(); now >= s.next {
		s.next = now + sampleEvery
		s.body = append(s.body[:0], body...)
	}
}

// take hands over what was kept.
func (s *sampler) take(op string) {
	if len(s.body) > 0 {
		keepSample(op, s.body, s.newest)
		s.body = s.body[:0]
	}
}
