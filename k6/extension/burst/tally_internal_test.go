package burst

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

func tallyOf(t *testing.T, starts ...int64) *tally {
	t.Helper()
	own := &tally{counters: make([]tallied, len(starts))}
	require.NoError(t, own.begin(0, starts))
	return own
}

func TestAnAnswerLiesBetweenWhatWasAcknowledgedAndWhatWasSent(t *testing.T) {
	t.Parallel()
	own := tallyOf(t, 10, 0)
	first, second := own.ask(0, tallyAdds), own.ask(0, tallyAdds)
	require.True(t, second.answered(11, tallyAdds), "in whatever order they were applied")
	require.True(t, first.answered(12, tallyAdds))
	third := own.ask(0, tallyAdds)
	require.False(t, third.answered(1, tallyAdds), "a constant")
	require.False(t, third.answered(12, tallyAdds), "what another one had been told")
	require.False(t, third.answered(14, tallyAdds), "more than was ever sent")
	require.False(t, third.answered(-1<<63, tallyAdds))
	require.Equal(t, tallyCounts{start: []int64{10, 0}, sent: []int64{3, 0}, acked: []int64{2, 0}}, own.counts())

	read := own.ask(0, tallyReads)
	require.False(t, read.answered(0, tallyReads), "nothing, although something was written")
	require.True(t, read.answered(12, tallyReads))
	require.True(t, read.answered(13, tallyReads), "the third may have been applied")
	require.True(t, own.ask(1, tallyReads).answered(0, tallyReads), "never written")
	require.False(t, own.ask(1, tallyReads).answered(12, tallyReads), "another counter's value")
}

func TestSharedCountersMayHoldWhatOthersSent(t *testing.T) {
	t.Parallel()
	own := tallyOf(t, 10)
	own.shared.Store(true)
	require.True(t, own.ask(0, tallyAdds).answered(500, tallyAdds))
	require.False(t, own.ask(0, tallyReads).answered(10, tallyReads), "less than was acknowledged here")
	require.Equal(t, tallyCounts{start: []int64{10}, sent: []int64{1}, acked: []int64{1}}, own.counts())
}

func TestRepliesAreCheckedInOrder(t *testing.T) {
	t.Parallel()
	keys := &Keys{tally: tallyOf(t, 0, 0)}
	adds, err := newTalliedAnswers(template{Tally: "adds"}, keys)
	require.NoError(t, err)
	adds.sent(0, false)
	adds.sent(1, false)
	require.True(t, adds.check(':', []byte("1")))
	require.False(t, adds.check('-', []byte("ERR")))
	require.False(t, adds.check(':', []byte("1")), "a reply to nothing")
	reads, err := newTalliedAnswers(template{Tally: "reads"}, keys)
	require.NoError(t, err)
	for _, reply := range []struct {
		kind byte
		body string
		want bool
	}{{'$', "1", true}, {':', "1", true}, {'_', "", false}, {'$', "one", false}, {'$', "2", false}} {
		reads.sent(0, false)
		require.Equal(t, reply.want, reads.check(reply.kind, []byte(reply.body)), "%c%s", reply.kind, reply.body)
	}
	reads.sent(0, false)
	reads.forget()
	require.Empty(t, reads.inFlight, "a new connection owes nothing")
}

func TestWhatNeedsNoTallyIsNotChecked(t *testing.T) {
	t.Parallel()
	none, err := newTalliedAnswers(template{Tally: "adds"}, &Keys{})
	require.NoError(t, err)
	none.sent(0, false)
	require.True(t, none.check(':', []byte("-5")), "a responder whose answers are constants")
	_, err = newTalliedAnswers(template{Tally: "multiplies"}, &Keys{})
	require.ErrorContains(t, err, "use adds, reads or counted")
	_, err = tallyFor("", 0)
	require.Error(t, err)
	require.Error(t, tallyOf(t, 0).begin(1, []int64{1}))
}

func TestATallyIsSharedByAllConnections(t *testing.T) {
	t.Parallel()
	own := tallyOf(t, 0)
	var server struct {
		sync.Mutex
		value int64
	}
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 1000 {
				asked := own.ask(0, tallyAdds)
				server.Lock()
				server.value++
				value := server.value
				server.Unlock()
				if !asked.answered(value, tallyAdds) {
					t.Errorf("%d was refused", value)
				}
			}
		})
	}
	group.Wait()
	require.Equal(t, tallyCounts{start: []int64{0}, sent: []int64{8000}, acked: []int64{8000}}, own.counts())
}

func TestSystemsOfOneProcessHaveATallyEachOverTheKeysOfAllTheirLoads(t *testing.T) {
	t.Parallel()
	keysOf := func(name string, space float64) *Keys {
		k, err := newKeys(keysOptions{Seed: 1, Space: space, TallyOf: &tallyOptions{Name: name, Of: 50}})
		require.NoError(t, err)
		return k
	}
	first, small, other := keysOf("tally-a", 50), keysOf("tally-a", 5), keysOf("tally-b", 50)
	require.Same(t, first.tally, small.tally)
	require.Same(t, first.tally, first.fork(3, 4).tally)
	require.NotSame(t, first.tally, other.tally)
	asked := first.tally.ask(2, tallyAdds)
	require.True(t, asked.answered(1, tallyAdds))
	require.False(t, other.tally.ask(2, tallyReads).answered(1, tallyReads), "what one was sent the other does not have")
	_, err := newKeys(keysOptions{Space: 51, TallyOf: &tallyOptions{Name: "tally-a", Of: 50}})
	require.Error(t, err)
}

// In a pipeline some counters are looked at, and what the others got is counted all the same.
func TestOfAPipelineSomeCountersAreLookedAtAndAllAreCounted(t *testing.T) {
	t.Parallel()
	for _, space := range []int{20, maxSummed + 20} {
		keys := &Keys{tally: tallyOf(t, make([]int64, space)...)}
		adds, err := newTalliedAnswers(template{Tally: "adds"}, keys)
		require.NoError(t, err)
		for _, key := range []uint64{8, 1, 2, 16, 2, 3} {
			adds.sent(key, true)
		}
		require.True(t, adds.check(':', []byte("1")))
		require.True(t, adds.check(':', []byte("99")), "counter 1 is not looked at")
		require.False(t, adds.check('-', []byte("ERR")), "but a refusal is none")
		require.False(t, adds.check(':', []byte("99")), "counter 16 is")
		require.True(t, adds.check(':', []byte("1")))
		adds.forget() // the last one is lost
		counts := keys.tally.counts()
		require.Equal(t, []int64{0, 1, 2, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0}, counts.sent[:20])
		require.Equal(t, []int64{0, 1, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, counts.acked[:20])
		require.False(t, adds.check(':', []byte("1")), "a reply to nothing")

		reads, err := newTalliedAnswers(template{Tally: "reads"}, keys)
		require.NoError(t, err)
		for _, reply := range []struct {
			key  uint64
			body string
			want bool
		}{{8, "1", true}, {8, "0", false}, {1, "99", true}, {16, "5", false}} {
			reads.sent(reply.key, true)
			require.Equal(t, reply.want, reads.check('$', []byte(reply.body)), "%v", reply)
		}
		for range 3 * settleEvery {
			adds.sent(5, true)
			adds.check(':', []byte("1"))
		}
		require.GreaterOrEqual(t, keys.tally.counts().acked[5], int64(2*settleEvery), "by the way, so that little waits")
	}
}
