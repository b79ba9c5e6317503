package burst_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const listening = `JSON.stringify(burst.listen({window: w, address, path: '/stream', sentAfter: '"at":"', untilMs: measure.epochMs() + 600}))`

func TestAListenerCountsEventsAndTheirLatency(t *testing.T) {
	t.Parallel()
	v := newVU(t)
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
	require.InDelta(t, 31, w.MeanMs, 20)
	require.GreaterOrEqual(t, w.MeanMs, 30.0)
}

func TestAStreamThatEndsEarlyIsLost(t *testing.T) {
	t.Parallel()
	for name, handle := range map[string]http.HandlerFunc{
		"ends":    func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprint(w, ": bye\n\n") },
		"refuses": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v := newVU(t)
			v.set("address", httpServer(t, handle))
			require.JSONEq(t, `{"received":0,"lost":true}`, v.eval(listening).(string))
			require.Equal(t, map[string]int64{"connect": 1}, v.window().errorsOf())
		})
	}
}
