package burst_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// store keeps what it is told under ids of its own, and remembers what it was asked for.
type store struct {
	mu   sync.Mutex
	rows map[string]map[string]any
	row  seen
	next int
	// wrong may answer a request in place of the store: true when it did.
	wrong func(n int, w http.ResponseWriter, r *http.Request) bool
	// silent tells no ids in answers to creations.
	silent bool
	all    int
}

func (s *store) serve(t *testing.T) string {
	s.rows = map[string]map[string]any{}
	return httpServer(t, s.handle)
}

func (s *store) handle(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all++
	s.row.add(r.Method + " " + r.URL.Path + " " + string(body))
	if s.wrong != nil && s.wrong(s.all, w, r) {
		return
	}
	id := strings.TrimPrefix(r.URL.Path, "/hens/")
	answer := func(status int, value any) {
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(value)
	}
	var sent map[string]any
	if len(body) > 0 && json.Unmarshal(body, &sent) != nil {
		answer(http.StatusBadRequest, "no JSON")
		return
	}
	switch {
	case r.Method == http.MethodPost:
		s.next++
		id = "hen-" + strconv.Itoa(s.next*7)
		sent["id"] = id
		s.rows[id] = sent
		if w.Header().Set("Location", "/api/hens/"+id); s.silent {
			answer(http.StatusCreated, map[string]any{"ok": true})
			return
		}
		answer(http.StatusCreated, sent)
	case r.URL.Path == "/hens":
		list := []any{}
		for _, row := range s.rows {
			list = append(list, row)
		}
		answer(http.StatusOK, map[string]any{"data": map[string]any{"all": list}})
	case s.rows[id] == nil:
		answer(http.StatusNotFound, "no such hen")
	case r.Method == http.MethodPut:
		sent["id"] = id
		s.rows[id] = sent
		answer(http.StatusOK, sent)
	case r.Method == http.MethodDelete:
		delete(s.rows, id)
		answer(http.StatusOK, map[string]any{})
	default:
		answer(http.StatusOK, s.rows[id])
	}
}

// asked returns how many requests there were.
func (s *store) asked() (n int) {
	s.locked(func() { n = s.all })
	return n
}

func (s *store) locked(look func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	look()
}

// aTurn creates a hen, changes it, reads it and, where it is not to be left, deletes it.
const aTurn = `{
	lists: {zones: ['north', 'south', 'east', 'west']},
	steps: [
		{op: 'create', set: {name: 'hen-{stream}-{seq}', zone: ''}, method: 'POST', path: '/hens', status: 201,
			body: '{"name":"{$name}","zone":"nowhere","eggs":{key}}', take: {id: {at: '/id'}}},
		{op: 'update', method: 'PUT', path: '/hens/{$id}', body: '{"name":"{$name}","zone":"{of:zones}"}',
			acked: {zone: '{of:zones}'}},
		{op: 'read', path: '/hens/{$id}', checks: [{at: '/name', is: '{$name}'}, {at: '/zone', is: '{$zone}'}]},
		{op: 'delete', method: 'DELETE', path: '/hens/{$id}', status: 200},
	],
}`

// turning is script for turns: a connection of its own, a window for each operation.
func turning(v *vu, turn string) {
	v.eval(`protocol = 'http'; keys = {seed: 3, stream: 2, space: 1000}; var turn = ` + turn + `; var windows = {};
		for (const { op } of turn.steps) windows[op] ??= measure.window({op, phase: 'measure', startMs: w.startMs, endMs: w.endMs});`)
}

// turn runs turns with further fields.
func (v *vu) turn(fields string) result {
	v.t.Helper()
	return v.burst(`(() => { const c = burst.connect({address, protocol, timeoutMs: 1000, ...connecting});
		try { return c.run({turn, windows, keys: burst.keys(keys), ` + fields + `}) } finally { c.close() } })()`)
}

// eachTurn runs a test of turns once with every drive.
func eachTurn(t *testing.T, turn string, test func(t *testing.T, v *vu)) {
	t.Helper()
	eachDrive(t, func(t *testing.T, v *vu, _ func(string) result) {
		turning(v, turn)
		test(t, v)
	})
}

func TestATurnUsesWhatEarlierRepliesSaid(t *testing.T) {
	t.Parallel()
	var rows sync.Map
	eachTurn(t, aTurn, func(t *testing.T, v *vu) {
		var s store
		v.set("address", s.serve(t))
		require.Equal(t, result{Acked: 101}, v.turn(`count: 101`))
		ops := v.windows()
		require.Equal(t, []int64{26, 25, 25, 25},
			[]int64{ops["create"].Count, ops["update"].Count, ops["read"].Count, ops["delete"].Count})
		s.locked(func() { require.Len(t, s.rows, 1, "the last one is not deleted yet") })
		require.Equal(t, 101, s.asked())
		rows.Store(s.row.row(), true)
	})
	t.Cleanup(func() {
		n := 0
		rows.Range(func(any, any) bool { n++; return true })
		require.Equal(t, 1, n, "the same seed makes the same choices, whoever moves the connection")
	})
}

func TestSeveralConnectionsTakeTurnsOfTheirOwn(t *testing.T) {
	t.Parallel()
	eachTurn(t, aTurn, func(t *testing.T, v *vu) {
		var s store
		v.set("address", s.serve(t))
		v.eval(`connecting = {connections: 5}`)
		require.Equal(t, result{Acked: 400}, v.turn(`count: 400`))
		names := map[string]bool{}
		creations := 0
		for _, request := range strings.Split(s.row.row(), "POST /hens ")[1:] {
			names[strings.SplitN(request, `"`, 5)[3]] = true
			creations++
		}
		require.Len(t, names, creations)
	})
}

func TestATurnKeepsToASchedule(t *testing.T) {
	t.Parallel()
	for name, slow := range map[string]time.Duration{"in time": 0, "too slow for it": 20 * time.Millisecond} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			eachTurn(t, aTurn, func(t *testing.T, v *vu) {
				s := store{wrong: func(int, http.ResponseWriter, *http.Request) bool { time.Sleep(slow); return false }}
				v.set("address", s.serve(t))
				r := v.turn(`untilMs: w.startMs + 1001, pace: {ratePerSec: 200, startMs: w.startMs + 1}`)
				require.InDelta(t, 200, r.Acked+r.Dropped, 2)
				require.Equal(t, r.Acked, int64(s.asked()))
				var dropped int64
				windows := v.windows()
				for _, op := range []string{"create", "update", "read", "delete"} {
					w := windows[op]
					require.InDelta(t, float64(r.Acked)/4, w.Count, 1, op)
					require.InDelta(t, float64(r.Dropped)/4, w.Dropped, 1, "what was not sent is shared out in the order of the turn")
					dropped += w.Dropped
				}
				require.Equal(t, r.Dropped, dropped)
				require.Equal(t, slow > 0, dropped > 50)
			})
		})
	}
}

func TestAnUpdateThatWasLostIsReadAsWrong(t *testing.T) {
	t.Parallel()
	eachTurn(t, aTurn, func(t *testing.T, v *vu) {
		updates := 0
		s := store{wrong: func(_ int, w http.ResponseWriter, r *http.Request) bool {
			if r.Method != http.MethodPut {
				return false
			}
			if updates++; updates%2 == 0 {
				return false
			}
			_, _ = io.WriteString(w, `{}`)
			return true
		}}
		v.set("address", s.serve(t))
		require.Equal(t, result{Acked: 70, Failed: 10}, v.turn(`count: 80`))
		ops := v.windows()
		require.Equal(t, map[string]int64{"protocol": 10}, ops["read"].errorsOf())
		require.Equal(t, int64(20), ops["delete"].Count, "the turn goes on")
	})
}

func TestATurnEndsWhereTheRestOfItNeedsWhatFailed(t *testing.T) {
	t.Parallel()
	for answer, class := range map[int]string{http.StatusConflict: "server", http.StatusOK: "protocol"} {
		eachTurn(t, aTurn, func(t *testing.T, v *vu) {
			creations := 0
			s := store{wrong: func(_ int, w http.ResponseWriter, r *http.Request) bool {
				if r.Method != http.MethodPost {
					return false
				}
				if creations++; creations%3 != 0 {
					return false
				}
				w.WriteHeader(answer)
				return true
			}}
			v.set("address", s.serve(t))
			require.Equal(t, result{Acked: 80, Failed: 10}, v.turn(`count: 90`))
			ops := v.windows()
			require.Equal(t, map[string]int64{class: 10}, ops["create"].errorsOf())
			require.Equal(t, []int64{20, 20, 20, 20},
				[]int64{ops["create"].Count, ops["update"].Count, ops["read"].Count, ops["delete"].Count})
		})
	}
}

func TestAnOperationOfSeveralRequestsIsOne(t *testing.T) {
	t.Parallel()
	eachTurn(t, `{steps: [
		{op: 'create', set: {name: 'hen-{seq}'}, method: 'POST', path: '/hens', status: 201, body: '{"name":"{$name}"}',
			more: [{path: '/hens', take: {id: {at: '/data/all/name={$name}/id'}}}]},
		{op: 'read', path: '/hens/{$id}', checks: [{at: '/name', is: '{$name}'}]},
	]}`, func(t *testing.T, v *vu) {
		s := store{silent: true}
		v.set("address", s.serve(t))
		require.Equal(t, result{Acked: 40}, v.turn(`count: 40`))
		require.Equal(t, 60, s.asked())
		require.Equal(t, int64(20), v.windows()["create"].Count)
		s.locked(func() {
			clear(s.rows)
			s.wrong = func(_ int, w http.ResponseWriter, r *http.Request) bool {
				if r.Method == http.MethodGet {
					_, _ = io.WriteString(w, `{"data":{"all":[{"name":"another","id":"x"}]}}`)
				}
				return r.Method == http.MethodGet
			}
		})
		require.Equal(t, result{Failed: 10}, v.turn(`count: 10`), "who is not in the list was not created")
		s.locked(func() { require.Len(t, s.rows, 10) })
	})
}

func TestAHeaderOfAReplyIsTaken(t *testing.T) {
	t.Parallel()
	eachTurn(t, `{steps: [
		{op: 'create', method: 'POST', path: '/hens', body: '{"name":"x{seq}"}', take: {id: {header: 'Location', after: '/'}}},
		{op: 'read', path: '/hens/{$id}', headers: {'X-Id': '{$id}'}, checks: [{at: '/id', is: '{$id}'}]},
	]}`, func(t *testing.T, v *vu) {
		s := store{silent: true}
		v.set("address", s.serve(t))
		require.Equal(t, result{Acked: 30}, v.turn(`count: 30`))
	})
}

func TestATurnGoesOnOverAConnectionMadeAnew(t *testing.T) {
	t.Parallel()
	eachTurn(t, aTurn, func(t *testing.T, v *vu) {
		s := store{wrong: func(n int, w http.ResponseWriter, _ *http.Request) bool {
			if n%3 == 0 {
				w.Header().Set("Connection", "close")
			}
			return false
		}}
		v.set("address", s.serve(t))
		require.Equal(t, result{Acked: 80}, v.turn(`count: 80`))
		s.locked(func() { require.Empty(t, s.rows) })
	})
}

func TestALostConnectionFailsOneOperation(t *testing.T) {
	t.Parallel()
	eachTurn(t, aTurn, func(t *testing.T, v *vu) {
		s := store{wrong: func(_ int, w http.ResponseWriter, r *http.Request) bool {
			if r.Method != http.MethodGet {
				return false
			}
			conn, _, err := w.(http.Hijacker).Hijack()
			if err == nil {
				_ = conn.Close()
			}
			return true
		}}
		v.set("address", s.serve(t))
		require.Equal(t, result{Acked: 30, Failed: 10}, v.turn(`count: 40`))
		require.Equal(t, map[string]int64{"connect": 10}, v.windows()["read"].errorsOf())
		s.locked(func() { require.Empty(t, s.rows) })
	})
}

func TestCountsOfAnInterruptedTurnAreExact(t *testing.T) {
	t.Parallel()
	eachTurn(t, aTurn, func(t *testing.T, v *vu) {
		var asked atomic.Int64
		s := store{wrong: func(int, http.ResponseWriter, *http.Request) bool { asked.Add(1); return false }}
		address := s.serve(t)
		v.set("address", address)
		v.eval(`connecting = {connections: 8}`)
		timer := time.AfterFunc(300*time.Millisecond, v.rt.CancelContext)
		defer timer.Stop()
		r := v.turn(`untilMs: measure.epochMs() + 60000`)
		require.Zero(t, r.Failed)
		require.LessOrEqual(t, r.Aborted, int64(8))
		counted := int64(0)
		for op, w := range v.windows() {
			counted += w.Count + w.Aborted
			require.Empty(t, w.errorsOf(), op)
		}
		require.Equal(t, r.Acked+r.Aborted, counted)
		// What was written to a socket as it was closed may never have arrived.
		require.LessOrEqual(t, asked.Load(), r.Acked+r.Aborted)
		require.GreaterOrEqual(t, asked.Load(), r.Acked)
	})
}

func TestUsersRestBetweenOperations(t *testing.T) {
	t.Parallel()
	eachTurn(t, aTurn, func(t *testing.T, v *vu) {
		var mu sync.Mutex
		var at []time.Time
		s := store{wrong: func(int, http.ResponseWriter, *http.Request) bool {
			mu.Lock()
			defer mu.Unlock()
			at = append(at, time.Now())
			return false
		}}
		v.set("address", s.serve(t))
		begun := time.Now()
		require.Equal(t, result{Acked: 15}, v.turn(`count: 15, rest: {ms: 80, every: 5, firstMs: 40}`))
		mu.Lock()
		require.GreaterOrEqual(t, at[0].Sub(begun), 40*time.Millisecond)
		for i := 1; i < len(at); i++ {
			if gap := at[i].Sub(at[i-1]); i%5 == 0 {
				require.GreaterOrEqual(t, gap, 79*time.Millisecond, "before operation %d", i)
			}
		}
		mu.Unlock()
		rested := v.eval(`(() => { const c = burst.connect({address, protocol});
			try { return c.run({turn, windows, keys: burst.keys(keys), untilMs: measure.epochMs() + 450, rest: {ms: 100, every: 1}}).restedMs }
			finally { c.close() } })()`)
		require.GreaterOrEqual(t, rested, 100.0)
		require.Less(t, rested, 460.0, "a rest that the end cuts short is none between operations")
	})
}

func TestWhatIsTooNearToAWriteIsNotDemanded(t *testing.T) {
	t.Parallel()
	const turn = `{steps: [
		{op: 'create', set: {name: 'hen-{seq}', zone: ''}, method: 'POST', path: '/hens', body: '{"name":"{$name}"}', take: {id: {at: '/id'}}},
		{op: 'update', method: 'PUT', path: '/hens/{$id}', body: '{"name":"{$name}","zone":"north"}',
			acked: {zone: 'north'}, apart: {from: 'id', ms: %v}},
		{op: 'read', path: '/hens/{$id}', checks: [{at: '/zone', is: '{$zone}'}]},
	]}`
	for ms, failed := range map[float64]int64{60_000: 0, 0.000001: 10} {
		eachTurn(t, fmt.Sprintf(turn, ms), func(t *testing.T, v *vu) {
			s := store{wrong: func(_ int, w http.ResponseWriter, r *http.Request) bool {
				if r.Method == http.MethodPut {
					_, _ = io.WriteString(w, `{}`)
				}
				return r.Method == http.MethodPut
			}}
			v.set("address", s.serve(t))
			require.Equal(t, result{Acked: 30 - failed, Failed: failed}, v.turn(`count: 30`))
		})
	}
}

func TestBadTurnsAreRefused(t *testing.T) {
	t.Parallel()
	v := newVU(t)
	v.eval(`var address = '127.0.0.1:1', protocol = 'http', keys, connecting = {};`)
	turning(v, aTurn)
	for script, want := range map[string]string{
		`{turn: {steps: []}, windows, keys: k, count: 1}`:                                                                      "from 1 to 256 steps",
		`{turn, keys: k, count: 1}`:                                                                                            "windows are missing",
		`{turn, windows: {create: w}, keys: k, count: 1}`:                                                                      `"update" has no window`,
		`{turn, windows, count: 1}`:                                                                                            "needs keys",
		`{turn, windows, keys: k, count: 1, depth: 2}`:                                                                         "depth must be 1",
		`{turn: {...turn, lists: {zones: []}}, windows, keys: k, count: 1}`:                                                    `"zones" is empty`,
		`{turn: {steps: turn.steps}, windows, keys: k, count: 1}`:                                                              "no such list",
		`{turn: {steps: [turn.steps[2]]}, windows, keys: k, count: 1}`:                                                         "nothing before it sets or takes",
		`{turn: {steps: [{op: 'read', path: '/', checks: [{at: 'x', list: true}]}]}, windows, keys: k, count: 1}`:              "no JSON pointer",
		`{turn: {steps: [{op: 'read', path: '/', checks: [{at: '/x', list: true, none: true}]}]}, windows, keys: k, count: 1}`: "needs one of",
		`{turn: {steps: [{op: 'read', path: '/', checks: [{at: '/x', is: '{seq}'}]}]}, windows, keys: k, count: 1}`:            "set a name",
		`{turn: {steps: [{op: 'read', path: '/', take: {x: {}}}]}, windows, keys: k, count: 1}`:                                "either at or header",
		`{turn: {steps: [{op: 'read', path: '/', apart: {from: 'x', ms: 1}}]}, windows, keys: k, count: 1}`:                    "known by then",
		`{turn: {steps: [{op: 'read', path: '/', acked: {x: '1'}, more: [{path: '/'}]}]}, windows, keys: k, count: 1}`:         "not with several",
		`{turn: {steps: [{op: 'read', path: '/', speed: 1}]}, windows, keys: k, count: 1}`:                                     "speed",
		`{turn: {steps: [{op: 'read', path: '/{document}'}]}, windows, keys: k, count: 1}`:                                     "documents: true",
		`{turn, windows, keys: k, count: 1, rest: {ms: 1}}`:                                                                    "every must be",
		`{turn, windows, keys: k, count: 1, rest: {ms: -1, every: 1}}`:                                                         "ms and firstMs",
		`{turn, windows, keys: k, untilMs: 1, rest: {ms: 1, every: 1}, pace: {ratePerSec: 1, startMs: 1}}`:                     "exclude each other",
	} {
		_, err := v.rt.VU.Runtime().RunString(`{const k = burst.keys(keys); burst.connect({address, protocol}).run(` + script + `)}`)
		require.ErrorContains(t, err, want, script)
	}
	_, err := v.rt.VU.Runtime().RunString(`burst.connect({address, protocol: 'ws'}).run({turn, windows, keys: burst.keys(keys), count: 1})`)
	require.ErrorContains(t, err, "needs the protocol http")
}

func TestALieIsSeenAfterRightReplies(t *testing.T) {
	t.Parallel()
	const turn = `{
		lists: {id: ['0', '1', '2'], row: ['{"id":0,"name":"a"}', '{"id":1,"name":"b"}', '{"id":2,"name":"c"}']},
		steps: [{op: 'read', path: '/rows/{of:id}', checks: [{at: '/row', same: '{of:row}'}], tally: {name: 'lies', of: 5, from: 2, each: 3}}],
	}`
	for what, lie := range map[string]string{
		"another's": `{"row":{"id":%d,"name":"x"}}`, "nothing": `{"row":null}%.0d`, "half": `{"row":{"id":%d}}`,
	} {
		eachTurn(t, turn, func(t *testing.T, v *vu) {
			asked := 0
			var mu sync.Mutex
			v.set("address", httpServer(t, func(w http.ResponseWriter, r *http.Request) {
				mu.Lock()
				defer mu.Unlock()
				n, _ := strconv.Atoi(strings.TrimPrefix(r.URL.Path, "/rows/"))
				if asked++; asked%10 == 0 {
					_, _ = fmt.Fprintf(w, lie, n)
					return
				}
				_, _ = fmt.Fprintf(w, `{"row":{"name":"%c","id":%d}}`, 'a'+n, n)
			}))
			before := v.eval(`burst.tally(5, 'lies').counts()`).(map[string]any)
			require.Equal(t, result{Acked: 180, Failed: 20}, v.turn(`count: 200`), what)
			after := v.eval(`burst.tally(5, 'lies').counts()`).(map[string]any)
			for name, want := range map[string]int64{"sent": 200, "acked": 180} {
				sum := int64(0)
				for i, n := range after[name].([]int64) {
					if grown := n - before[name].([]int64)[i]; i >= 2 {
						sum += grown
					} else {
						require.Zero(t, grown)
					}
				}
				require.GreaterOrEqual(t, sum, want, "others count there, too")
			}
		})
	}
}
