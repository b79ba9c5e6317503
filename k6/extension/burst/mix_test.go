package burst_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/gorilla/websocket"
	"github.com/stretchr/testify/require"
)

// seen is what servers of a mix got, in order.
type seen struct {
	mu    sync.Mutex
	names []string
}

func (s *seen) add(name string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.names = append(s.names, name)
	return len(s.names)
}

func (s *seen) row() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.names, " ")
}

// mixing is a VU with a second window w2 and a mix of writes and notes; %s are the two templates.
func mixing(t *testing.T, protocol, address, write, note string) *vu {
	t.Helper()
	v := newVU(t)
	v.set("address", address).set("protocol", protocol)
	v.eval(`var w2 = measure.window({op: 'note', phase: 'measure', startMs: w.startMs, endMs: w.endMs});
		var c = burst.connect({address, protocol, timeoutMs: 2000}), keys = burst.keys({seed: 5, stream: 3, space: 10});
		var mix = [{share: 0.7, window: w, template: ` + write + `}, {share: 0.3, window: w2, template: ` + note + `}];`)
	return v
}

func (v *vu) windows() map[string]window {
	var all struct {
		Windows []struct {
			window
			Op string
		}
	}
	require.NoError(v.t, json.Unmarshal([]byte(v.eval(`measure.exportAll()`).(string)), &all))
	byOp := map[string]window{}
	for _, w := range all.Windows {
		byOp[w.Op] = w.window
	}
	return byOp
}

const (
	httpWrite = `{method: 'POST', path: '/write', body: '{key}', contains: 'fine'}`
	httpNote  = `{method: 'POST', path: '/note', body: '{value:20}', contains: 'fine'}`
	wsWrite   = `{message: 'write {key}', success: 'fine', failure: 'wrong'}`
	wsNote    = `{message: 'note {value:20}', success: 'fine', failure: 'wrong'}`
)

func TestAMixSendsTheSameRowOverEveryProtocol(t *testing.T) {
	t.Parallel()
	var overHTTP, overWS, deep seen
	v := mixing(t, "http", httpServer(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		overHTTP.add(strings.TrimPrefix(r.URL.Path, "/") + " " + string(body))
		_, _ = fmt.Fprint(w, "fine")
	}), httpWrite, httpNote)
	require.Equal(t, result{Acked: 1000}, v.burst(`c.run({mix, keys, count: 1000})`))
	for i, to := range []*seen{&overWS, &deep} {
		u := mixing(t, "ws", wsServer(t, echoing(func(_ int64, message string) []string {
			to.add(message)
			return []string{"fine"}
		})), wsWrite, wsNote)
		require.Equal(t, result{Acked: 1000}, u.burst(fmt.Sprintf(`c.run({mix, keys, count: 1000, depth: %d})`, 1+7*i)))
	}
	require.Equal(t, overHTTP.row(), overWS.row())
	require.Equal(t, overHTTP.row(), deep.row())
	ops := v.windows()
	require.Equal(t, int64(1000), ops["op"].Count+ops["note"].Count)
	require.InDelta(t, 700, ops["op"].Count, 50)
	require.Equal(t, int64(strings.Count(overHTTP.row(), "note ")), ops["note"].Count)
}

func TestFailuresOfAMixAreCountedForTheOperationThatFailed(t *testing.T) {
	t.Parallel()
	v := mixing(t, "ws", wsServer(t, echoing(func(_ int64, message string) []string {
		if strings.HasPrefix(message, "note") {
			return []string{"wrong"}
		}
		return []string{"fine"}
	})), wsWrite, wsNote)
	r := v.burst(`c.run({mix, keys, count: 500, depth: 3})`)
	require.Equal(t, int64(500), r.Acked+r.Failed)
	ops := v.windows()
	require.Equal(t, r.Acked, ops["op"].Count)
	require.Empty(t, ops["op"].errorsOf())
	require.Equal(t, map[string]int64{"server": r.Failed}, ops["note"].errorsOf())
}

func TestASocketClosedWithACallPendingIsAFailureOfThatCall(t *testing.T) {
	t.Parallel()
	v := mixing(t, "ws", wsServer(t, func(conn *websocket.Conn, _ *http.Request) {
		for {
			_, message, err := conn.ReadMessage()
			if err != nil || strings.HasPrefix(string(message), "note") {
				return // and the socket is closed
			}
			_ = conn.WriteMessage(websocket.TextMessage, []byte("fine"))
		}
	}), wsWrite, wsNote)
	r := v.burst(`c.run({mix, keys, count: 200})`)
	ops := v.windows()
	require.Positive(t, r.Failed)
	require.Equal(t, map[string]int64{"connect": r.Failed}, ops["note"].errorsOf())
	require.Equal(t, int64(200), r.Acked+r.Failed)
	require.Equal(t, r.Failed, v.eval(`measure.totals().note.indeterminate`))
}

func TestBadMixesAreRefused(t *testing.T) {
	t.Parallel()
	v := mixing(t, "ws", "127.0.0.1:1", wsWrite, wsNote)
	for script, want := range map[string]string{
		`c.run({mix: [], keys, count: 1})`:                                                                "from 1 to 16 parts",
		`c.run({mix: [mix[0]], keys, count: 1})`:                                                          "must add up to 1",
		`c.run({mix, count: 1})`:                                                                          "needs keys",
		`c.run({mix: [mix[0], {share: 0.3, window: w2}], keys, count: 1})`:                                "a template",
		`c.run({mix: [mix[0], {share: 0.3, template: mix[1].template}], keys, count: 1})`:                 "window",
		`c.run({mix: [mix[0], {...mix[1], template: {message: 'x', success: 'other'}}], keys, count: 1})`: "must agree",
	} {
		_, err := v.rt.VU.Runtime().RunString(script)
		require.ErrorContains(t, err, want, script)
	}
}

func TestNumbersGoOnWithTheConnectionWhateverItSends(t *testing.T) {
	t.Parallel()
	var got seen
	v := mixing(t, "ws", wsServer(t, echoing(func(_ int64, message string) []string {
		got.add(message)
		return []string{"fine"}
	})), `{message: 'a{seq}', success: 'fine'}`, `{message: 'b{seq}', success: 'fine'}`)
	v.burst(`c.run({window: w, template: {message: 'a{seq}'}, count: 2})`)
	v.burst(`c.run({window: w, template: {message: 'b{seq}'}, count: 2, depth: 2})`)
	v.burst(`c.run({window: w, template: {message: 'a{seq}'}, count: 1})`)
	v.burst(`c.run({mix, keys, count: 2})`)
	row := strings.NewReplacer("a", "", "b", "").Replace(got.row())
	require.Equal(t, "0 1 2 3 4 5 6", row)
}

// Of a mix, the ids in doubt are those of the operations that carry any.
func TestIDsInDoubtOfAMixAreThoseOfTheirOperation(t *testing.T) {
	t.Parallel()
	v := mixing(t, "ws", wsServer(t, func(conn *websocket.Conn, _ *http.Request) {
		_, _, _ = conn.ReadMessage() // and the socket is closed
	}), `{message: 'write {uuid}', success: 'fine', failure: 'wrong'}`, wsNote)
	require.Equal(t, result{Failed: 64}, v.burst(`c.run({mix, keys, count: 64, depth: 8})`))
	ops := v.windows()
	require.Positive(t, ops["note"].Errors["connect"])
	require.Nil(t, v.eval(`measure.totals().note.doubted`))
	sum := int64(0)
	for _, s := range v.doubted() {
		sum += int64(s.Count)
	}
	require.Equal(t, ops["op"].Errors["connect"], sum)
}

// Reads and writes of a mix are answered in unlike ways, each by its own template, also where many are under way.
func TestAMixOfUnlikeAnswersIsHeldAgainstItsParts(t *testing.T) {
	t.Parallel()
	for _, depth := range []int{1, 16} {
		var mu sync.Mutex
		stored := map[string]string{}
		v := newVU(t)
		v.set("address", respServer(t, func(words []string) string {
			mu.Lock()
			defer mu.Unlock()
			switch words[0] {
			case "SET":
				stored[words[1]] = words[2]
				return "+OK\r\n"
			case "INCR":
				return ":1\r\n"
			}
			value, ok := stored[words[1]]
			if !ok {
				return "$-1\r\n"
			}
			if other, isThere := stored["k:8"]; isThere && words[1] == "k:7" {
				value = other
			}
			return fmt.Sprintf("$%d\r\n%s\r\n", len(value), value)
		}))
		v.set("of", fmt.Sprint(t.Name(), depth))
		v.eval(`const named = (op) => measure.window({op, phase: 'measure', startMs: w.startMs, endMs: w.endMs});
			var c = burst.connect({address, protocol: 'resp', timeoutMs: 5000, connections: 3});
			var keys = burst.keys({seed: 5, stream: 3, space: 10, choose: {zipf: 0.5}, data: {of, values: {from: 50, to: 90}}});
			var mix = [
				{share: 0.6, window: named('get'), template: {command: ['GET', 'k:{key}'], expect: 'bulk-or-null', use: 'reads', of: 'k'}},
				{share: 0.3, window: named('set'), template: {command: ['SET', 'k:{key}', '{value}'], expect: 'simple:OK', use: 'writes', of: 'k'}},
				{share: 0.1, window: named('incr'), template: {command: ['INCR', 'n:{key}'], expect: 'integer'}}];`)
		r := v.burst(fmt.Sprintf(`c.run({mix, keys, count: 3000, depth: %d})`, depth))
		ops := v.windows()
		require.Equal(t, int64(3000), r.Acked+r.Failed)
		require.Empty(t, ops["set"].errorsOf())
		require.Empty(t, ops["incr"].errorsOf())
		require.Equal(t, map[string]int64{"protocol": r.Failed}, ops["get"].errorsOf())
		require.Positive(t, r.Failed)
		var all []struct{ Faults map[string]int64 }
		require.NoError(t, json.Unmarshal([]byte(v.eval(`JSON.stringify(keys.known(false))`).(string)), &all))
		require.Equal(t, r.Failed, all[0].Faults["ofAnother"], "%v", all)
	}
}
