package burst

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func number(x float64) *float64 { return &x }

func choosing(t testing.TB, space, stream, streams uint64, o *chooseOptions) *Keys {
	t.Helper()
	k, err := newKeys(keysOptions{Seed: 7, Space: float64(space), Stream: stream, Streams: streams, Choose: o})
	require.NoError(t, err)
	return k
}

// drawn counts keys, those of several users together: they draw from streams of their own, as under several generators.
func drawn(t testing.TB, space, users, each uint64, o *chooseOptions) []float64 {
	t.Helper()
	counts := make([]float64, space)
	for user := range users {
		k := choosing(t, space, user+1, users, o)
		for range each {
			counts[k.next()]++
		}
	}
	return counts
}

// chiSquared holds counts against their theory, cells of fewer than 8 expected draws joined, and returns the statistic as a
// number of standard deviations (Wilson and Hilferty).
func chiSquared(counts, theory []float64) float64 {
	all, mass := 0.0, 0.0
	for i := range counts {
		all += counts[i]
		mass += theory[i]
	}
	sum, cells, seen, expected := 0.0, 0.0, 0.0, 0.0
	for i := range counts {
		seen += counts[i]
		expected += theory[i] / mass * all
		if expected >= 8 || i == len(counts)-1 {
			sum += (seen - expected) * (seen - expected) / expected
			cells, seen, expected = cells+1, 0, 0
		}
	}
	free := cells - 1
	return (math.Cbrt(sum/free) - (1 - 2/(9*free))) / math.Sqrt(2/(9*free))
}

func masses(space uint64, theta float64) []float64 {
	theory := make([]float64, space)
	for i := range theory {
		theory[i] = math.Pow(float64(i+1), -theta)
	}
	return theory
}

func TestZipfDrawsEachRankAsOftenAsTheorySays(t *testing.T) {
	t.Parallel()
	for _, theta := range []float64{0, 0.5, 0.99, 1, 1.2, 3} {
		for _, space := range []uint64{2, 10, 1000, 100_000} {
			z := chiSquared(drawn(t, space, 4, 250_000, &chooseOptions{Zipf: &theta}), masses(space, theta))
			require.Less(t, math.Abs(z), 4.0, "theta %v of %d", theta, space)
		}
	}
}

// The test itself can fail: another exponent is told apart.
func TestAnotherExponentIsToldApart(t *testing.T) {
	t.Parallel()
	require.Greater(t, chiSquared(drawn(t, 1000, 1, 1_000_000, &chooseOptions{Zipf: number(0.97)}), masses(1000, 0.99)), 10.0)
}

// YCSB's ScrambledZipfianGenerator: ranks of 10^10 items, whose masses are 1 / (rank^theta * zeta), spread by FNV. Its
// ZETAN of theta 0.99 is 26.469; the first ranks alone say where the peaks must stand, and how high.
func TestScrambledKeysStandWhereYcsbPutsThem(t *testing.T) {
	t.Parallel()
	const space, zeta = 1000, 26.46902820178302
	counts := drawn(t, space, 2, 1_000_000, &chooseOptions{Zipf: number(0.99), Scrambled: true})
	theory := make([]float64, space)
	rest := 1.0
	const known = 2_000_000
	for rank := uint64(0); rank < known; rank++ {
		mass := math.Pow(float64(rank+1), -0.99) / zeta
		theory[fnv(rank)%space] += mass
		rest -= mass
	}
	for key := range theory {
		theory[key] += rest / space // the others are spread evenly
	}
	require.Less(t, math.Abs(chiSquared(counts, theory)), 4.0)
	require.InDelta(t, 1/zeta, counts[fnv(0)%space]/2_000_000, 0.003)
}

func TestHotKeysGetTheirPartOfTheOperations(t *testing.T) {
	t.Parallel()
	counts := drawn(t, 1000, 2, 500_000, &chooseOptions{Hot: []float64{0.2, 0.8}})
	theory := make([]float64, 1000)
	for i := range theory {
		theory[i] = 0.2 / 800
		if i < 200 {
			theory[i] = 0.8 / 200
		}
	}
	require.Less(t, math.Abs(chiSquared(counts, theory)), 4.0)
}

func TestUniformKeysAreDrawnAsBefore(t *testing.T) {
	t.Parallel()
	theory := make([]float64, 1000)
	for i := range theory {
		theory[i] = 1
	}
	require.Less(t, math.Abs(chiSquared(drawn(t, 1000, 2, 500_000, nil), theory)), 4.0)
	k := choosing(t, 1000, 3, 0, nil)
	for n := range uint64(100) {
		require.Equal(t, k.at(n), k.next())
	}
}

func TestUsersTakeKeysInTheirOrderTogether(t *testing.T) {
	t.Parallel()
	for _, n := range drawn(t, 1000, 7, 1000, &chooseOptions{Sequential: true}) {
		require.Equal(t, 7.0, n)
	}
	one := choosing(t, 10, 1, 1, &chooseOptions{Sequential: true})
	for n := range uint64(25) {
		require.Equal(t, n%10, one.next())
	}
	// Several connections of one user share its keys.
	forked := choosing(t, 12, 0, 1, &chooseOptions{Sequential: true})
	seen := map[uint64]int{}
	for i := range uint64(3) {
		k := forked.fork(i, 3)
		for range 4 {
			seen[k.next()]++
		}
	}
	require.Len(t, seen, 12)
}

func TestTheLatestKeysAreDrawnByAge(t *testing.T) {
	t.Parallel()
	k, err := newKeys(keysOptions{
		Seed: 7, Space: 1000, Choose: &chooseOptions{Latest: number(0.99)},
		Data: &dataOptions{Of: t.Name(), Room: 500, Values: valuesOptions{From: 100}},
	})
	require.NoError(t, err)
	for range 200 {
		k.data.insert()
	}
	counts, theory := make([]float64, 1200), masses(1200, 0.99)
	for range 1_000_000 {
		counts[1199-k.next()]++
	}
	require.Less(t, math.Abs(chiSquared(counts, theory)), 4.0)
}

func TestTheSameSeedDrawsTheSameKeys(t *testing.T) {
	t.Parallel()
	for _, o := range []*chooseOptions{{Zipf: number(0.99)}, {Zipf: number(0.99), Scrambled: true}, {Hot: []float64{0.1, 0.9}}} {
		a, b, other := choosing(t, 1000, 1, 1, o), choosing(t, 1000, 1, 1, o), choosing(t, 1000, 2, 1, o)
		differs := false
		for range 100 {
			key := a.next()
			require.Equal(t, key, b.next())
			differs = differs || key != other.next()
		}
		require.True(t, differs)
	}
}

func TestChoicesThatCannotBeAreRefused(t *testing.T) {
	t.Parallel()
	for _, o := range []*chooseOptions{
		{Zipf: number(-1)}, {Zipf: number(0.9), Latest: number(0.9)}, {Hot: []float64{0.2}}, {Hot: []float64{0, 0.5}}, {Scrambled: true},
	} {
		_, err := newKeys(keysOptions{Seed: 1, Space: 10, Choose: o})
		require.Error(t, err)
	}
}
