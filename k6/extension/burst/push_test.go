package burst_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestPushesAreCountedFromTheMomentThatTheyCarry(t *testing.T) {
	t.Parallel()
	v := newVU(t)
	v.set("address", wsServer(t, echoing(func(n int64, _ string) []string {
		before := time.Now().Add(-40 * time.Millisecond).UnixMicro()
		long := time.Now().Add(-time.Hour).UnixMicro()
		return []string{
			fmt.Sprintf(`{"light":{"inserts":["[0,%d,%d]"]}}`, before, n),
			fmt.Sprintf(`{"light":{"inserts":["[0,%d,%d]"]}}`, long, n), // of before the window
			`{"other":1}`, `{"ok":1}`,
		}
	})))
	v.eval(`var seen = measure.window({op: 'seen', phase: 'measure', startMs: w.startMs - 100, endMs: w.endMs});
		var c = burst.connect({address, protocol: 'ws'});
		var pushes = {window: seen, contains: '"light"', momentAfter: '"inserts":["[0,', perMs: 1000}`)
	require.Equal(t, result{Acked: 50}, v.burst(`c.run({window: w, template: {message: 'x', success: '"ok"'}, count: 50, pushes})`))
	pushed := v.windows()["seen"]
	require.Equal(t, int64(50), pushed.Count)
	require.GreaterOrEqual(t, pushed.MeanMs, 40.0)
	require.Less(t, pushed.MeanMs, 80.0)
	require.Equal(t, int64(50), v.windows()["op"].Count)
	require.Empty(t, pushed.errorsOf())
}

func TestAPushWithoutAMomentIsAProtocolError(t *testing.T) {
	t.Parallel()
	v := newVU(t)
	v.set("address", wsServer(t, echoing(func(int64, string) []string { return []string{`{"light":"?"}`, `ok`} })))
	v.eval(`var seen = measure.window({op: 'seen', phase: 'measure', startMs: w.startMs, endMs: w.endMs});
		var c = burst.connect({address, protocol: 'ws'})`)
	v.burst(`c.run({window: w, template: {message: 'x', success: 'ok'}, count: 3, pushes: {window: seen, contains: 'light', momentAfter: 'at:', perMs: 1}})`)
	require.Equal(t, map[string]int64{"protocol": 3}, v.windows()["seen"].errorsOf())
}

func TestPushesNeedAWebSocketAndAllTheirFields(t *testing.T) {
	t.Parallel()
	v := newVU(t)
	for script, want := range map[string]string{
		`burst.connect({address: 'h:1', protocol: 'ws'}).run({window: w, template: {message: 'x'}, count: 1, pushes: {window: w}})`: "momentAfter",
		`burst.connect({address: 'h:1', protocol: 'http'}).run({window: w, template: {path: '/'}, count: 1,
			pushes: {window: w, contains: 'a', momentAfter: 'b', perMs: 1}})`: "only the protocol ws",
	} {
		_, err := v.rt.VU.Runtime().RunString(script)
		require.ErrorContains(t, err, want)
	}
}
