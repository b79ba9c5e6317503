package burst_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"github.com/stretchr/testify/require"
)

// counting are counters that are answered in text, one in five increments by a lie.
type counting struct {
	mu     sync.Mutex
	values map[string]int
	n      int
	lie    func(value int) int
}

func (c *counting) add(key string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.values == nil {
		c.values = map[string]int{}
	}
	c.values[key]++
	value := c.values[key]
	if c.n++; c.lie != nil && c.n%5 == 0 {
		value = c.lie(value)
	}
	return fmt.Sprintf(`{"status":"fine","value":%d.0,"more":"x"}`, value)
}

func (c *counting) asked() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.n
}

// lies about a counter, which each must be a wrong answer.
var counterLies = map[string]struct {
	lie  func(value int) int
	seen bool
}{
	"none":     {nil, false},
	"constant": {func(int) int { return 0 }, true},
	"too much": {func(value int) int { return value + 1000 }, true},
	"behind":   {func(value int) int { return value/4 - 1 }, true},
	"negative": {func(int) int { return -1 }, true},
}

func TestACounterInAReplyOfTextIsHeldAgainstWhatWasSent(t *testing.T) {
	t.Parallel()
	for name, of := range counterLies {
		for _, protocol := range []string{"http", "ws", "ws by id"} {
			t.Run(name+" over "+protocol, func(t *testing.T) {
				t.Parallel()
				server := &counting{lie: of.lie}
				v := tallying(t, protocol, server)
				r := v.burst(`c.run({mix, keys, count: 2000})`)
				require.Equal(t, int64(2000), r.Acked+r.Failed)
				ops := v.windows()
				require.Empty(t, ops["note"].errorsOf(), "a note tells of no counter")
				if !of.seen {
					require.Equal(t, result{Acked: 2000}, r)
					require.Equal(t, ops["op"].Count, v.sumOf("acked"))
					require.Equal(t, ops["op"].Count, v.sumOf("sent"))
					return
				}
				require.Equal(t, map[string]int64{"protocol": int64(server.asked() / 5)}, ops["op"].errorsOf())
				require.Equal(t, ops["op"].Count, v.sumOf("acked"), "a wrong answer acknowledges nothing")
			})
		}
	}
}

func TestIncrementsAreCountedWhereRepliesTellNone(t *testing.T) {
	t.Parallel()
	for _, protocol := range []string{"http", "ws", "ws by id"} {
		v := tallying(t, protocol, &counting{lie: counterLies["constant"].lie})
		v.eval(`mix[0].template.tally = 'counted'; delete mix[0].template.valueAfter`)
		require.Equal(t, result{Acked: 500}, v.burst(`c.run({mix, keys, count: 500})`))
		require.Equal(t, v.windows()["op"].Count, v.sumOf("acked"))
	}
}

// sumOf sums up what the tally of the test knows.
func (v *vu) sumOf(what string) int64 {
	v.t.Helper()
	return v.eval(`burst.tally(10, of).counts().` + what + `.reduce((sum, n) => sum + n, 0)`).(int64)
}

// tallying is a VU with a mix of increments, whose replies tell the counter, and notes.
func tallying(t *testing.T, protocol string, server *counting) *vu {
	t.Helper()
	answer := func(words []string) string {
		if words[0] == "note" {
			return `{"status":"fine","value":"a note"}`
		}
		return server.add(words[1])
	}
	v := newVU(t)
	v.set("of", t.Name()+protocol)
	v.eval(`var w2 = measure.window({op: 'note', phase: 'measure', startMs: w.startMs, endMs: w.endMs});
		var keys = burst.keys({seed: 5, stream: 3, space: 10, tallyOf: {name: of, of: 10}});
		var told = {tally: 'adds', valueAfter: '"value":'}`)
	if protocol == "http" {
		v.set("address", httpServer(t, func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			_, _ = fmt.Fprint(w, answer(strings.Fields(string(body))))
		}))
		v.eval(`var c = burst.connect({address, protocol: 'http', timeoutMs: 5000, connections: 3}), mix = [
			{share: 0.7, window: w, template: {method: 'POST', path: '/', body: 'add {key}', contains: '"fine"', ...told}},
			{share: 0.3, window: w2, template: {method: 'POST', path: '/', body: 'note {key}', contains: '"fine"'}}]`)
		return v
	}
	v.set("address", wsServer(t, echoing(func(_ int64, message string) []string {
		words := strings.Fields(message)
		return []string{`{"push":1}`, strings.Replace(answer(words), `{`, `{"id":`+words[2]+`,`, 1)}
	})))
	v.set("right", map[string]any{"success": `"fine"`})
	if protocol == "ws by id" {
		v.set("right", map[string]any{"success": `"fine"`, "idAfter": `"id":`})
	}
	v.eval(`var c = burst.connect({address, protocol: 'ws', timeoutMs: 5000, connections: 3}), mix = [
		{share: 0.7, window: w, template: {message: 'add {key} {seq}', ...right, ...told}},
		{share: 0.3, window: w2, template: {message: 'note {key} {seq}', ...right}}]`)
	return v
}

// What was under way on a connection that is lost is unknown: no later reply is taken for its answer.
func TestALostConnectionTakesItsIncrementsAlong(t *testing.T) {
	t.Parallel()
	server := &counting{}
	answers := echoing(func(_ int64, message string) []string {
		words := strings.Fields(message)
		return []string{server.add(words[1])}
	})
	v := newVU(t)
	v.set("of", t.Name())
	v.set("address", wsServer(t, func(conn *websocket.Conn, r *http.Request) {
		_ = conn.SetReadDeadline(time.Now().Add(20 * time.Millisecond))
		answers(conn, r)
	}))
	v.eval(`var keys = burst.keys({seed: 5, stream: 3, space: 10, tallyOf: {name: of, of: 10}});
		var c = burst.connect({address, protocol: 'ws', timeoutMs: 5000, connections: 3}), mix = [{share: 1, window: w,
			template: {message: 'add {key} {seq}', success: '"fine"', tally: 'counted'}}]`)
	v.burst(`c.run({mix, keys, count: 5000})`)
	require.Positive(t, v.windows()["op"].errorsOf()["connect"])
	acked := v.eval(`burst.tally(10, of).counts().acked`).([]int64)
	server.mu.Lock()
	defer server.mu.Unlock()
	for key, n := range acked {
		require.LessOrEqual(t, n, int64(server.values[strconv.Itoa(key)]), "counter %d", key)
	}
}

// Many under way at once, and answered out of their order, which their ids tell.
func TestCountersAreToldByIDInAnyOrder(t *testing.T) {
	t.Parallel()
	server := &counting{}
	var held []string
	v := newVU(t)
	v.set("of", t.Name())
	v.set("address", wsServer(t, echoing(func(_ int64, message string) []string {
		words := strings.Fields(message)
		held = append(held, strings.Replace(server.add(words[1]), `{`, `{"id":`+words[2]+`,`, 1))
		if len(held) < 4 {
			return nil
		}
		replies := []string{held[3], held[1], held[0], held[2]}
		held = nil
		return replies
	})))
	v.eval(`var c = burst.connect({address, protocol: 'ws', timeoutMs: 5000});
		var keys = burst.keys({seed: 5, stream: 3, space: 10, tallyOf: {name: of, of: 10}});
		var template = {message: 'add {key} {seq}', success: '"fine"', idAfter: '"id":', tally: 'adds', valueAfter: '"value":'}`)
	require.Equal(t, result{Acked: 400}, v.burst(`c.run({window: w, template, keys, count: 400, depth: 4})`))
	require.Equal(t, int64(400), v.sumOf("acked"))
}

func TestATallyOfTextNeedsToKnowWhereTheCounterStands(t *testing.T) {
	t.Parallel()
	v := newVU(t)
	v.eval(`var keys = burst.keys({seed: 5, space: 10, tallyOf: {name: 'nowhere', of: 10}})`)
	for _, script := range []string{
		`burst.connect({address: 'h:1', protocol: 'http'}).run({window: w, template: {path: '/', tally: 'adds'}, keys, count: 1})`,
		`burst.connect({address: 'h:1', protocol: 'ws'}).run({window: w, template: {message: 'x', tally: 'reads'}, keys, count: 1})`,
	} {
		_, err := v.rt.VU.Runtime().RunString(script)
		require.ErrorContains(t, err, "needs valueAfter")
	}
}

// Of a mix, the ids that were carried are those of the only operation that carries any.
func TestIDsCarriedByAMixAreKnown(t *testing.T) {
	t.Parallel()
	for _, protocol := range []string{"http", "ws"} {
		v := tallying(t, protocol, &counting{})
		v.eval(`for (const field of ['body', 'message']) if (mix[1].template[field]) mix[1].template[field] = 'note {uuid:50} {seq}'`)
		require.Equal(t, result{Acked: 300}, v.burst(`c.run({mix, keys, count: 300})`))
		require.Nil(t, v.eval(`measure.totals().op.sent`))
		var sent []struct{ Seed, Stream, From, Count int64 }
		require.NoError(t, json.Unmarshal([]byte(v.eval(`JSON.stringify(measure.totals().note.sent)`).(string)), &sent))
		sum := int64(0)
		for _, one := range sent {
			sum += one.Count
		}
		require.Equal(t, v.windows()["note"].Count, sum)
		v.eval(`for (const field of ['body', 'message']) if (mix[0].template[field]) mix[0].template[field] = 'add {key} {seq} {uuid}'`)
		v.burst(`c.run({mix, keys, count: 300})`)
		require.Nil(t, v.eval(`measure.totals().op.sent`), "of two nobody knows whose they are")
	}
}

func TestACounterInAPushMustNotFallNorBeMoreThanWasSent(t *testing.T) {
	t.Parallel()
	v := newVU(t)
	v.set("of", t.Name())
	v.set("address", wsServer(t, echoing(func(n int64, _ string) []string {
		now := time.Now().UnixMicro()
		told := map[int64]int64{10: 3, 20: 1000, 30: -1}[n]
		if told == 0 {
			told = n
		}
		return []string{fmt.Sprintf(`{"light":{"inserts":["[0,%d,%d]"]}}`, now, told), `{"ok":1}`}
	})))
	v.eval(`var seen = measure.window({op: 'seen', phase: 'measure', startMs: w.startMs - 100, endMs: w.endMs});
		var keys = burst.keys({seed: 5, space: 1, tallyOf: {name: of, of: 10}});
		var c = burst.connect({address, protocol: 'ws'});
		var pushes = {window: seen, contains: '"light"', momentAfter: '"inserts":["[0,', perMs: 1000, valueAfter: ','}`)
	v.burst(`c.run({window: w, template: {message: 'x {key}', success: '"ok"', tally: 'counted'}, keys, count: 50, pushes})`)
	require.Equal(t, int64(47), v.windows()["seen"].Count)
	require.Equal(t, map[string]int64{"protocol": 3}, v.windows()["seen"].errorsOf())
}
