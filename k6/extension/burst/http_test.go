package burst_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"ladderbench/k6/extension/measure"
)

func httpServer(t *testing.T, handle http.HandlerFunc) string {
	t.Helper()
	server := httptest.NewServer(handle)
	t.Cleanup(server.Close)
	return server.URL
}

func TestBodiesAreMadeForEachRequest(t *testing.T) {
	t.Parallel()
	eachDrive(t, func(t *testing.T, v *vu, drive func(string) result) {
		var mu sync.Mutex
		bodies := map[string]int{}
		v.set("address", httpServer(t, func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			mu.Lock()
			bodies[r.Method+" "+r.URL.Path+" "+r.Header.Get("X-Id")+" "+string(body)]++
			mu.Unlock()
			_, _ = fmt.Fprintf(w, `{"status":"success","got":%d}`, len(body))
		}))
		v.eval(`protocol = 'http'; keys = {seed: 1, space: 1000}; connecting = {headers: {'Content-Type': 'application/json'}};
			template = {method: 'POST', path: '/e/{key}', headers: {'X-Id': '{seq}'}, body: '{"key":{key},"v":"{value:20}"}', contains: '"success"'}`)
		require.Equal(t, result{Acked: 50}, drive(`count: 50`))
		want := v.eval(`const k = burst.keys(keys); const n = k.next(); 'POST /e/' + n + ' 0 {"key":' + n + ',"v":"' + k.value(n, 20) + '"}'`)
		mu.Lock()
		defer mu.Unlock()
		require.Len(t, bodies, 50)
		require.Contains(t, bodies, want)
	})
}

func TestHTTPRepliesAreClassed(t *testing.T) {
	t.Parallel()
	eachDrive(t, func(t *testing.T, v *vu, drive func(string) result) {
		var n atomic.Int64
		v.set("address", httpServer(t, func(w http.ResponseWriter, _ *http.Request) {
			switch n.Add(1) % 5 {
			case 0:
				w.WriteHeader(http.StatusServiceUnavailable)
			case 1:
				w.WriteHeader(http.StatusConflict)
			case 2:
				_, _ = io.WriteString(w, "something else")
			case 3:
				w.WriteHeader(http.StatusFound)
			default:
				_, _ = io.WriteString(w, "all right")
			}
		}))
		v.eval(`protocol = 'http'; template = {path: '/', status: 200, contains: 'right'}`)
		require.Equal(t, result{Acked: 10, Failed: 40}, drive(`count: 50`))
		require.Equal(t, map[string]int64{"server": 20, "protocol": 20}, v.window().errorsOf())
		require.Equal(t, map[string]int64{"HTTP 503": 10, "HTTP 409": 10, "HTTP 200": 10, "HTTP 302": 10}, v.window().ErrorKinds)
		require.Equal(t, int64(30), v.indeterminate(), "a 4xx is known not to be applied, a 5xx is not")
	})
}

// The ids of what may have been applied are those of its requests, whatever became of the others.
func TestIDsInDoubtAreThoseThatWereSent(t *testing.T) {
	t.Parallel()
	eachDrive(t, func(t *testing.T, v *vu, drive func(string) result) {
		var mu sync.Mutex
		var doubted []string
		v.set("address", httpServer(t, func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			ids := strings.Fields(string(body))
			mu.Lock()
			defer mu.Unlock()
			switch len(doubted) / 2 % 4 {
			case 0, 1: // a refusal is no doubt
				if ids[0] < "8" {
					w.WriteHeader(http.StatusConflict)
					return
				}
				doubted = append(doubted, ids...)
				w.WriteHeader(http.StatusInternalServerError)
			case 2:
				doubted = append(doubted, ids...)
				_, _ = io.WriteString(w, "something else")
			case 3:
				doubted = append(doubted, ids...)
				panic(http.ErrAbortHandler) // the connection ends without an answer
			}
		}))
		v.eval(`protocol = 'http'; keys = {seed: 7, stream: 3, space: 10, ids: 11};
			template = {method: 'POST', path: '/', body: '{uuid} {uuid}', contains: 'right'}`)
		drive(`count: 60`)
		var ids []string
		for _, s := range v.doubted() {
			for n := range s.Count {
				v.set("s", map[string]any{"seed": s.Seed, "stream": s.Stream, "n": s.From + n})
				ids = append(ids, v.eval(`burst.keys({seed: s.seed, stream: s.stream, space: 1}).uuid(s.n)`).(string))
			}
		}
		mu.Lock() // a reply that is read from a socket orders no memory
		defer mu.Unlock()
		require.ElementsMatch(t, doubted, ids)
		require.Len(t, ids, int(2*v.indeterminate()))
	})
}

// Of a pipeline that is cut off, those are in doubt that were not answered yet.
func TestIDsInDoubtOfAPipelineAreTheUnanswered(t *testing.T) {
	t.Parallel()
	eachDrive(t, func(t *testing.T, v *vu, drive func(string) result) {
		v.set("address", serve(t, func(conn net.Conn) {
			r := bufio.NewReader(conn)
			for range 8 {
				if _, err := command(r); err != nil {
					return
				}
			}
			_, _ = io.WriteString(conn, "+OK\r\n+OK\r\n+OK\r\n")
		}))
		v.eval(`keys = {seed: 7, stream: 3, space: 10, ids: 11}; template = {command: ['SET', '{uuid}', '1']}`)
		require.Equal(t, result{Acked: 3, Failed: 5}, drive(`count: 8, depth: 8`))
		require.Equal(t, []measure.Span{{Seed: 11, Stream: 3, From: 3, Count: 5}}, v.doubted())
	})
}

func TestHTTPFailuresHaveTheServersNames(t *testing.T) {
	t.Parallel()
	eachDrive(t, func(t *testing.T, v *vu, drive func(string) result) {
		var n atomic.Int64
		v.set("address", httpServer(t, func(w http.ResponseWriter, _ *http.Request) {
			switch n.Add(1) % 4 {
			case 0: // as a real server answers a write conflict
				w.WriteHeader(http.StatusServiceUnavailable)
				_, _ = io.WriteString(w, `{"code":"OptimisticConcurrencyControlFailure","message":"Data read or written in"}`)
			case 1:
				w.WriteHeader(http.StatusServiceUnavailable)
				_, _ = io.WriteString(w, `{"code":"<b>no name</b>"}`)
			case 2: // a connection that ends after a refusal is no second refusal
				w.Header().Set("Connection", "close")
				w.WriteHeader(http.StatusTooManyRequests)
			default:
				_, _ = io.WriteString(w, `{"status":"success"}`)
			}
		}))
		v.eval(`protocol = 'http'; template = {path: '/', contains: '"success"', kindAfter: '"code":"'}`)
		require.Equal(t, result{Acked: 10, Failed: 30}, drive(`count: 40`))
		require.Equal(t, map[string]int64{
			"HTTP 503 OptimisticConcurrencyControlFailure": 10, "HTTP 503": 10, "HTTP 429": 10,
		}, v.window().ErrorKinds)
		require.EqualValues(t, 20, v.indeterminate(), "a 503 may have been applied")
		v.eval(`template.notApplied = ['OptimisticConcurrencyControlFailure']`)
		drive(`count: 40`)
		require.EqualValues(t, 30, v.indeterminate(), "what the name of the failure denies is in no doubt")
	})
}

func TestNamesOfFailuresAreBounded(t *testing.T) {
	t.Parallel()
	eachDrive(t, func(t *testing.T, v *vu, drive func(string) result) {
		var n atomic.Int64
		v.set("address", httpServer(t, func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusServiceUnavailable)
			_, _ = fmt.Fprintf(w, `{"code":"E%d"}`, n.Add(1))
		}))
		v.eval(`protocol = 'http'; template = {path: '/', kindAfter: '"code":"'}`)
		require.Equal(t, result{Failed: 100}, drive(`count: 100`))
		kinds := v.window().ErrorKinds
		require.LessOrEqual(t, len(kinds), 17)
		require.GreaterOrEqual(t, kinds["others"], int64(84))
		var all int64
		for _, n := range kinds {
			all += n
		}
		require.Equal(t, int64(100), all)
	})
}

func TestChunkedAndClosingResponses(t *testing.T) {
	t.Parallel()
	eachDrive(t, func(t *testing.T, v *vu, drive func(string) result) {
		var n atomic.Int64
		v.set("address", httpServer(t, func(w http.ResponseWriter, _ *http.Request) {
			if n.Add(1)%3 == 0 {
				w.Header().Set("Connection", "close")
			}
			_, _ = io.WriteString(w, "first ")
			w.(http.Flusher).Flush()
			_, _ = io.WriteString(w, "second")
		}))
		v.eval(`protocol = 'http'; template = {path: '/', contains: 'first second'}; connecting = {connections: 3}`)
		require.Equal(t, result{Acked: 60}, drive(`count: 60`))
	})
}

func TestWhatWasSentAndSomeRepliesAreKept(t *testing.T) {
	t.Parallel()
	eachDrive(t, func(t *testing.T, v *vu, drive func(string) result) {
		v.set("address", httpServer(t, func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			_, _ = fmt.Fprintf(w, "kept %d", len(body))
		}))
		v.eval(`protocol = 'http'; keys = {seed: 5, stream: 3, space: 10, ids: 77};
			template = {method: 'POST', path: '/', body: '{uuid} {uuid} {now}', sample: true};`)
		require.Equal(t, result{Acked: 20}, drive(`count: 20`))
		sent := v.eval(`JSON.stringify(measure.totals().op.sent)`)
		require.JSONEq(t, `[{"seed":77,"stream":3,"from":0,"count":40,"keys":5,"space":10}]`, sent.(string))
		require.Contains(t, v.eval(`JSON.stringify(burst.samples())`), `"body":"kept 98"`)
		require.Equal(t, map[string]any{"stream": uint64(3), "n": uint64(39)}, v.eval(`burst.keys(keys).whose(burst.keys(keys).uuid(39))`))
		require.Nil(t, v.eval(`burst.keys(keys).whose('nobody')`))
	})
}
