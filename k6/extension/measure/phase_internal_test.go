package measure

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestAPhaseOpensWhenAllHaveEntered(t *testing.T) {
	t.Parallel()
	store := NewStore()
	const parties = 20
	var entered, early atomic.Int64
	var group sync.WaitGroup
	for range parties {
		group.Add(1)
		go func() {
			defer group.Done()
			p, err := store.Phase("set", "measure", parties, 1000)
			if err == nil {
				entered.Add(1)
				_, err = p.Enter(context.Background())
			}
			if err != nil || entered.Load() < parties {
				early.Add(1)
			}
		}()
	}
	group.Wait()
	require.Zero(t, early.Load(), "nobody passes before all are there")
}

func TestSlicesCoverTheWorkOnceAndShrink(t *testing.T) {
	t.Parallel()
	p, err := NewStore().Phase("set", "measure", 4, 10_000)
	require.NoError(t, err)
	seen := make([]bool, 10_000)
	var last int64
	for from, count := p.Take(8, 500); count > 0; from, count = p.Take(8, 500) {
		for i := from; i < from+count; i++ {
			require.False(t, seen[i], "operation %d was dealt twice", i)
			seen[i] = true
		}
		require.LessOrEqual(t, count, int64(500))
		last = count
	}
	require.NotContains(t, seen, false)
	require.LessOrEqual(t, last, int64(8), "the tail is short")
	_, count := p.Take(8, 500)
	require.Zero(t, count)
}

func TestTheWindowOfAPhaseEndsWithItsLastOperation(t *testing.T) {
	t.Parallel()
	store := NewStore()
	p, err := store.Phase("set", "measure", 1, 100)
	require.NoError(t, err)
	r, err := p.Enter(context.Background())
	require.NoError(t, err)
	start := r.startNs + int64(5*time.Millisecond)
	for i := range int64(100) {
		at := start + i*int64(20*time.Millisecond)
		r.shards[0].add(r, Entry{Start: at, End: at + int64(20*time.Millisecond), Intended: NoIntended, N: 1})
	}
	w := exported(t, store)
	require.Equal(t, int64(100), w.Count)
	require.Zero(t, w.Late)
	require.InDelta(t, 2000, w.EndMs-w.StartMs, 0.01, "from the first send to the last completion")
	require.InDelta(t, r.startMs+5, w.StartMs, 0.01)
	require.Len(t, w.Series, 3, "seconds count from the release")
}

func TestAnEmptyPhaseIsExported(t *testing.T) {
	t.Parallel()
	store := NewStore()
	p, err := store.Phase("set", "measure", 1, 100)
	require.NoError(t, err)
	_, err = p.Enter(context.Background())
	require.NoError(t, err)
	w := exported(t, store)
	require.Zero(t, w.Count)
	require.Greater(t, w.EndMs, w.StartMs)
}

func TestTheBarrierGivesUpWithItsContext(t *testing.T) {
	t.Parallel()
	p, err := NewStore().Phase("set", "measure", 2, 100)
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	_, err = p.Enter(ctx)
	require.ErrorContains(t, err, "interrupted at the barrier")
}

func TestAPhaseIsTheSameForAll(t *testing.T) {
	t.Parallel()
	store := NewStore()
	a, err := store.Phase("set", "measure", 1, 100)
	require.NoError(t, err)
	b, err := store.Phase("set", "measure", 1, 100)
	require.NoError(t, err)
	require.Same(t, a, b)
	_, err = store.Phase("set", "measure", 1, 99)
	require.ErrorContains(t, err, "exists with 1 parties and 100 operations")
	_, err = store.Phase("set", "measure", 0, 99)
	require.ErrorContains(t, err, "parties must be at least 1")
	_, err = a.Enter(context.Background())
	require.NoError(t, err)
	_, err = a.Enter(context.Background())
	require.ErrorContains(t, err, "more than its 1 parties")
}

func TestWrongAnswersAreTotalled(t *testing.T) {
	t.Parallel()
	store := NewStore()
	r := testRecorder(t, store, time.Second)
	r.shards[0].fail(r, r.startNs, r.startNs+1, Protocol, true)
	r.shards[0].fail(r, r.startNs, r.startNs+1, Timeout, true)
	require.Equal(t, Total{Indeterminate: 2, Wrong: 1, Failed: 2}, store.Totals()["op"])
	r.shards[0].fail(r, r.startNs-2, r.startNs-1, Protocol, true)
	r.shards[0].fail(r, r.endNs, r.endNs+1, Protocol, false)
	require.Equal(t, Total{Indeterminate: 3, Wrong: 3, Failed: 4}, store.Totals()["op"], "before and after the window, too")
}

func TestThePresenceOfEachUserIsItsOwn(t *testing.T) {
	t.Parallel()
	store := NewStore()
	p, err := store.Phase("set", "measure", 1, 100)
	require.NoError(t, err)
	r, err := p.Enter(context.Background())
	require.NoError(t, err)
	ms := int64(time.Millisecond)
	first, second := r.join(), r.join()
	r.join() // takes nothing
	first.saw(10*ms, 20*ms)
	first.saw(25*ms, 40*ms)
	second.saw(30*ms, 35*ms)
	second.saw(15*ms, 31*ms)
	require.InDelta(t, 30+20, *exported(t, store).PresentMs, 1e-9)
	var none *presence
	none.saw(1, 2)
}
