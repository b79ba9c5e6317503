//go:build checks && linux

// What it costs to hold replies against what was sent, of all that the generator does for an operation: `npm run
// bench:checks`, on a machine with nothing else to do.
package burst_test

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/gorilla/websocket"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// Both sides of a row are loaded in turns, so many times, each time with so many operations; of two rounds the second
// one has them the other way round.
const costOps = 1000

var costRounds = flag.Int("cost-rounds", 800, "of both sides of a row")

// mostShare is what checks may cost, of the generator's CPU for an operation.
const mostShare = 0.03

// costRow is one operation with and without its checks: options of a run in JavaScript, where c is what connects.
type costRow struct {
	name          string
	setUp         string
	with, without string
	start         func(t *testing.T) string
	depth         int // of a pipeline, 0 for none
}

const (
	respIncr = `{command: ['INCR', 'counter:{key}'], expect: 'integer'`
	httpIncr = `{method: 'POST', path: '/api/mutation', body: '{"name":"c{key}","by":1}', contains: '"status":"success"'`
	wsIncr   = `{message: '{"requestId":{seq},"name":"c{key}"}', success: '"success":true'`
	noErrors = `{at: '/errors', none: true}`
	query    = `method: 'POST', path: '/graph', body: '{"query":"{of:id}"}'`
)

var costRows = []costRow{
	{name: "counters: increment, RESP", setUp: respSetUp, with: respIncr + `, tally: 'adds'}`, without: respIncr + `}`, start: countingRESP},
	{name: "counters: increment, RESP, 16 in a pipeline", setUp: respSetUp, with: respIncr + `, tally: 'adds'}`, without: respIncr + `}`, start: countingRESP, depth: 16},
	{name: "counters: read, RESP", setUp: respSetUp, with: `{command: ['GET', 'counter:{key}'], tally: 'reads'}`, without: `{command: ['GET', 'counter:{key}']}`, start: countingRESP},
	{name: "counters: read, RESP, 16 in a pipeline", setUp: respSetUp, with: `{command: ['GET', 'counter:{key}'], tally: 'reads'}`, without: `{command: ['GET', 'counter:{key}']}`, start: countingRESP, depth: 16},
	{
		"documents: read, RESP", respSetUp + `keys = burst.keys({seed: 1, space: 1, documents: true})`,
		`{command: ['GET', 'document'], expect: 'bulk', returns: '{document}'}`, `{command: ['GET', 'document'], expect: 'bulk'}`, documentRESP, 0,
	},
	{"realtime: increment, HTTP", httpSetUp, httpIncr + `, tally: 'adds', valueAfter: '"value":'}`, httpIncr + `}`, countingHTTP, 0},
	{"realtime: increment, WebSocket", wsSetUp, wsIncr + `, idAfter: '"requestId":', tally: 'adds', valueAfter: '"value":'}`, wsIncr + `, idAfter: '"requestId":'}`, countingWS, 0},
	{"realtime: increment without a value in its reply, WebSocket", wsSetUp, wsIncr + `, tally: 'counted'}`, wsIncr + `}`, countingWS, 0},
	{"realtime: message, HTTP", httpSetUp, `{method: 'POST', path: '/note', body: '{uuid:120}'}`, `{method: 'POST', path: '/note', body: '{value:120}'}`, countingHTTP, 0},
	{"entities: read, REST", turnSetUp, turnOf(`path: '/rest/{of:id}', checks: [{at: '/name', is: '{of:name}'}]`), turnOf(`path: '/rest/{of:id}'`), entitiesHTTP, 0},
	{
		"entities: three levels, GraphQL", turnSetUp, turnOf(query + `, checks: [` + noErrors + `, {at: '/data/getById', same: '{of:row}'}]`),
		turnOf(query + `, checks: [` + noErrors + `, {at: '/data/getById/id', is: '{of:id}'}, {at: '/data/getById/coops', length: 3}]`), entitiesHTTP, 0,
	},
	{
		"entities: all of a projection, GraphQL", turnSetUp,
		turnOf(query + `, checks: [` + noErrors + `, {at: '/data/getAll', length: 20, every: 8}, {at: '/data/getAll/hen_id={of:hen}/total_eggs', least: '{of:least}', every: 8}]`),
		turnOf(query + `, checks: [` + noErrors + `, {at: '/data/getAll', list: true}]`), projectionsHTTP, 0,
	},
	{"events: page, HTTP", httpSetUp, `{path: '/page', contains: '"events"', sample: true}`, `{path: '/page', contains: '"events"'}`, projectionsHTTP, 0},
}

const (
	respSetUp = `protocol = 'resp';`
	httpSetUp = `protocol = 'http';`
	wsSetUp   = `protocol = 'ws';`
	turnSetUp = `protocol = 'http'; lists = {id: ['8f3c1a52-0b7e-4f6e-9d35-0a1b2c3d4e5f'], name: ['c10-farm-0'], row: [farm],
		hen: Array.from({length: 20}, (_, i) => 'hen-' + i), least: Array.from({length: 20}, () => '1')};`
)

// turnOf is a turn of one request.
func turnOf(request string) string { return `turn: {lists, steps: [{op: 'op', ` + request + `}]}` }

func TestChecksCostLittle(t *testing.T) {
	t.Setenv("BURST_LOOPS", "1")
	fmt.Printf("| operation | checks, ns | of the generator's CPU, µs | share (95 %% CI) |\n|---|--:|--:|--:|\n")
	for _, row := range append(costRows, costRow{name: "the same twice: nothing", setUp: respSetUp, with: respIncr + `}`, without: respIncr + `}`, start: countingRESP}) {
		share, low, high, us := row.measure(t)
		fmt.Printf("| %s | %.0f | %.2f | %.1f %% (%.1f–%.1f) |\n", row.name, share*us*1000, us, share*100, low*100, high*100)
		if low > mostShare {
			t.Errorf("%s: %.1f %%", row.name, share*100)
		}
	}
}

// measure returns the median of what the checks add, as a share of the CPU without them, its interval, and that CPU in µs.
func (row *costRow) measure(t *testing.T) (share, low, high, us float64) {
	v := newVU(t)
	v.set("address", row.start(t)).set("other", row.start(t)).set("of", t.Name()+row.name).set("farm", farmOf(3, 4))
	v.eval(`var lists, protocol, keys = burst.keys({seed: 1, space: 1000, tallyOf: {name: of, of: 1000}});` + row.setUp + `;
		var windows = {op: w}, options = {protocol, connections: 20, timeoutMs: 20000};
		var c = [burst.connect({...options, address}), burst.connect({...options, address: other})];`)
	// Each side has a server of its own: what is checked on one must not be changed by the other.
	run := func(server int, work string) float64 {
		if !strings.HasPrefix(work, "turn:") {
			work = `window: w, template: ` + work
		} else {
			work += `, windows`
		}
		before := loopCPU(v)
		r := v.burst(fmt.Sprintf(`c[%d].run({%s, keys, count: %d, depth: %d})`, server, work, costOps, max(1, row.depth)))
		require.Equal(t, int64(costOps), r.Acked, row.name)
		return (loopCPU(v) - before) / costOps
	}
	for range 10 {
		run(0, row.with)
		run(1, row.without)
	}
	ratios, all := make([]float64, 0, *costRounds), make([]float64, 0, *costRounds)
	for round := range *costRounds {
		var with, without float64
		if round%2 == 0 {
			with, without = run(0, row.with), run(1, row.without)
		} else {
			without = run(1, row.without)
			with = run(0, row.with)
		}
		ratios, all = append(ratios, math.Log(with/without)), append(all, without)
	}
	slices.Sort(ratios)
	slices.Sort(all)
	// The interval of a median, without any distribution: by the binomial one.
	n := float64(len(ratios))
	half := int(0.98 * math.Sqrt(n))
	at := func(i int) float64 { return math.Exp(ratios[i]) - 1 }
	return at(len(ratios) / 2), at(len(ratios)/2 - half), at(len(ratios)/2 + half), all[len(all)/2] / 1000
}

// loopCPU returns the CPU time of the only loop's thread, ns; 0 before it has begun.
func loopCPU(v *vu) float64 {
	var export struct{ Loops []struct{ TID int } }
	require.NoError(v.t, json.Unmarshal([]byte(v.eval(`measure.exportAll()`).(string)), &export))
	if len(export.Loops) == 0 {
		return 0
	}
	const perThreadScheduled = 6
	clock := int32(^uint32(export.Loops[0].TID)<<3 | perThreadScheduled)
	var spec unix.Timespec
	require.NoError(v.t, unix.ClockGettime(clock, &spec))
	return float64(spec.Nano())
}

// countingRESP answers increments and reads of a server of its own.
func countingRESP(t *testing.T) string {
	own := &counter{values: map[string]int{}}
	answer := func(words []string) string {
		own.mu.Lock()
		defer own.mu.Unlock()
		if words[0] == "INCR" {
			own.values[words[1]]++
			return ":" + strconv.Itoa(own.values[words[1]]) + "\r\n"
		}
		value := strconv.Itoa(own.values[words[1]])
		return "$" + strconv.Itoa(len(value)) + "\r\n" + value + "\r\n"
	}
	return serve(t, func(conn net.Conn) {
		r, w := bufio.NewReader(conn), bufio.NewWriter(conn)
		for {
			words, err := command(r)
			if err != nil {
				return
			}
			_, _ = w.WriteString(answer(words))
			// A pipeline is answered whole, as servers do.
			if r.Buffered() == 0 && w.Flush() != nil {
				return
			}
		}
	})
}

func documentRESP(t *testing.T) string {
	v := newVU(t)
	document := v.eval(`burst.keys({seed: 1, space: 1, documents: true}).document(0)`).(string)
	reply := "$" + strconv.Itoa(len(document)) + "\r\n" + document + "\r\n"
	return respServer(t, func([]string) string { return reply })
}

func countingHTTP(t *testing.T) string {
	server := &counting{}
	return plainHTTP(t, func(_, body string) string {
		if !strings.HasPrefix(body, "{") {
			return "{}"
		}
		return strings.Replace(server.add(body), `"fine"`, `"success"`, 1)
	})
}

func countingWS(t *testing.T) string {
	server := &counting{}
	return wsServer(t, func(conn *websocket.Conn, _ *http.Request) {
		for {
			_, message, err := conn.ReadMessage()
			if err != nil {
				return
			}
			id, rest, _ := strings.Cut(strings.TrimPrefix(string(message), `{"requestId":`), ",")
			reply := strings.Replace(server.add(rest), `{"status":"fine"`, `{"requestId":`+id+`,"success":true`, 1)
			if conn.WriteMessage(websocket.TextMessage, []byte(reply)) != nil {
				return
			}
		}
	})
}

func entitiesHTTP(t *testing.T) string {
	farm := farmOf(3, 4)
	return plainHTTP(t, func(path, _ string) string {
		if strings.HasPrefix(path, "/rest/") {
			return `{"id":"8f3c1a52-0b7e-4f6e-9d35-0a1b2c3d4e5f","name":"c10-farm-0"}`
		}
		return `{"data":{"getById":` + farm + `}}`
	})
}

func projectionsHTTP(t *testing.T) string {
	rows := make([]string, 20)
	for i := range rows {
		rows[i] = fmt.Sprintf(`{"id":"8f3c1a52-0b7e-4f6e-9d35-0a1b2c3d%04d","hen_id":"hen-%d","total_eggs":%d,"quality_rate":1.0}`, i, i, 1000+i)
	}
	all := strings.Join(rows, ",")
	// What a projection answers is another text each time.
	var answered atomic.Int64
	return plainHTTP(t, func(path, _ string) string {
		if path == "/page" {
			return `{"events":[` + all + `]}`
		}
		return `{"data":{"getAll":[` + all + `],"n":` + strconv.FormatInt(answered.Add(1), 10) + `}}`
	})
}

// farmOf is a farm with its coops and hens, as JSON.
func farmOf(coops, hens int) string {
	list := func(n int, one func(i int) string) string {
		all := make([]string, n)
		for i := range all {
			all[i] = one(i)
		}
		return "[" + strings.Join(all, ",") + "]"
	}
	return `{"id":"8f3c1a52-0b7e-4f6e-9d35-0a1b2c3d4e5f","name":"c10-farm-0","coops":` + list(coops, func(c int) string {
		return fmt.Sprintf(`{"id":"8f3c1a52-0b7e-4f6e-9d35-0a1b2c3d%04d","name":"c10-coop-%d","hens":`, c, c) + list(hens, func(h int) string {
			return fmt.Sprintf(`{"id":"8f3c1a52-0b7e-4f6e-9d35-1a1b2c3d%04d","name":"c10-hen-%d","breed":"leghorn","status":"active"}`, c*hens+h, c*hens+h)
		}) + "}"
	}) + "}"
}

// plainHTTP answers requests with as little as that takes: what the server does is not what is measured.
func plainHTTP(t *testing.T, answer func(path, body string) string) string {
	return serve(t, func(conn net.Conn) {
		r := bufio.NewReaderSize(conn, 16<<10)
		for {
			head, err := r.ReadString('\n')
			if err != nil {
				return
			}
			length := 0
			for line := head; line != "\r\n"; {
				if line, err = r.ReadString('\n'); err != nil {
					return
				}
				if value, found := strings.CutPrefix(line, "Content-Length: "); found {
					length, _ = strconv.Atoi(strings.TrimSpace(value))
				}
			}
			body := make([]byte, length)
			if _, err := io.ReadFull(r, body); err != nil {
				return
			}
			reply := answer(strings.Fields(head)[1], string(body))
			if _, err := fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(reply), reply); err != nil {
				return
			}
		}
	})
}
