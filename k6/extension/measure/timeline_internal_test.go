package measure

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestATimelineTellsWhenOperationsWereDueSentAndFailed(t *testing.T) {
	t.Parallel()
	const ms = int64(time.Millisecond)
	line := newTimeline(50*time.Millisecond, 1000*ms)
	start := 10 * ms
	line.add(start, Entry{Intended: start + 20*ms, Start: start + 120*ms, End: start + 130*ms, N: 2})
	line.add(start, Entry{Intended: NoIntended, Start: start + 101*ms, End: start + 160*ms, N: 1})
	line.fail(start, start+999*ms, Timeout)
	line.fail(start, start+1000*ms, Timeout) // beyond the window
	line.add(start, Entry{Intended: NoIntended, Start: start - 1, End: start + 2, N: 1})

	out := line.export()
	require.Len(t, out.Slots, 20)
	require.Equal(t, int64(2), out.Slots[0].Acked)
	bucket := out.Slots[0].Buckets[0][0]
	low := timelineLeastMs
	for range bucket - 1 {
		low *= timelineGrowth
	}
	require.LessOrEqual(t, low, 110.0)
	require.Greater(t, low*timelineGrowth, 110.0)
	require.Equal(t, int64(1), out.Slots[2].Acked)
	require.InDelta(t, EpochMs(start+130*ms), *out.Slots[2].FirstAckMs, 1e-3)
	require.Equal(t, map[string]int64{"timeout": 1}, out.Slots[19].Errors)
	require.Nil(t, (*timeline)(nil).export())
	require.Equal(t, timelineBuckets-1, timelineBucket(int64(time.Hour)))
	require.Equal(t, 0, timelineBucket(0))
}
