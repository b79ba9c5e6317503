package measure

import (
	"encoding/json"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// testRecorder returns a recorder whose window starts now and lasts the given time.
func testRecorder(t testing.TB, store *Store, length time.Duration) *Recorder {
	t.Helper()
	start := EpochMs(Now())
	r, err := store.Recorder("op", "measure", start, start+float64(length.Milliseconds()))
	require.NoError(t, err)
	return r
}

func exported(t testing.TB, store *Store) windowExport {
	t.Helper()
	data, err := store.Export()
	require.NoError(t, err)
	var all export
	require.NoError(t, json.Unmarshal(data, &all))
	require.Len(t, all.Windows, 1)
	return all.Windows[0]
}

func at(r *Recorder, offset, took time.Duration) Entry {
	end := r.startNs + int64(offset)
	return Entry{Start: end - int64(took), End: end, Intended: NoIntended, N: 1}
}

func TestOnlyCompletionsInsideTheWindowAreCounted(t *testing.T) {
	t.Parallel()
	store := NewStore()
	r := testRecorder(t, store, 2*time.Second)
	sh := &r.shards[0]
	sh.add(r, at(r, -1, time.Millisecond))
	sh.add(r, at(r, 0, time.Millisecond))
	sh.add(r, at(r, 2*time.Second-1, 3*time.Millisecond))
	sh.add(r, at(r, 2*time.Second, time.Millisecond))
	sh.fail(r, r.startNs, r.startNs+1, Timeout, true)
	sh.fail(r, r.startNs, r.startNs+1, Server, false)
	sh.fail(r, r.startNs, r.startNs+1, Connect, false)
	sh.fail(r, r.startNs, r.endNs, Protocol, true)
	r.Abort(5)
	r.Drop(7)

	w := exported(t, store)
	require.Equal(t, []int64{2, 1, 1, 5, 7}, []int64{w.Count, w.Late, w.Early, w.Aborted, w.Dropped})
	require.Equal(t, map[string]int64{"connect": 1, "timeout": 1, "protocol": 0, "server": 1, "other": 0}, w.Errors)
	require.Equal(t, int64(1), w.LateErrors)
	require.InDelta(t, 3e-6, w.FailedMs, 1e-12, "of the three inside the window, 1 ns each")
	require.InDelta(t, 2, *w.MeanMs, 1e-9)
	require.InDelta(t, 1.4142135, *w.SdMs, 1e-6)
	require.InDelta(t, 3, *w.MaxMs, 1e-9)
	require.Nil(t, w.Response)
	require.Equal(t, Total{Acked: 4, Indeterminate: 5 + 2, Wrong: 1, Failed: 4}, store.Totals()["op"])
	require.Equal(t, w, exported(t, store), "exporting twice gives the same")
}

func TestSeriesSplitsTheWindowIntoSeconds(t *testing.T) {
	t.Parallel()
	store := NewStore()
	r := testRecorder(t, store, 20*time.Second)
	for second := range 10 {
		if second == 3 {
			continue
		}
		for i := range 100 {
			sh := &r.shards[i%len(r.shards)]
			sh.add(r, at(r, time.Duration(second)*time.Second+time.Duration(i), time.Duration(second+1)*time.Millisecond))
		}
	}
	r.shards[0].add(r, at(r, time.Second, time.Minute)) // a straggler of a second long gone

	w := exported(t, store)
	require.Equal(t, int64(901), w.Count)
	require.GreaterOrEqual(t, len(w.Series), 10)
	require.Equal(t, int64(101), w.Series[1].Count)
	require.Zero(t, w.Series[3].Count)
	require.Nil(t, w.Series[3].P50Ms)
	require.InEpsilon(t, 10, *w.Series[9].P99Ms, 0.001)
	require.InDelta(t, 60_000, *w.Series[1].MaxMs, 1e-6)
}

func TestIntendedStartsFeedResponseAndLag(t *testing.T) {
	t.Parallel()
	store := NewStore()
	r := testRecorder(t, store, 2*time.Second)
	e := at(r, time.Second, time.Millisecond)
	e.Intended = e.End - int64(500*time.Millisecond)
	e.Lag = int64(20 * time.Millisecond)
	r.shards[0].add(r, e)
	w := exported(t, store)
	require.InDelta(t, 1, *w.MeanMs, 1e-9)
	require.InDelta(t, 500, *w.ResponseMeanMs, 1e-9)
	require.InDelta(t, 20, *w.LagMaxMs, 1e-9)
}

func TestConcurrentRecordingLosesNothing(t *testing.T) {
	t.Parallel()
	store := NewStore()
	r := testRecorder(t, store, time.Hour)
	var group sync.WaitGroup
	for worker := range 16 {
		group.Add(1)
		go func() {
			defer group.Done()
			sh := &r.shards[worker%len(r.shards)]
			for i := range 5000 {
				sh.mu.Lock()
				sh.add(r, at(r, time.Duration(i)*time.Millisecond, time.Microsecond))
				sh.mu.Unlock()
				r.secondHist(int64(i / 1000))
			}
		}()
	}
	group.Wait()
	w := exported(t, store)
	require.Equal(t, int64(80_000), w.Count)
	var series int64
	for _, p := range w.Series {
		series += p.Count
	}
	require.Equal(t, w.Count, series)
}

func TestAWindowHasOneIdentity(t *testing.T) {
	t.Parallel()
	store := NewStore()
	a, err := store.Recorder("op", "measure", 1000, 2000)
	require.NoError(t, err)
	b, err := store.Recorder("op", "measure", 1000.5, 2000)
	require.NoError(t, err)
	require.Same(t, a, b)
	_, err = store.Recorder("op", "measure", 1002, 2000)
	require.ErrorContains(t, err, "other bounds")
	_, err = store.Recorder("op", "warmup", 2000, 2000)
	require.ErrorContains(t, err, "must end after it starts")
}

func TestMemoryOfAFullSetOfWindows(t *testing.T) {
	store := NewStore()
	before := heap()
	for _, op := range []string{"set", "get", "del"} {
		for _, phase := range []string{"warmup", "measure"} {
			start := EpochMs(Now())
			r, err := store.Recorder(op, phase, start, start+1e6)
			require.NoError(t, err)
			for vu := range 1000 {
				e := at(r, time.Duration(vu)*time.Second/10, time.Duration(vu)*time.Microsecond)
				e.Intended = e.Start
				r.shards[vu%len(r.shards)].add(r, e)
			}
		}
	}
	require.Less(t, heap()-before, int64(100<<20))
	runtime.KeepAlive(store)
}

func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

func BenchmarkShardAdd(b *testing.B) {
	r := testRecorder(b, NewStore(), time.Hour)
	sh := &r.shards[0]
	for b.Loop() {
		end := Now()
		sh.mu.Lock()
		sh.add(r, Entry{Start: end - 1000, End: end, Intended: NoIntended, N: 1})
		sh.mu.Unlock()
	}
}
