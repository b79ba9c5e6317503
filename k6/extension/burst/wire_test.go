package burst_test

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

// patterns are the ways in which a client may send its requests, and the median latency that each shows on loopback.
var patterns = []struct {
	connecting string
	least, top float64
}{
	{`{}`, 0, 5},
	{`{writes: 'one', noDelay: false}`, 0, 5},
	{`{writes: 'two', noDelay: true}`, 0, 5},
	{`{writes: 'two', noDelay: false}`, 35, 60},
}

func TestTwoWritesWithoutNoDelayWaitForTheDelayedAcknowledgement(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the delay of an acknowledgement is that of Linux")
	}
	t.Parallel()
	for _, pattern := range patterns {
		t.Run(pattern.connecting, func(t *testing.T) {
			eachDrive(t, func(t *testing.T, v *vu, drive func(string) result) {
				v.set("address", ssdbServer(t))
				v.eval(`protocol = 'ssdb'; keys = {seed: 3, space: 1e6}; template = {command: ['set', 'k:{key}', '{value:700}']}`)
				v.eval(`connecting = ` + pattern.connecting)
				// A fresh connection acknowledges at once for its first few segments.
				require.Equal(t, result{Acked: 100}, drive(`count: 100`))
				medianMs := quantileMs(t, v.window().Service.Data, 0.5)
				require.GreaterOrEqual(t, medianMs, pattern.least)
				require.Less(t, medianMs, pattern.top)
			})
		})
	}
}

func TestSplitWritesArriveWhole(t *testing.T) {
	t.Parallel()
	eachDrive(t, func(t *testing.T, v *vu, drive func(string) result) {
		c := &counter{}
		v.set("address", respServer(t, c.incr))
		v.eval(`connecting = {writes: 'two'}; template = {command: ['INCR', 'n'], expect: 'integer'}`)
		for _, depth := range []int{1, 7, 256} {
			require.Equal(t, result{Acked: 1000}, drive(fmt.Sprintf(`count: 1000, depth: %d`, depth)))
		}
		require.EqualValues(t, 3000, c.stored())
	})
}

func TestAnUnknownWayToWriteIsRefused(t *testing.T) {
	t.Parallel()
	v := newVU(t)
	_, err := v.rt.VU.Runtime().RunString(`burst.connect({protocol: 'resp', address: '127.0.0.1:1', writes: 'three'})`)
	require.ErrorContains(t, err, `writes must be one or two, got "three"`)
}
