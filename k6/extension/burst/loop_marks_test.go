//go:build linux

package burst_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

type mark struct {
	MomentMs, AtMs float64
	CPUNs, WaitNs  *int64
	Operations     []struct {
		Op, Phase string
		Lane      *int
		Acked     int64
	}
}

type loopExport struct {
	Loop, TID int
	CPUs      []int
	Marks     []mark
}

func (v *vu) loops() []loopExport {
	v.t.Helper()
	var all struct{ Loops []loopExport }
	require.NoError(v.t, json.Unmarshal([]byte(v.eval(`measure.exportAll()`).(string)), &all))
	return all.Loops
}

// at returns the last of a moment's marks.
func (l loopExport) at(t *testing.T, momentMs float64) mark {
	t.Helper()
	for i := len(l.Marks) - 1; i >= 0; i-- {
		if m := l.Marks[i]; m.MomentMs > momentMs-0.01 && m.MomentMs < momentMs+0.01 {
			return m
		}
	}
	require.Failf(t, "no mark", "of %v in %+v", momentMs, l.Marks)
	return mark{}
}

func (m mark) acked(op string) (sum int64) {
	for _, o := range m.Operations {
		if o.Op == op {
			sum += o.Acked
		}
	}
	return sum
}

// Slices are cut where the operations are counted: begin, cut and end of a window, each with what was done by then.
func TestALoopNotesItselfAtTheMomentsThatItIsAskedFor(t *testing.T) {
	t.Parallel()
	v := newVU(t)
	var c counter
	v.set("address", respServer(t, c.incr))
	moments := v.eval(`const now = measure.epochMs(), cut = [now + 150, now + 300, now + 450];
		var s = measure.window({op: 'sliced', phase: 'measure', startMs: cut[0], endMs: cut[2]});
		measure.cutAt([cut[1]]);
		var c = burst.connect({address, protocol: 'resp', connections: 3, lane: 1});
		var r = c.run({window: s, template: {command: ['INCR', 'a']}, untilMs: cut[2] + 100});
		JSON.stringify({cut, acked: r.acked})`)
	var run struct {
		Cut   []float64
		Acked int64
	}
	require.NoError(t, json.Unmarshal([]byte(moments.(string)), &run))
	loops := v.loops()
	require.Len(t, loops, 1, "a lane is one loop")
	l := loops[0]
	require.NotEmpty(t, l.CPUs)
	require.DirExists(t, filepath.Join("/proc/self/task", strconv.Itoa(l.TID)))
	begin, middle, end := l.at(t, run.Cut[0]), l.at(t, run.Cut[1]), l.at(t, run.Cut[2])
	require.Less(t, begin.acked("sliced"), middle.acked("sliced"))
	require.Less(t, middle.acked("sliced"), end.acked("sliced"))
	require.LessOrEqual(t, end.acked("sliced"), run.Acked)
	require.Less(t, *begin.CPUNs, *end.CPUNs)
	require.Equal(t, 1, *begin.Operations[0].Lane)
	for _, m := range []mark{begin, middle, end} {
		require.GreaterOrEqual(t, m.AtMs, m.MomentMs-0.01)
	}
	inside := v.windows()["sliced"].Count
	require.InDelta(t, end.acked("sliced")-begin.acked("sliced"), inside, 3*2, "but for those in flight as a cut was made")
	if _, err := os.Stat("/proc/self/schedstat"); err == nil {
		require.LessOrEqual(t, *begin.WaitNs, *end.WaitNs)
	}
}

// Two systems that are loaded by one process keep apart: each has a lane, and so a loop and a count of its own.
func TestLanesAreCountedApart(t *testing.T) {
	t.Parallel()
	v := newVU(t)
	var a, b counter
	v.set("first", respServer(t, a.incr)).set("second", respServer(t, b.incr))
	v.eval(`var p = measure.phase({op: 'both', phase: 'measure', parties: 1, operations: 1}).enter();
		for (const [lane, address, count] of [[0, first, 30], [1, second, 50]])
			burst.connect({address, protocol: 'resp', lane}).run({window: p, template: {command: ['INCR', 'a']}, count});
		measure.cutAt([measure.epochMs()]);
		burst.connect({address: first, protocol: 'resp', lane: 0, connections: 2}).run({window: p, template: {command: ['INCR', 'a']}, count: 4});
		burst.connect({address: second, protocol: 'resp', lane: 1}).run({window: p, template: {command: ['INCR', 'a']}, count: 4});`)
	last := map[int]int64{}
	for _, l := range v.loops() {
		for _, m := range l.Marks {
			for _, o := range m.Operations {
				if o.Op == "both" {
					last[*o.Lane] = max(last[*o.Lane], o.Acked)
				}
			}
		}
	}
	require.Equal(t, map[int]int64{0: 34, 1: 54}, last)
}

// With a brake of 100 us an operation, so much CPU time is used up at least; without one far less.
func TestABrakeCostsTheCPUTimeThatItSays(t *testing.T) {
	t.Parallel()
	const operations, brake = 500, 100 * time.Microsecond
	v := newVU(t)
	var c counter
	v.set("address", respServer(t, c.incr)).set("brake", brake.Nanoseconds()).set("operations", operations)
	v.eval(`measure.cutAt([measure.epochMs()]);
		var c = burst.connect({address, protocol: 'resp', lane: 0, brakeNsPerOp: brake});
		c.run({window: w, template: {command: ['INCR', 'a']}, count: 1});
		measure.cutAt([measure.epochMs()]);
		c.run({window: w, template: {command: ['INCR', 'a']}, count: operations});
		measure.cutAt([measure.epochMs()]);
		c.run({window: w, template: {command: ['INCR', 'a']}, count: 1});`)
	marks := v.loops()[0].Marks
	var before, after mark
	for _, m := range marks {
		switch m.acked("op") {
		case 1:
			before = m
		case operations + 1:
			after = m
		}
	}
	require.GreaterOrEqual(t, *after.CPUNs-*before.CPUNs, operations*brake.Nanoseconds())
	require.Equal(t, result{Acked: 1}, v.burst(`c.run({window: w, template: {command: ['INCR', 'a']}, count: 1})`))
}

func TestMomentsToCutAtAreChecked(t *testing.T) {
	t.Parallel()
	v := newVU(t)
	for _, script := range []string{`measure.cutAt('soon')`, `measure.cutAt([0])`, `measure.cutAt([Infinity])`} {
		_, err := v.rt.VU.Runtime().RunString(script)
		require.ErrorContains(t, err, "cutAt", script)
	}
}
