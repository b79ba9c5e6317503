package burst

import "sync"

const (
	poolBytes = 64 << 10
	maxValue  = 16 << 20                                                           // bytes
	alphabet  = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_" // 64 characters, safe in JSON and URLs
	hexDigits = "0123456789abcdef"
)

// valuePool makes the printable value of a key: a hash of (seed, key) in hexadecimal, then bytes of a random pool
// that starts where the hash says. A reader can compute the value again from the key.
type valuePool struct {
	seed uint64
	pool [poolBytes]byte
}

var pools sync.Map // uint64 seed -> *valuePool

func poolFor(seed uint64) *valuePool {
	if known, ok := pools.Load(seed); ok {
		return known.(*valuePool)
	}
	p := &valuePool{seed: seed}
	state := mix(seed ^ golden)
	for i := range p.pool {
		state += golden
		p.pool[i] = alphabet[mix(state)>>58]
	}
	known, _ := pools.LoadOrStore(seed, p)
	return known.(*valuePool)
}

// appendValue appends the size bytes of a key's value.
func (p *valuePool) appendValue(dst []byte, key uint64, size int) []byte {
	hash := mix(p.seed + mix(key+golden))
	for shift := 60; shift >= 0 && size > 0; shift -= 4 {
		dst = append(dst, hexDigits[hash>>shift&15])
		size--
	}
	from := int(hash % poolBytes)
	for size > 0 {
		n := min(size, poolBytes-from)
		dst = append(dst, p.pool[from:from+n]...)
		size -= n
		from = 0
	}
	return dst
}
