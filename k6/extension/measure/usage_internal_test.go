package measure

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// burn uses a core until this process has used the CPU time, and returns what it used.
func burn(t *testing.T, atLeast time.Duration) time.Duration {
	t.Helper()
	from, ok := processCPU()
	if !ok {
		t.Skip("this operating system does not tell a process its CPU time")
	}
	for {
		if now, _ := processCPU(); now-from >= atLeast {
			return now - from
		}
	}
}

func TestTheCPUOfAShortWindowIsInTheExport(t *testing.T) {
	t.Parallel()
	s := NewStore()
	_, err := s.open("a", "measure")
	require.NoError(t, err)
	burnt := burn(t, 200*time.Millisecond)

	data, err := s.Export()
	require.NoError(t, err)
	var out struct{ CPU []UsagePoint }
	require.NoError(t, json.Unmarshal(data, &out))
	require.GreaterOrEqual(t, len(out.CPU), 3, "more than the ends")
	first, last := out.CPU[0], out.CPU[len(out.CPU)-1]
	require.GreaterOrEqual(t, last.CPUSec-first.CPUSec, burnt.Seconds()-0.001)
	for i := 1; i < len(out.CPU); i++ {
		require.GreaterOrEqual(t, out.CPU[i].T, out.CPU[i-1].T)
		require.GreaterOrEqual(t, out.CPU[i].CPUSec, out.CPU[i-1].CPUSec)
	}
}

func TestNothingRecordedLooksAtNoCPU(t *testing.T) {
	t.Parallel()
	data, err := NewStore().Export()
	require.NoError(t, err)
	require.Contains(t, string(data), `"cpu":[]`)
}

func TestALongRunKeepsFewPoints(t *testing.T) {
	t.Parallel()
	u := usage{every: usageEvery}
	for range 3*maxUsagePoints + 1 {
		if !u.look() {
			t.Skip("this operating system does not tell a process its CPU time")
		}
	}
	require.LessOrEqual(t, len(u.points), maxUsagePoints)
	require.Greater(t, len(u.points), maxUsagePoints/2)
	require.Equal(t, 32*usageEvery, u.every)
	for i := 1; i < len(u.points); i++ {
		require.GreaterOrEqual(t, u.points[i].T, u.points[i-1].T)
	}
}
