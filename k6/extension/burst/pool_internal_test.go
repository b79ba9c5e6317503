//go:build linux

package burst

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTheNumberOfLoopsIsThatOfTheCPUsOrWhatIsAskedFor(t *testing.T) {
	t.Parallel()
	for asked, want := range map[string]int{"": 3, "1": 1, "64": 64} {
		n, err := loopCount(asked, 3)
		require.NoError(t, err)
		require.Equal(t, want, n)
	}
	for _, asked := range []string{"0", "65", "two", "-1"} {
		_, err := loopCount(asked, 3)
		require.ErrorContains(t, err, "BURST_LOOPS", asked)
	}
}

// Whatever is set, moved and taken out, the front of the heap is the earliest, and everybody knows their place.
func TestTimersKeepTheirOrder(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	peers := make([]*peer, 50)
	for i := range peers {
		peers[i] = newPeer(nil, wire{}, nil)
	}
	var heap timers
	for range 10_000 {
		p := peers[random.IntN(len(peers))]
		moment := random.Int64N(100)
		if moment < 20 {
			moment = never
		}
		heap.set(p, moment)
		earliest, waiting := never, 0
		for _, p := range peers {
			if p.wakeAt != never {
				waiting++
				require.Same(t, p, heap[p.timer])
			} else {
				require.Equal(t, -1, p.timer)
			}
			earliest = min(earliest, p.wakeAt)
		}
		require.Len(t, heap, waiting)
		if waiting > 0 {
			require.Equal(t, earliest, heap[0].wakeAt)
		}
	}
}
