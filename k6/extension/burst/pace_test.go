package burst_test

import (
	"fmt"
	"sort"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/stretchr/testify/require"
)

// quantileMs decodes an exported histogram.
func quantileMs(t *testing.T, data string, q float64) float64 {
	t.Helper()
	h, err := hdrhistogram.Decode([]byte(data))
	require.NoError(t, err)
	return float64(h.ValueAtQuantile(q*100)) / 1e4
}

func TestTheScheduleIsKept(t *testing.T) {
	t.Parallel()
	eachDrive(t, func(t *testing.T, v *vu, drive func(string) result) {
		var c counter
		v.set("address", respServer(t, c.incr))
		v.eval(`template = {command: ['INCR', 'a']}; connecting = {connections: 5}`)
		r := drive(`untilMs: w.startMs + 1001, pace: {ratePerSec: 1000, startMs: w.startMs + 1}`)
		require.InDelta(t, 1000, r.Acked+r.Dropped, 2)
		require.Equal(t, c.stored(), r.Acked)
		w := v.window()
		require.Equal(t, r.Dropped, w.Dropped)
		require.Less(t, quantileMs(t, w.Lag.Data, 0.5), 5.0)
		require.GreaterOrEqual(t, w.ResponseMeanMs, w.MeanMs)
	})
}

// A turn names its users anew in each call, so that no two calls send the same.
func TestAScheduleGoesOnFromCallToCall(t *testing.T) {
	t.Parallel()
	for what, key := range map[string]string{"the same": "'a'", "another each time": "'a' + n"} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			v := newVU(t)
			var c counter
			v.set("address", respServer(t, c.incr))
			r := v.burst(`(() => {
				const c = burst.connect({protocol: 'resp', address}), sum = {acked: 0, dropped: 0};
				const untilMs = w.startMs + 500, pace = {ratePerSec: 2000, startMs: w.startMs, offset: 1, of: 4};
				for (let n = 0; measure.epochMs() < untilMs; n++) {
					const r = c.run({window: w, template: {command: ['INCR', ` + key + `]}, count: 20, untilMs, pace});
					sum.acked += r.acked; sum.dropped += r.dropped;
				}
				return sum })()`)
			require.InDelta(t, 250, r.Acked+r.Dropped, 2)
		})
	}
}

func TestWhatIsNeverSentIsDropped(t *testing.T) {
	t.Parallel()
	eachDrive(t, func(t *testing.T, v *vu, drive func(string) result) {
		v.set("address", respServer(t, func([]string) string {
			time.Sleep(20 * time.Millisecond)
			return "+OK\r\n"
		}))
		v.eval(`template = {command: ['PING']}`)
		r := drive(`untilMs: w.startMs + 501, pace: {ratePerSec: 1000, startMs: w.startMs + 1}`)
		require.InDelta(t, 25, r.Acked, 8)
		require.InDelta(t, 500, r.Acked+r.Dropped, 2)
		require.InDelta(t, r.Dropped, v.sums()["op_dropped"], 0, "and the live view sees it")
		require.Greater(t, v.window().ResponseMaxMs, 50_000.0, "what was dropped waits for at least the rest of the window")
	})
}

// A closed loop hides a pause behind few slow operations; the open one shows all that it delayed.
func TestAPauseMovesTheOpenResponseTimeOnly(t *testing.T) {
	t.Parallel()
	const every, length = 3 * time.Second, time.Second
	for name, pace := range map[string]string{"closed": "", "open": ", pace: {ratePerSec: 400, startMs: w.startMs}"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v := newVU(t)
			begun := time.Now()
			v.set("address", respServer(t, func([]string) string {
				if at := time.Since(begun) % every; at > every-length {
					time.Sleep(every - at)
				}
				time.Sleep(time.Millisecond)
				return "+OK\r\n"
			}))
			v.burst(`burst.connect({protocol: 'resp', address, connections: 4}).run({window: w, template: {command: ['PING']}, untilMs: w.startMs + 3200` + pace + `})`)
			w := v.window()
			if pace == "" {
				require.Less(t, quantileMs(t, w.Service.Data, 0.99), 100.0)
				return
			}
			require.Less(t, quantileMs(t, w.Service.Data, 0.98), 100.0)
			require.Greater(t, quantileMs(t, w.Response.Data, 0.99), 500.0)
		})
	}
}

// The latencies must be those that the responder caused: 1 ms, a tenth 5 ms, a hundredth 200 ms.
// It runs before the parallel tests, since on two cores their noise is most of what it would see; a neighbour's noise
// may spoil an attempt all the same, a wrong clock is wrong in each.
func TestLatenciesAreTrue(t *testing.T) {
	const attempts = 5
	for name, module := range drives {
		t.Run(name, func(t *testing.T) {
			var wrong []string
			for range attempts {
				var s respiteServer
				v := newVUWith(t, module())
				v.set("address", respServer(t, s.answer(func(i int) time.Duration {
					switch {
					case i%100 == 50:
						return 200 * time.Millisecond
					case i%10 == 5:
						return 5 * time.Millisecond
					}
					return time.Millisecond
				})))
				v.eval(`var template = {command: ['PING']}, protocol = 'resp', keys = null, connecting = {connections: 8};`)
				v.burst(script(`count: 4000`))
				if wrong = s.untrue(t, v.window()); len(wrong) == 0 {
					return
				}
			}
			require.Empty(t, wrong, "in each of %d attempts, the last of which is shown", attempts)
		})
	}
}

// untrue names the quantiles of a window that the responder's delays do not explain.
func (s *respiteServer) untrue(t *testing.T, w window) (wrong []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	sort.Slice(s.delays, func(i, j int) bool { return s.delays[i] < s.delays[j] })
	const tailNoiseMs = 15 // a core that is taken away for a moment; the groups lie further apart
	for q, noiseMs := range map[float64]float64{0.5: 0.5, 0.95: tailNoiseMs, 0.985: tailNoiseMs, 0.995: tailNoiseMs, 0.999: tailNoiseMs} {
		caused := s.delays[int(q*float64(len(s.delays)))-1].Seconds() * 1000
		seen := quantileMs(t, w.Service.Data, q)
		if seen < caused*0.99-0.1 || seen > caused*1.01+noiseMs {
			wrong = append(wrong, fmt.Sprintf("quantile %v: %.3f ms seen, %.3f ms caused", q, seen, caused))
		}
	}
	return wrong
}
