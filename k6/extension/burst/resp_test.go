package burst_test

import (
	"fmt"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestEveryOperationIsCountedOnce(t *testing.T) {
	t.Parallel()
	eachDrive(t, func(t *testing.T, v *vu, drive func(string) result) {
		var c counter
		v.set("address", respServer(t, c.incr))
		v.eval(`template = {command: ['INCR', 'c:{key}'], expect: 'integer'}; keys = {seed: 7, space: 50}`)
		var want int64
		for _, depth := range []int{1, 16, 64} {
			for _, connections := range []int{1, 7} {
				v.eval(fmt.Sprintf(`connecting = {connections: %d}`, connections))
				r := drive(fmt.Sprintf(`count: 1003, depth: %d`, depth))
				require.Equal(t, result{Acked: 1003}, r)
				want += 1003
			}
		}
		require.Equal(t, want, c.stored())
		require.Equal(t, want, v.window().Count)
		sums := v.sums()
		require.InDelta(t, want, sums["op_count"], 0)
		require.Positive(t, sums["op_duration"])
		require.Positive(t, sums["data_sent"])
		require.Positive(t, sums["data_received"])
		require.Zero(t, v.indeterminate())
	})
}

func TestKeysAreTheSameForEveryDrive(t *testing.T) {
	t.Parallel()
	eachDrive(t, func(t *testing.T, v *vu, drive func(string) result) {
		var c counter
		v.set("address", respServer(t, c.incr))
		v.eval(`template = {command: ['INCR', '{key:6}/{seq}/{stream}']}; keys = {seed: 7, stream: 3, space: 1e5}`)
		drive(`count: 20, depth: 4`)
		want := v.eval(`const k = burst.keys(keys); Array.from({length: 20}, (_, i) => String(k.next()).padStart(6, '0') + '/' + i + '/3').join()`)
		require.Equal(t, want, c.sequence())
	})
}

func TestRepliesAreClassed(t *testing.T) {
	t.Parallel()
	eachDrive(t, func(t *testing.T, v *vu, drive func(string) result) {
		var n atomic.Int64
		v.set("address", respServer(t, func([]string) string {
			switch n.Add(1) % 4 {
			case 0:
				return "-ERR no\r\n"
			case 1:
				return "+PONG\r\n"
			case 2:
				return "+OTHER\r\n"
			}
			return ":1\r\n"
		}))
		v.eval(`template = {command: ['PING'], expect: 'simple:PONG'}`)
		require.Equal(t, result{Acked: 10, Failed: 30}, drive(`count: 40, depth: 8`))
		require.Equal(t, map[string]int64{"server": 10, "protocol": 20}, v.window().errorsOf())
		require.Equal(t, map[string]int64{"ERR": 10}, v.window().ErrorKinds, "a wrong answer has no name")
		require.Equal(t, int64(20), v.indeterminate(), "a refusal is known not to be applied")
		require.InDelta(t, 30, v.sums()["op_errors"], 0)
	})
}

func TestAValueMayComeAsAnIntegerABulkStringOrNothing(t *testing.T) {
	t.Parallel()
	eachDrive(t, func(t *testing.T, v *vu, drive func(string) result) {
		replies := []string{":7\r\n", "$1\r\n7\r\n", "$-1\r\n", "+7\r\n", "*0\r\n"}
		var n atomic.Int64
		v.set("address", respServer(t, func([]string) string {
			return replies[int(n.Add(1)-1)%len(replies)]
		}))
		v.eval(`template = {command: ['GET', 'c'], expect: 'integer-or-bulk-or-null'}`)
		require.Equal(t, result{Acked: 6, Failed: 4}, drive(`count: 10`))
		require.Equal(t, map[string]int64{"protocol": 4}, v.window().errorsOf())
	})
}

func TestSilenceTimesOutAndTheConnectionIsMadeAnew(t *testing.T) {
	t.Parallel()
	eachDrive(t, func(t *testing.T, v *vu, drive func(string) result) {
		var connections atomic.Int64
		v.set("address", serve(t, func(conn net.Conn) {
			connections.Add(1)
			buffer := make([]byte, 4096)
			for {
				if _, err := conn.Read(buffer); err != nil {
					return
				}
			}
		}))
		v.eval(`template = {command: ['PING']}; connecting = {timeoutMs: 80}`)
		begun := time.Now()
		require.Equal(t, result{Failed: 4}, drive(`count: 4, depth: 2`))
		require.GreaterOrEqual(t, time.Since(begun), 160*time.Millisecond)
		require.Equal(t, map[string]int64{"timeout": 4}, v.window().errorsOf())
		require.Equal(t, int64(2), connections.Load())
		require.Equal(t, int64(4), v.indeterminate())
	})
}

func TestALostConnectionFailsWhatWasInFlight(t *testing.T) {
	t.Parallel()
	eachDrive(t, func(t *testing.T, v *vu, drive func(string) result) {
		var n atomic.Int64
		v.set("address", respServer(t, func([]string) string {
			if n.Add(1)%5 == 0 {
				return ""
			}
			return "+OK\r\n"
		}))
		v.eval(`template = {command: ['PING']}`)
		r := drive(`count: 50`)
		require.Equal(t, result{Acked: 40, Failed: 10}, r)
		require.Equal(t, map[string]int64{"connect": 10}, v.window().errorsOf())
		require.Equal(t, int64(10), v.indeterminate())
	})
}

func TestNobodyListeningCountsAsUnsent(t *testing.T) {
	t.Parallel()
	eachDrive(t, func(t *testing.T, v *vu, drive func(string) result) {
		v.set("address", "127.0.0.1:1")
		v.eval(`template = {command: ['PING']}`)
		require.Equal(t, result{Failed: 3}, drive(`count: 3`))
		require.Equal(t, map[string]int64{"connect": 3}, v.window().errorsOf())
		require.Zero(t, v.indeterminate())
	})
}

func TestNonsenseBreaksTheConnection(t *testing.T) {
	t.Parallel()
	eachDrive(t, func(t *testing.T, v *vu, drive func(string) result) {
		v.set("address", respServer(t, func([]string) string { return "HTTP/1.1 200 OK\r\n" }))
		v.eval(`template = {command: ['PING']}`)
		require.Equal(t, result{Failed: 3}, drive(`count: 3`))
		require.Equal(t, map[string]int64{"protocol": 3}, v.window().errorsOf())
	})
}

func TestAReplyThatNobodyAskedForIsAWrongAnswer(t *testing.T) {
	t.Parallel()
	eachDrive(t, func(t *testing.T, v *vu, drive func(string) result) {
		var n atomic.Int64
		v.set("address", respServer(t, func([]string) string {
			if n.Add(1) == 5 {
				return ":1\r\n:1\r\n"
			}
			return ":1\r\n"
		}))
		v.eval(`template = {command: ['INCR', 'k'], expect: 'integer'}`)
		require.Equal(t, result{Acked: 10}, drive(`count: 10`))
		require.Equal(t, int64(10), v.window().Count)
		require.Equal(t, int64(1), v.window().Errors["protocol"])
	})
}

func TestTimeEndsABurstAndInFlightIsAwaited(t *testing.T) {
	t.Parallel()
	eachDrive(t, func(t *testing.T, v *vu, drive func(string) result) {
		var c counter
		v.set("address", respServer(t, func(words []string) string {
			time.Sleep(5 * time.Millisecond)
			return c.incr(words)
		}))
		v.eval(`template = {command: ['INCR', 'a']}; connecting = {connections: 4}`)
		begun := time.Now()
		r := drive(`untilMs: measure.epochMs() + 200`)
		require.InDelta(t, 205, time.Since(begun).Milliseconds(), 100)
		require.Equal(t, c.stored(), r.Acked)
		require.Zero(t, r.Failed+r.Aborted)
	})
}

// The end of a call may come between two looks at the clock, with nothing in flight and nothing left to wait for.
func TestAShortCallNeverSleepsPastItsEnd(t *testing.T) {
	t.Parallel()
	v := newVU(t)
	var c counter
	v.set("address", respServer(t, c.incr))
	longest := v.eval(`(() => {
		const c = burst.connect({protocol: 'resp', address});
		const template = {command: ['INCR', 'a']};
		let longest = 0;
		for (let i = 0; i < 3000; i++) {
			const begun = measure.now();
			c.run({window: w, template, untilMs: measure.epochMs() + 0.2});
			longest = Math.max(longest, measure.now() - begun);
		}
		return longest;
	})()`)
	require.Less(t, longest, 2000.0)
}

// Not parallel: it counts goroutines and descriptors.
func TestAnInterruptedBurstReturnsSoonAndLeavesNothing(t *testing.T) {
	for name, module := range drives {
		t.Run(name, func(t *testing.T) {
			v := newVUWith(t, module())
			var c counter
			v.set("address", respServer(t, func(words []string) string {
				if c.stored() > 500 {
					time.Sleep(200 * time.Millisecond)
				}
				return c.incr(words)
			}))
			v.eval(`var protocol = 'resp', keys = null, connecting = {connections: 3}, template = {command: ['INCR', 'a']}`)
			noLeaks(t, func() {
				var cancelled atomic.Int64
				time.AfterFunc(300*time.Millisecond, func() { cancelled.Store(time.Now().UnixMilli()); v.rt.CancelContext() })
				r := v.burst(script(`count: 1e9, depth: 4`))
				require.Less(t, time.Now().UnixMilli()-cancelled.Load(), int64(120))
				time.Sleep(time.Second)
				require.Positive(t, r.Acked)
				require.Positive(t, r.Aborted)
				require.LessOrEqual(t, r.Acked, c.stored())
				require.LessOrEqual(t, c.stored(), r.Acked+r.Aborted)
				require.Equal(t, r.Aborted, v.window().Aborted)
				require.Equal(t, r.Aborted, v.indeterminate())
			})
		})
	}
}

func TestARestingConnectionThatTheServerClosedIsReplaced(t *testing.T) {
	t.Parallel()
	v := newVU(t)
	v.set("address", serve(t, func(conn net.Conn) {
		_ = conn.SetReadDeadline(time.Now().Add(200 * time.Millisecond))
		buffer := make([]byte, 100)
		for {
			if _, err := conn.Read(buffer); err != nil {
				return
			}
			_, _ = conn.Write([]byte("+OK\r\n"))
		}
	}))
	v.eval(`const c = burst.connect({protocol: 'resp', address}), work = {window: w, template: {command: ['PING']}, count: 1}`)
	for range 2 {
		require.Equal(t, result{Acked: 1}, v.burst(`c.run(work)`))
		time.Sleep(700 * time.Millisecond)
	}
}

func TestSocketsDoNotOutliveTheVU(t *testing.T) {
	t.Parallel()
	v := newVU(t)
	var open atomic.Int64
	v.set("address", serve(t, func(conn net.Conn) {
		open.Add(1)
		defer open.Add(-1)
		buffer := make([]byte, 100)
		for {
			if _, err := conn.Read(buffer); err != nil {
				return
			}
			_, _ = conn.Write([]byte("+OK\r\n"))
		}
	}))
	v.burst(`burst.connect({protocol: 'resp', address, connections: 3}).run({window: w, template: {command: ['PING']}, count: 30})`)
	require.Positive(t, open.Load())
	v.rt.CancelContext()
	require.Eventually(t, func() bool { return open.Load() == 0 }, time.Second, time.Millisecond)
}

func TestSetupCommandsComeFirst(t *testing.T) {
	t.Parallel()
	eachDrive(t, func(t *testing.T, v *vu, drive func(string) result) {
		var first atomic.Value
		v.set("address", respServer(t, func(words []string) string {
			first.CompareAndSwap(nil, strings.Join(words, " "))
			if words[0] == "AUTH" && words[1] != "secret" {
				return "-WRONGPASS\r\n"
			}
			return "+OK\r\n"
		}))
		v.eval(`template = {command: ['PING']}; connecting = {setup: [['AUTH', 'secret'], ['SELECT', '0']]}`)
		require.Equal(t, result{Acked: 5}, drive(`count: 5`))
		require.Equal(t, "AUTH secret", first.Load())
		v.eval(`connecting = {setup: [['AUTH', 'wrong']]}`)
		require.Equal(t, result{Failed: 1}, drive(`count: 1`))
	})
}

func TestOptionsAreChecked(t *testing.T) {
	t.Parallel()
	v := newVU(t)
	v.eval(`var address = '127.0.0.1:1', template = {command: ['PING']}, ok = {window: w, template, count: 1},
		c = burst.connect({protocol: 'resp', address})`)
	for script, message := range map[string]string{
		`burst.connect({protocol: 'ftp', address})`:                 "resp, ssdb, http or ws",
		`burst.connect({protocol: 'resp', address: 'x'})`:           "host:port",
		`burst.connect({protocol: 'resp', address, conections: 2})`: "unknown field",
		`burst.connect()`:                                       "options object is missing",
		`burst.keys({seed: 1, space: 0})`:                       "space",
		`c.run({template, count: 1})`:                           "measure.window()",
		`c.run({window: w, count: 1})`:                          "template is missing",
		`c.run({window: w, template})`:                          "count, or an end",
		`c.run({...ok, depth: 0})`:                              "depth",
		`c.run({...ok, keys: {}})`:                              "burst.keys()",
		`c.run({...ok, template: {command: ['GET', '{key}']}})`: "keys are missing",
		`c.run({...ok, template: {command: ['SET', '{value}']}, keys: burst.keys({seed: 1, space: 1})})`: "needs its length",
		`c.run({...ok, template: {command: ['GET'], expect: 'number'}})`:                                 "expect",
		`c.run({...ok, template: {comand: ['GET']}})`:                                                    "unknown field",
		`c.run({...ok, pace: {ratePerSec: 0, startMs: 1}})`:                                              "ratePerSec",
		`c.run({...ok, pace: {ratePerSec: 1, startMs: 1, offset: 2, of: 2}})`:                            "offset",
		`burst.connect({protocol: 'resp', address, lane: -1})`:                                           "lane",
		`burst.connect({protocol: 'resp', address, brakeNsPerOp: -1})`:                                   "brakeNsPerOp",
	} {
		_, err := v.rt.VU.Runtime().RunString(script)
		require.ErrorContains(t, err, message, script)
	}
}
