package measure

import (
	"math"
	"math/bits"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// Geometry of every histogram: units of 100 ns, 1 unit (0.1 us) to 60 s, 3 significant digits. It is the layout of
// HdrHistogram for New(1, histMax, 3), which a test proves, so counts can be handed over without conversion.
const (
	histUnitNs    = 100
	histMax       = 600_000_000
	histDigits    = 3
	histHalfBits  = 10
	histSubMask   = 1<<(histHalfBits+1) - 1
	histCountsLen = 21 << histHalfBits
)

// hist counts values in HdrHistogram's buckets. The zero value is empty and allocates on first use.
type hist struct {
	counts []int64
	total  int64
	lo, hi int // range of indexes in use, valid while total > 0
}

// histIndex returns the bucket of a value in units.
func histIndex(units int64) int {
	bucket := 63 - histHalfBits - bits.LeadingZeros64(uint64(units)|histSubMask)
	return bucket<<histHalfBits + int(units>>bucket)
}

// histHighest returns the largest value, in units, that falls into the bucket.
func histHighest(index int) int64 {
	bucket := index>>histHalfBits - 1
	sub := int64(index&(1<<histHalfBits-1)) + 1<<histHalfBits
	if bucket < 0 {
		bucket, sub = 0, sub-1<<histHalfBits
	}
	return (sub+1)<<bucket - 1
}

// record counts n values of ns nanoseconds, rounded to the nearest unit and clamped to the range.
func (h *hist) record(ns, n int64) {
	units := max(0, min((ns+histUnitNs/2)/histUnitNs, histMax))
	h.addAt(histIndex(units), n)
}

func (h *hist) addAt(index int, n int64) {
	switch {
	case h.counts == nil:
		h.counts = make([]int64, histCountsLen)
		fallthrough
	case h.total == 0:
		h.lo, h.hi = index, index
	default:
		h.lo, h.hi = min(h.lo, index), max(h.hi, index)
	}
	h.counts[index] += n
	h.total += n
}

// merge adds all counts of other.
func (h *hist) merge(other *hist) {
	if other.total == 0 {
		return
	}
	for index := other.lo; index <= other.hi; index++ {
		if n := other.counts[index]; n != 0 {
			h.addAt(index, n)
		}
	}
}

// reset empties h and keeps its memory.
func (h *hist) reset() {
	if h.total > 0 {
		clear(h.counts[h.lo : h.hi+1])
	}
	h.total = 0
}

// quantileMs returns the values at ascending quantiles (0..1) in ms; h must not be empty.
func (h *hist) quantileMs(quantiles ...float64) []float64 {
	values := make([]float64, 0, len(quantiles))
	index, seen := h.lo, h.counts[h.lo]
	for _, q := range quantiles {
		rank := max(1, int64(math.Ceil(q*float64(h.total))))
		for seen < rank && index < h.hi {
			index++
			seen += h.counts[index]
		}
		values = append(values, nsToMs(histHighest(index)*histUnitNs))
	}
	return values
}

// encode returns the compressed HdrHistogram V2 form in base64.
func (h *hist) encode() (string, error) {
	counts := h.counts
	if counts == nil {
		counts = make([]int64, histCountsLen)
	}
	data, err := hdrhistogram.Import(&hdrhistogram.Snapshot{
		LowestTrackableValue:  1,
		HighestTrackableValue: histMax,
		SignificantFigures:    histDigits,
		Counts:                counts,
	}).Encode(hdrhistogram.V2CompressedEncodingCookieBase)
	return string(data), err
}
