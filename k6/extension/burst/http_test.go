package burst_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
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
