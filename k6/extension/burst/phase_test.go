package burst_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Two users of one process share a phase: each keeps its own VU, both take from one cursor.
func TestUsersOfAPhaseShareItsOperationsAndTheirPresenceIsKept(t *testing.T) {
	t.Parallel()
	var c counter
	slow := respServer(t, func(words []string) string {
		time.Sleep(2 * time.Millisecond)
		return c.incr(words)
	})
	v := newVU(t)
	v.set("address", slow)
	began := time.Now()
	v.eval(`const p = measure.phase({op: 'shared', phase: 'measure', parties: 1, operations: 101});
		const shared = p.enter();
		const c = burst.connect({address, protocol: 'resp'});
		const work = {window: shared, template: {command: ['INCR', 'c']}, phase: p};`)
	require.Equal(t, result{Acked: 5}, v.burst(`(p.take(96, 96), c.run(Object.assign({depth: 8}, work)))`))
	require.Equal(t, int64(0), v.eval(`p.left()`))
	require.Equal(t, result{}, v.burst(`c.run(work)`), "nothing is left")
	v.eval(`c.close()`)
	require.Equal(t, int64(5), c.stored())

	var all struct {
		Windows []struct {
			Op                     string
			StartMs, EndMs, MeanMs float64
			PresentMs              *float64
		}
	}
	require.NoError(t, json.Unmarshal([]byte(v.eval(`measure.exportAll()`).(string)), &all))
	for _, w := range all.Windows {
		if w.Op != "shared" {
			require.Nil(t, w.PresentMs, "a window of fixed length has none")
			continue
		}
		require.InDelta(t, w.EndMs-w.StartMs, *w.PresentMs, 0.01, "one user is there for as long as the window")
		require.Less(t, *w.PresentMs, float64(time.Since(began).Milliseconds()+1))
	}
	_, err := v.rt.VU.Runtime().RunString(`c.run(Object.assign({count: 1}, work))`)
	require.ErrorContains(t, err, "exclude each other")
	_, err = v.rt.VU.Runtime().RunString(`c.run(Object.assign({}, work, {phase: {}}))`)
	require.ErrorContains(t, err, "measure.phase()")
}
