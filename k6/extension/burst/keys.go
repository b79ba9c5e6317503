package burst

import (
	"errors"
	"fmt"
	"math/bits"
)

// maxSpace keeps keys exact in JavaScript numbers.
const maxSpace = 1 << 53

// Keys is a deterministic sequence of keys: the same (seed, stream, space) gives the same keys on every system.
type Keys struct {
	seed, stream, space uint64
	state               uint64
	values              *valuePool
	ids                 *idSequence
	documents           *documentTable // nil: none were asked for
	tally               *tally         // nil: values of replies are not checked
	versions            *versions      // of documents; nil: each has one
	data                *data          // of values that say whose they are; nil: none
	choose              *chooseOptions // nil: each key as often as any other
	choice              choice
	streams             uint64 // users that take keys in their order together

	ordered bool   // one after another from `from` on, not by chance
	from    uint64 // the next one then
}

// keysOptions is KeysOptions of index.d.ts.
type keysOptions struct {
	IDs    *uint64 `json:"ids"`
	Seed   uint64  `json:"seed"`
	Stream uint64  `json:"stream"`
	Space  float64 `json:"space"`
	// Documents makes one for each key of the space.
	Documents bool `json:"documents"`
	// TallyOf is the tally in which it is counted what is sent to each key; several systems of a process have one each.
	TallyOf *tallyOptions `json:"tallyOf"`
	// Versions names whose documents are written again and again.
	Versions string `json:"versions"`
	// Choose says which keys are drawn how often.
	Choose *chooseOptions `json:"choose"`
	// Streams is how many users take keys in their order together; their streams are in a row.
	Streams uint64 `json:"streams"`
	// Data is of values that say whose they are.
	Data *dataOptions `json:"data"`
}

func newKeys(o keysOptions) (*Keys, error) {
	if o.Space < 1 || o.Space > maxSpace || o.Space != float64(uint64(o.Space)) {
		return nil, fmt.Errorf("keys: space must be a whole number from 1 to 2^53, got %v", o.Space)
	}
	if o.Stream > maxStream {
		return nil, fmt.Errorf("keys: stream must be at most %d, got %d", uint64(maxStream), o.Stream)
	}
	k := &Keys{seed: o.Seed, stream: o.Stream, space: uint64(o.Space), values: poolFor(o.Seed)}
	idSeed := o.Seed
	if o.IDs != nil {
		idSeed = *o.IDs
	}
	k.ids = newIDs(idSeed, o.Stream)
	k.state = mix(mix(o.Seed) + o.Stream*golden)
	var err error
	if k.choice, err = newChoice(o.Choose, k.space, o.Stream, o.Streams); err != nil {
		return nil, err
	}
	if k.choose, k.streams = o.Choose, o.Streams; o.Data != nil {
		if k.data, err = dataFor(*o.Data, k.space); err != nil {
			return nil, err
		}
	}
	if o.Documents {
		if k.documents, err = documentsFor(o.Seed, k.space); err != nil {
			return nil, err
		}
	}
	if of := o.TallyOf; of != nil {
		if of.Of < k.space {
			return nil, fmt.Errorf("keys: a tally of %d counters for %d keys", of.Of, k.space)
		}
		if k.tally, err = tallyFor(of.Name, of.Of); err != nil {
			return nil, err
		}
	}
	if o.Versions != "" {
		if k.documents == nil {
			return nil, errors.New("keys: versions are of documents")
		}
		k.versions = versionsFor(o.Versions, k.space, k.documents)
	}
	return k, nil
}

// at returns the n-th key that next draws, from 0.
func (k *Keys) at(n uint64) uint64 {
	high, _ := bits.Mul64(mix(mix(mix(k.seed)+k.stream*golden)+(n+1)*golden), k.space)
	return high
}

// fork returns the sequence of another stream with the same seed and space, one of n that this one becomes.
func (k *Keys) fork(stream, n uint64) *Keys {
	forked, err := newKeys(keysOptions{
		Seed: k.seed, Stream: stream, Space: float64(k.space), Documents: k.documents != nil, IDs: &k.ids.seed,
		Versions: k.versions.name(), Choose: k.choose, Streams: max(1, k.streams) * n,
	})
	if err != nil {
		panic(errors.Join(errors.New("a valid sequence could not be forked"), err)) // unreachable
	}
	forked.data, forked.tally = k.data, k.tally
	return forked
}

// order makes the next keys from, from+1, ... up to from+count-1.
func (k *Keys) order(from, count uint64) error {
	if space := k.space + k.data.inserted(); from+count > space || from+count < from {
		return fmt.Errorf("from: keys %d to %d are not below the space of %d", from, from+count-1, space)
	}
	k.ordered, k.from = true, from
	return nil
}

// next returns the next key, 0 <= key < space.
func (k *Keys) next() uint64 {
	if k.ordered {
		k.from++
		return k.from - 1
	}
	if k.choice.kind != uniformChoice {
		return k.chosen()
	}
	return below(k.random(), k.space)
}

// random returns the next 64 random bits.
func (k *Keys) random() uint64 {
	k.state += golden
	return mix(k.state)
}

// below spreads random bits over the numbers from 0 to n-1.
func below(bits64, n uint64) uint64 {
	high, _ := bits.Mul64(bits64, n)
	return high
}

// golden is the increment of SplitMix64.
const golden = 0x9e3779b97f4a7c15

// mix is the output function of SplitMix64.
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
