package burst

import (
	"errors"
	"fmt"
	"math"
)

// chooseOptions says which keys are drawn how often; none of them: each as often as any other.
type chooseOptions struct {
	// Zipf is the exponent: the k-th most wanted key is asked for in proportion to 1 / k^zipf.
	Zipf *float64 `json:"zipf"`
	// Latest is the same, by age: the key that was inserted last is the most wanted one.
	Latest *float64 `json:"latest"`
	// Scrambled spreads the wanted keys of zipf over the space, as YCSB's ScrambledZipfianGenerator does.
	Scrambled bool `json:"scrambled"`
	// Sequential takes one after another, all users together.
	Sequential bool `json:"sequential"`
	// Hot is the part of the keys that the given part of the operations asks for, say 0.2 and 0.8.
	Hot []float64 `json:"hot"`
}

// choice draws keys of a space by chance, or in their order.
type choice struct {
	kind      choiceKind
	zipf      zipf
	hotKeys   uint64
	hotBefore uint64 // a draw below this one is for a hot key
	at, by    uint64 // of keys in their order: the next one, and how many users share them
}

type choiceKind uint8

const (
	uniformChoice choiceKind = iota
	zipfChoice
	scrambledChoice
	latestChoice
	sequentialChoice
	hotChoice
)

// scrambledItems is how many ranks YCSB's ScrambledZipfianGenerator draws from, whatever the space (its ITEM_COUNT).
const scrambledItems = 10_000_000_000

func newChoice(o *chooseOptions, space, stream, streams uint64) (choice, error) {
	if o == nil {
		return choice{}, nil
	}
	said := 0
	for _, is := range []bool{o.Zipf != nil, o.Latest != nil, o.Sequential, o.Hot != nil} {
		if is {
			said++
		}
	}
	switch {
	case said > 1:
		return choice{}, errors.New("keys: zipf, latest, sequential and hot exclude each other")
	case o.Scrambled && o.Zipf == nil:
		return choice{}, errors.New("keys: scrambled goes with zipf")
	case o.Zipf != nil && o.Scrambled:
		z, err := newZipf(scrambledItems, *o.Zipf)
		return choice{kind: scrambledChoice, zipf: z}, err
	case o.Zipf != nil:
		z, err := newZipf(space, *o.Zipf)
		return choice{kind: zipfChoice, zipf: z}, err
	case o.Latest != nil:
		z, err := newZipf(space, *o.Latest)
		return choice{kind: latestChoice, zipf: z}, err
	case o.Sequential:
		return choice{kind: sequentialChoice, at: stream % max(1, streams), by: max(1, streams)}, nil
	case o.Hot != nil:
		return hotOf(o.Hot, space)
	}
	return choice{}, nil
}

func hotOf(parts []float64, space uint64) (choice, error) {
	if len(parts) != 2 || !(parts[0] > 0 && parts[0] < 1) || !(parts[1] > 0 && parts[1] < 1) {
		return choice{}, errors.New("keys: hot needs two parts between 0 and 1, of the keys and of the operations")
	}
	keys := min(max(1, uint64(math.Round(parts[0]*float64(space)))), max(1, space-1))
	return choice{kind: hotChoice, hotKeys: keys, hotBefore: uint64(parts[1] * (1 << 53) * (1 << 11))}, nil
}

// zipf draws ranks from 1 to n, the rank k in proportion to 1 / k^theta, by rejection-inversion: W. Hörmann and
// G. Derflinger, "Rejection-inversion to generate variates from monotone discrete distributions", ACM Transactions on
// Modeling and Computer Simulation 6 (1996). It needs no table, holds for every theta from 0 on, and its space may grow.
type zipf struct {
	n            uint64
	theta, rest  float64 // rest: 1 - theta
	first, last  float64 // area up to rank 1 less its own mass, and up to rank n
	alwaysWithin float64
	plain        bool // theta is so far from 1 that nothing is lost by the quicker form
}

func newZipf(n uint64, theta float64) (zipf, error) {
	if !(theta >= 0 && theta <= 10) {
		return zipf{}, fmt.Errorf("keys: the exponent of zipf must be from 0 to 10, got %v", theta)
	}
	z := zipf{theta: theta, rest: 1 - theta, plain: math.Abs(1-theta) > 1e-3}
	z.first = z.area(1.5) - 1
	z.alwaysWithin = 2 - z.rank(z.area(2.5)-z.mass(2))
	z.grow(n)
	return z, nil
}

// grow sets the number of ranks.
func (z *zipf) grow(n uint64) {
	if n != z.n {
		z.n, z.last = n, z.area(float64(n)+0.5)
	}
}

// mass is the weight of a rank.
func (z *zipf) mass(x float64) float64 { return math.Exp(-z.theta * math.Log(x)) }

// area is the integral of the weight from 1 to x.
func (z *zipf) area(x float64) float64 {
	log := math.Log(x)
	if z.plain {
		return (math.Exp(z.rest*log) - 1) / z.rest
	}
	return log * expm1Over(z.rest*log)
}

// rank is the inverse of area.
func (z *zipf) rank(area float64) float64 {
	t := max(-1, area*z.rest)
	if z.plain {
		return math.Exp(math.Log(1+t) / z.rest)
	}
	return math.Exp(area * log1pOver(t))
}

// expm1Over is (e^x - 1) / x, log1pOver is log(1 + x) / x; near 0 by their series, so that theta 1 is no special case.
func expm1Over(x float64) float64 {
	if math.Abs(x) > 1e-8 {
		return math.Expm1(x) / x
	}
	return 1 + x/2
}

func log1pOver(x float64) float64 {
	if math.Abs(x) > 1e-8 {
		return math.Log1p(x) / x
	}
	return 1 - x/2
}

// draw returns a rank from 0 to n-1, the most wanted one first.
func (z *zipf) draw(k *Keys) uint64 {
	for {
		u := z.last + unit(k.random())*(z.first-z.last)
		x := z.rank(u)
		rank := min(max(uint64(x+0.5), 1), z.n)
		if float64(rank)-x <= z.alwaysWithin || u >= z.area(float64(rank)+0.5)-z.mass(float64(rank)) {
			return rank - 1
		}
	}
}

// unit makes a number from 0 up to 1 of 53 random bits.
func unit(bits uint64) float64 { return float64(bits>>11) / (1 << 53) }

// fnv is the hash by which YCSB spreads ranks over keys (FNV-1a of the eight octets, lowest first, with the value's sign cut).
func fnv(value uint64) uint64 {
	hash := uint64(0xCBF29CE484222325)
	for range 8 {
		hash = (hash ^ value&0xff) * 1099511628211
		value >>= 8
	}
	if signed := int64(hash); signed < 0 {
		return uint64(-signed)
	}
	return hash
}

// chosen draws the next key where they are not all alike.
func (k *Keys) chosen() uint64 {
	c := &k.choice
	switch c.kind {
	case zipfChoice:
		return c.zipf.draw(k)
	case scrambledChoice:
		return fnv(c.zipf.draw(k)) % k.space
	case latestChoice:
		last := k.space + k.data.inserted()
		c.zipf.grow(last)
		return last - 1 - c.zipf.draw(k)
	case sequentialChoice:
		at := c.at
		c.at = (at + c.by) % k.space
		return at
	case hotChoice:
		if k.random() < c.hotBefore {
			return below(k.random(), c.hotKeys)
		}
		return c.hotKeys + below(k.random(), k.space-c.hotKeys)
	}
	return below(k.random(), k.space)
}
