package burst

import (
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

func versioned(t *testing.T, name string) (*Keys, *versions) {
	t.Helper()
	k, err := newKeys(keysOptions{Seed: 7, Stream: 1, Space: 10, Documents: true, Versions: name})
	require.NoError(t, err)
	return k, k.versions
}

func (v *versions) text(key uint64, version uint32) []byte {
	text := append([]byte(nil), v.documents.at(key)...)
	stamp(text, version)
	return text
}

func TestAVersionIsReadBackAndNothingElseIs(t *testing.T) {
	t.Parallel()
	_, v := versioned(t, "read")
	for _, version := range []uint32{0, 1, 42, 99_999_999} {
		got, ok := v.read(3, v.text(3, version))
		require.True(t, ok)
		require.Equal(t, version, got)
	}
	other := v.text(3, 1)
	other[len(other)-5] ^= 1
	for _, text := range [][]byte{nil, v.documents.at(3), v.text(4, 1), other, v.text(3, 1)[1:]} {
		_, ok := v.read(3, text)
		require.False(t, ok)
	}
}

func TestAReaderMayNotFindWhatWasOverwrittenBeforeItAsked(t *testing.T) {
	t.Parallel()
	_, v := versioned(t, "order")
	a, b := writes{to: v}, writes{to: v}
	least := func() uint32 { return v.keys[5].first() }
	first := a.begin(5)
	require.True(t, v.mayBe(5, v.text(5, first), least()), "it is under way")
	require.False(t, v.mayBe(5, v.text(5, first+1), least()), "nobody sent that")
	a.answered(true)
	second := a.begin(5)
	a.answered(true)
	require.False(t, v.mayBe(5, v.text(5, first), least()))
	require.True(t, v.mayBe(5, v.text(5, second), least()))

	third, fourth := a.begin(5), b.begin(5)
	b.answered(true)
	a.answered(true)
	for _, version := range []uint32{third, fourth} {
		require.True(t, v.mayBe(5, v.text(5, version), least()), "nobody knows which of the two came last")
	}
	a.begin(5)
	a.forget() // lost, and may come late
	fifth := b.begin(5)
	b.answered(true)
	require.True(t, v.mayBe(5, v.text(5, third), least()))
	require.True(t, v.mayBe(5, v.text(5, fifth), least()))
	require.Zero(t, (&writes{}).begin(5), "nobody counts")
}

// Of writes that begin at the same time at most one is alone, and it has the lowest number of those under way.
func TestNobodyIsAloneBesideALowerNumber(t *testing.T) {
	t.Parallel()
	for range 2000 {
		var key writings
		var start, done sync.WaitGroup
		start.Add(1)
		var alone [2]atomic.Uint32
		for i := range alone {
			done.Add(1)
			go func() {
				defer done.Done()
				start.Wait()
				if number, isAlone := key.begin(); isAlone {
					alone[i].Store(number)
				}
			}()
		}
		start.Done()
		done.Wait()
		require.Equal(t, uint32(1), alone[0].Load()+alone[1].Load(), "the first, and nobody else")
		require.Equal(t, []uint32{2, 2}, []uint32{key.sent(), key.open()})
	}
}
