package burst_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.k6.io/k6/v2/js/modules"

	"ladderbench/k6/extension/burst"
)

const listening = `JSON.stringify(burst.listen({window: w, address, path: '/stream', sentAfter: '"at":"', untilMs: measure.epochMs() + 600}))`

func TestAListenerCountsEventsAndTheirLatency(t *testing.T) {
	for name, module := range drives {
		t.Run(name, func(t *testing.T) {
			meanMs := 0.0
			// A machine that others use takes a core away for a while: what the latency is, a calm attempt tells.
			for range 5 {
				if meanMs = meanLatencyOfEvents(t, module()); meanMs < 51 {
					break
				}
			}
			require.InDelta(t, 31, meanMs, 20)
			require.GreaterOrEqual(t, meanMs, 30.0)
		})
	}
}

// meanLatencyOfEvents hears twenty events, each sent 30 ms after it is said to have been.
func meanLatencyOfEvents(t *testing.T, module modules.Module) float64 {
	t.Helper()
	v := newVUWith(t, module)
	v.set("address", httpServer(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		if r.URL.Path != "/stream" || r.Header.Get("Accept") != "text/event-stream" {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		for n := range 20 {
			sent := time.Now().Add(-30 * time.Millisecond).UTC().Format("2006-01-02T15:04:05.000Z")
			_, _ = fmt.Fprintf(w, ": comment\nid: %d\nevent: event\ndata: {\"at\":\"%s\"}\n\n", n, sent)
			w.(http.Flusher).Flush()
		}
		_, _ = fmt.Fprint(w, "data: {\"at\":\"no moment\"}\n\n")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}))
	require.JSONEq(t, `{"received":20,"lost":false}`, v.eval(listening).(string))
	w := v.window()
	require.Equal(t, int64(20), w.Count)
	require.Equal(t, map[string]int64{"protocol": 1}, w.errorsOf())
	return w.MeanMs
}

func TestAStreamThatEndsEarlyIsLost(t *testing.T) {
	t.Parallel()
	for name, handle := range map[string]http.HandlerFunc{
		"ends":    func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprint(w, ": bye\n\n") },
		"refuses": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			eachDrive(t, func(t *testing.T, v *vu, _ func(string) result) {
				v.set("address", httpServer(t, handle))
				require.JSONEq(t, `{"received":0,"lost":true}`, v.eval(listening).(string))
				require.Equal(t, map[string]int64{"connect": 1}, v.window().errorsOf())
			})
		})
	}
}

// However the bytes of a chunked stream are cut on their way, the events are the same.
func TestAStreamIsReadInPiecesOfAnySize(t *testing.T) {
	t.Parallel()
	const stream = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" +
		"5\r\ndata:\r\n1a;x=1\r\n {\"at\":\"2020-01-31T12:00:0\r\n9\r\n0.000Z\"}\n\r\n5\r\n: no\n\r\n0\r\n\r\n"
	for size := 1; size <= len(stream); size++ {
		events, lost := burst.EventsOf(stream, size)
		require.Equal(t, []string{` {"at":"2020-01-31T12:00:00.000Z"}`}, events, "in pieces of %d", size)
		require.True(t, lost, "the last chunk ends the stream")
	}
	for _, wrong := range []string{
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", "HTTP/1.1 503 No\r\n\r\n", "no http at all",
		"HTTP/1.1 200 OK\r\n\r\ndata:" + strings.Repeat("x", 1<<20),
	} {
		events, lost := burst.EventsOf(wrong, 1000)
		require.Empty(t, events)
		require.True(t, lost)
	}
	events, lost := burst.EventsOf("HTTP/1.1 200 OK\r\n\r\ndata:a\ndata:b\ndata:c", 7)
	require.Equal(t, []string{"a", "b"}, events)
	require.False(t, lost)
}

func TestAStreamThatLosesEventsIsSeen(t *testing.T) {
	for name, module := range drives {
		t.Run(name, func(t *testing.T) {
			v := newVUWith(t, module())
			v.eval(`var keys = burst.keys({seed: 5, stream: 9, space: 10}), others = burst.keys({seed: 5, stream: 8, space: 10})`)
			id := func(of string, n int) string { return v.eval(fmt.Sprintf(`%s.uuid(%d)`, of, n)).(string) }
			ids := []string{id("keys", 3), id("others", 0), id("keys", 4), id("others", 1), id("keys", 7), id("keys", 6), id("others", 2), "of nobody", v.eval(`burst.keys({seed: 6, stream: 8, space: 10}).uuid(5)`).(string)}
			v.set("address", httpServer(t, func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "text/event-stream")
				for _, id := range ids {
					_, _ = fmt.Fprintf(w, "data: {\"id\":\"%s\",\"at\":\"%s\"}\n\n", id, time.Now().UTC().Format("2006-01-02T15:04:05.000Z"))
				}
				w.(http.Flusher).Flush()
				<-r.Context().Done()
			}))
			require.JSONEq(t, `{"received":9,"lost":false}`, v.eval(strings.Replace(listening, "sentAfter", "keys, idAfter: '\"id\":\"', sentAfter", 1)).(string))
			require.Equal(t, map[string]int64{"protocol": 3}, v.window().errorsOf(), "two are missing, one comes too late")
			for _, stranger := range ids[7:] {
				require.Contains(t, v.eval(`JSON.stringify(burst.samples())`), stranger)
			}
		})
	}
}
