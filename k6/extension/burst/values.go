package burst

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"sync"
)

// valuesOptions says how long the values of a store are, and what they are made of.
type valuesOptions struct {
	From int `json:"from"` // bytes, up to `to`, each length as often as any other
	To   int `json:"to"`
	// List is lengths with their weights, in place of a range.
	List []struct {
		Bytes  int     `json:"bytes"`
		Weight float64 `json:"weight"`
	} `json:"list"`
	// LogNormal is lengths whose logarithm is normal, cut off at `most`.
	LogNormal *struct {
		Median float64 `json:"median"`
		Sigma  float64 `json:"sigma"`
		Most   int     `json:"most"`
	} `json:"logNormal"`
	// Pareto is lengths of a generalized Pareto distribution from `from` on, cut off at `most`; the part `small` of all has
	// the least length that there is.
	Pareto *struct {
		From  float64 `json:"from"`
		Scale float64 `json:"scale"`
		Shape float64 `json:"shape"`
		Small float64 `json:"small"`
		Most  int     `json:"most"`
	} `json:"pareto"`
	// Compressible is the part of a value that is one repeated character.
	Compressible float64 `json:"compressible"`
}

const (
	valueSign    = '~' // begins a value: in no alphabet of ours, and safe in JSON and URLs
	markDigits   = 3
	keyDigits    = 9
	turnDigits   = 5
	valueHead    = 1 + markDigits + keyDigits + turnDigits // bytes
	poolBlock    = 64
	quantiles    = 1 << 10
	maxTurn      = 1<<(6*turnDigits) - 1
	poolVariants = 100
)

// storedValues makes values that say whose they are: mark of the load, key, and which writing of the key it is; the rest
// follows from these, its length too, so that a reader knows every byte of it.
type storedValues struct {
	mark     uint64
	from, to int
	ends     []uint32 // of a list: upper ends of the parts, the last one open
	sizes    []int    // of a list, or the quantiles of a law
	pool     *[poolBytes]byte
}

func newStoredValues(o valuesOptions, mark uint64) (*storedValues, error) {
	s := &storedValues{mark: mark & (1<<(6*markDigits) - 1), from: o.From, to: max(o.From, o.To)}
	if !(o.Compressible >= 0 && o.Compressible <= 1) {
		return nil, fmt.Errorf("values: compressible must be from 0 to 1, got %v", o.Compressible)
	}
	s.pool = compressiblePool(int(math.Round(o.Compressible * poolVariants)))
	if o.LogNormal != nil {
		l := o.LogNormal
		if !(l.Median > 0) || !(l.Sigma >= 0) {
			return nil, errors.New("values: logNormal needs a positive median, and a sigma")
		}
		s.quantiles(l.Most, func(u float64) float64 {
			return l.Median * math.Exp(l.Sigma*math.Sqrt2*math.Erfinv(2*u-1))
		})
		return s, s.validate()
	}
	if p := o.Pareto; p != nil {
		if !(p.Scale > 0) || !(p.Shape > 0) || !(p.Small >= 0 && p.Small < 1) {
			return nil, errors.New("values: pareto needs a positive scale and shape, and a small part below 1")
		}
		s.quantiles(p.Most, func(u float64) float64 {
			if u < p.Small {
				return 0
			}
			return p.From + p.Scale/p.Shape*(math.Pow((1-u)/(1-p.Small), -p.Shape)-1)
		})
		return s, s.validate()
	}
	all, sum := 0.0, 0.0
	for _, one := range o.List {
		if !(one.Weight > 0) {
			return nil, errors.New("values: weights must be above 0")
		}
		all += one.Weight
	}
	for _, one := range o.List {
		sum += one.Weight
		s.ends = append(s.ends, uint32(min(math.MaxUint32, sum/all*math.MaxUint32)))
		s.sizes = append(s.sizes, one.Bytes)
	}
	return s, s.validate()
}

// quantiles makes a table of lengths, each as often as any other, from the inverse of their distribution.
func (s *storedValues) quantiles(most int, length func(u float64) float64) {
	for i := range quantiles {
		size := math.Round(length((float64(i) + 0.5) / quantiles))
		s.sizes = append(s.sizes, max(valueHead, int(min(size, float64(most)))))
	}
}

func (s *storedValues) validate() error {
	sizes := s.sizes
	if len(sizes) == 0 {
		sizes = []int{s.from, s.to}
	}
	for _, size := range sizes {
		if size < valueHead || size > maxValue {
			return fmt.Errorf("values: from %d to %d bytes, got %d: the first %d say whose a value is", valueHead, maxValue, size, valueHead)
		}
	}
	return nil
}

// hash is what length and bytes of a value follow from.
func (s *storedValues) hash(mark, key uint64, turn uint32) uint64 {
	return mix(mark<<32 ^ uint64(turn) + mix(key+golden))
}

// size returns the length that belongs to a hash.
func (s *storedValues) size(hash uint64) int {
	high := uint32(hash >> 32)
	switch {
	case s.ends != nil:
		for i, end := range s.ends {
			if high <= end {
				return s.sizes[i]
			}
		}
		return s.sizes[len(s.sizes)-1]
	case s.sizes != nil:
		return s.sizes[high>>22]
	case s.from == s.to:
		return s.from
	}
	return s.from + int(uint64(high)*uint64(s.to-s.from+1)>>32)
}

// append appends the value of a key, as it is written for the turn-th time.
func (s *storedValues) append(dst []byte, key uint64, turn uint32) []byte {
	return s.appendHashed(dst, s.hash(s.mark, key, turn), key, turn)
}

// appendHashed is append for who knows the hash: the length stands in a request before the value.
func (s *storedValues) appendHashed(dst []byte, hash, key uint64, turn uint32) []byte {
	size := s.size(hash) - valueHead
	var h [valueHead]byte
	h[0] = valueSign
	putDigits(h[1:1+markDigits], s.mark)
	putDigits(h[1+markDigits:1+markDigits+keyDigits], key)
	putDigits(h[1+markDigits+keyDigits:], uint64(turn))
	dst = append(dst, h[:]...)
	for from := int(hash % poolBytes); size > 0; from = 0 {
		n := min(size, poolBytes-from)
		dst = append(dst, s.pool[from:from+n]...)
		size -= n
	}
	return dst
}

// found is a value that was read.
type found struct {
	mark, key uint64
	turn      uint32
	at        int // where it begins
	whole     bool
	cut       bool // right as far as it goes
}

// read reads a value that stands alone, or, `within` another text, the first one in it.
func (s *storedValues) read(text []byte, within bool, f *found) bool {
	if !f.head(text) {
		return within && s.search(text, f)
	}
	s.body(text[valueHead:], within, f)
	return true
}

// search reads the first value behind the beginning of a text.
func (s *storedValues) search(text []byte, f *found) bool {
	for at := 1; at < len(text); at++ {
		next := bytes.IndexByte(text[at:], valueSign)
		if next < 0 {
			return false
		}
		at += next
		if f.head(text[at:]) {
			f.at = at
			s.body(text[at+valueHead:], true, f)
			return true
		}
	}
	return false
}

// head reads whose a value is. All digits are looked up before one of them is asked whether it is one: each reply is read
// so, and a branch for each digit would cost more than the rest.
func (f *found) head(text []byte) bool {
	if len(text) < valueHead || text[0] != valueSign {
		return false
	}
	h := (*[valueHead]byte)(text)
	var mark, key, turn uint64
	var all uint8
	for _, c := range h[1 : 1+markDigits] {
		digit := digitOf[c]
		all |= digit
		mark = mark<<6 | uint64(digit)
	}
	for _, c := range h[1+markDigits : 1+markDigits+keyDigits] {
		digit := digitOf[c]
		all |= digit
		key = key<<6 | uint64(digit)
	}
	for _, c := range h[1+markDigits+keyDigits:] {
		digit := digitOf[c]
		all |= digit
		turn = turn<<6 | uint64(digit)
	}
	*f = found{mark: mark, key: key, turn: uint32(turn)}
	return all < noDigit
}

// body holds the rest of a value against what must be there.
func (s *storedValues) body(rest []byte, within bool, f *found) {
	hash := s.hash(f.mark, f.key, f.turn)
	size := s.size(hash) - valueHead
	if !within && len(rest) > size {
		return
	}
	had := min(len(rest), size)
	same := 0
	for from := int(hash % poolBytes); same < had; from = 0 {
		n := min(had-same, poolBytes-from)
		if within || !bytes.Equal(rest[same:same+n], s.pool[from:from+n]) {
			for i := range n {
				if rest[same+i] != s.pool[from+i] {
					f.cut = within
					return
				}
			}
		}
		same += n
	}
	f.whole, f.cut = had == size, had < size
}

func putDigits(dst []byte, x uint64) {
	for i := len(dst) - 1; i >= 0; i-- {
		dst[i] = alphabet[x&63]
		x >>= 6
	}
}

// digitOf is the inverse of the alphabet, noDigit for other bytes.
var digitOf = func() (table [256]uint8) {
	for i := range table {
		table[i] = noDigit
	}
	for i := range alphabet {
		table[alphabet[i]] = uint8(i)
	}
	return table
}()

// noDigit has a bit that no digit has.
const noDigit = 64

var compressiblePools sync.Map // int, hundredths -> *[poolBytes]byte

// compressiblePool returns bytes of which, in each block, so many hundredths are one character.
func compressiblePool(hundredths int) *[poolBytes]byte {
	if known, ok := compressiblePools.Load(hundredths); ok {
		return known.(*[poolBytes]byte)
	}
	pool := poolFor(0).pool
	for i := range pool {
		if i%poolBlock*poolVariants < hundredths*poolBlock {
			pool[i] = alphabet[0]
		}
	}
	known, _ := compressiblePools.LoadOrStore(hundredths, &pool)
	return known.(*[poolBytes]byte)
}
