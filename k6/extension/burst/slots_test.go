package burst_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestCallersWithSlotsTakeTurns(t *testing.T) {
	t.Parallel()
	eachDrive(t, func(t *testing.T, v *vu, drive func(string) result) {
		var c counter
		var mu sync.Mutex
		var at []float64
		v.set("address", respServer(t, func(args []string) string {
			mu.Lock()
			defer mu.Unlock()
			at = append(at, float64(time.Now().UnixMicro())/1000)
			return c.incr(args)
		}))
		v.eval(`template = {command: ['INCR', 'a']}; connecting = {connections: 3}`)
		from := float64(time.Now().UnixMilli()) - 1000
		const each, of, own = 50, 3, 1
		r := drive(fmt.Sprintf(`untilMs: %v, slots: {startMs: %v, eachMs: %d, of: %d, own: %d}`,
			from+1600, from, each, of, own))
		require.Equal(t, c.stored(), r.Acked)
		require.Zero(t, r.Failed)
		mu.Lock()
		defer mu.Unlock()
		inside, used := 0, map[int]bool{}
		for _, ms := range at {
			slot := int((ms - from) / each)
			if slot%of == own {
				inside++
				used[slot] = true
			}
		}
		require.GreaterOrEqual(t, len(used), 3, "it sends in slot after slot")
		// What was sent at the end of a slot may arrive after it, and not all of what is late is the sender's.
		require.Greater(t, float64(inside), 0.95*float64(len(at)))
	})
}

func TestBadSlotsAreRefused(t *testing.T) {
	t.Parallel()
	eachDrive(t, func(t *testing.T, v *vu, _ func(string) result) {
		v.eval(`var template = {command: ['INCR', 'a']}, connecting = {}, address = '127.0.0.1:1'`)
		for script, want := range map[string]string{
			`slots: {startMs: 0, eachMs: 1, of: 2, own: 0}`:                                           "epoch milliseconds",
			`slots: {startMs: 1, eachMs: 0, of: 2, own: 0}`:                                           "eachMs must be",
			`slots: {startMs: 1, eachMs: 1, of: 2, own: 2}`:                                           "less than of",
			`slots: {startMs: 1, eachMs: 1, of: 2, own: 0}, rest: {ms: 1, every: 1}`:                  "exclude rest",
			`slots: {startMs: 1, eachMs: 1, of: 2, own: 0}, pace: {ratePerSec: 1, startMs: 1, of: 1}`: "exclude rest",
		} {
			_, err := v.rt.VU.Runtime().RunString(`burst.connect({protocol: 'resp', address}).run({window: w, template, count: 1, ` + script + `})`)
			require.ErrorContains(t, err, want, script)
		}
	})
}
