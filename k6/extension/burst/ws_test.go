package burst_test

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"github.com/stretchr/testify/require"
)

// wsServer upgrades and hands every connection to a function.
func wsServer(t *testing.T, handle func(*websocket.Conn, *http.Request)) string {
	t.Helper()
	upgrader := websocket.Upgrader{Subprotocols: []string{"v1.json"}, CheckOrigin: func(*http.Request) bool { return true }}
	return httpServer(t, func(w http.ResponseWriter, r *http.Request) {
		conn, err := upgrader.Upgrade(w, r, nil)
		if err != nil {
			return
		}
		defer func() { _ = conn.Close() }()
		handle(conn, r)
	})
}

// echoing answers each message by a function; every answer is one message.
func echoing(answer func(n int64, message string) []string) func(*websocket.Conn, *http.Request) {
	var n atomic.Int64
	return func(conn *websocket.Conn, _ *http.Request) {
		for {
			_, message, err := conn.ReadMessage()
			if err != nil {
				return
			}
			for _, reply := range answer(n.Add(1), string(message)) {
				if conn.WriteMessage(websocket.TextMessage, []byte(reply)) != nil {
					return
				}
			}
		}
	}
}

func TestMessagesInOrder(t *testing.T) {
	t.Parallel()
	eachDrive(t, func(t *testing.T, v *vu, drive func(string) result) {
		v.set("address", wsServer(t, echoing(func(n int64, message string) []string {
			status := `{"Committed":` + message + `}`
			if n%5 == 0 {
				status = `{"Failed":"no"}`
			}
			return []string{`{"push":1}`, status}
		})))
		v.eval(`protocol = 'ws'; keys = {seed: 1, space: 9}; connecting = {path: '/sub', subprotocol: 'v1.json'};
			template = {message: '{"call":[{key},"{value:300}"]}', success: '"Committed"', failure: '"Failed"'}`)
		require.Equal(t, result{Acked: 80, Failed: 20}, drive(`count: 100, depth: 4`))
		require.Equal(t, map[string]int64{"server": 20}, v.window().errorsOf())
	})
}

func TestRepliesAreMatchedByID(t *testing.T) {
	t.Parallel()
	eachDrive(t, func(t *testing.T, v *vu, drive func(string) result) {
		var held []string
		v.set("address", wsServer(t, echoing(func(_ int64, message string) []string {
			held = append(held, `{"ok":true,`+strings.TrimPrefix(message, "{"))
			if len(held) < 4 {
				return nil
			}
			replies := []string{held[3], `{"ok":true,"id":999}`, held[1], held[0], held[2]}
			held = nil
			return replies
		})))
		v.eval(`protocol = 'ws'; template = {message: '{"id": {seq}}', success: '"ok"', idAfter: '"id":'}; connecting = {timeoutMs: 1000}`)
		require.Equal(t, result{Acked: 400}, drive(`count: 400, depth: 4`))
		require.Zero(t, v.indeterminate())
	})
}

func TestPingsAreAnsweredAndFragmentsJoined(t *testing.T) {
	t.Parallel()
	eachDrive(t, func(t *testing.T, v *vu, drive func(string) result) {
		v.set("address", wsServer(t, func(conn *websocket.Conn, _ *http.Request) {
			pongs := 0
			conn.SetPongHandler(func(text string) error {
				if text == "are you there" {
					pongs++
				}
				return nil
			})
			for n := 0; ; n++ {
				if _, _, err := conn.ReadMessage(); err != nil || n > 3 && pongs == 0 {
					return
				}
				_ = conn.WriteControl(websocket.PingMessage, []byte("are you there"), time.Now().Add(time.Second))
				w, _ := conn.NextWriter(websocket.TextMessage)
				_, _ = w.Write([]byte(strings.Repeat("x", 6000)))
				_, _ = w.Write([]byte("done"))
				_ = w.Close()
			}
		}))
		v.eval(`protocol = 'ws'; template = {message: 'a', success: 'xdone'}`)
		require.Equal(t, result{Acked: 20}, drive(`count: 20`))
	})
}

func TestACloseFailsWhatIsPending(t *testing.T) {
	t.Parallel()
	eachDrive(t, func(t *testing.T, v *vu, drive func(string) result) {
		var sessions atomic.Int64
		v.set("address", wsServer(t, func(conn *websocket.Conn, _ *http.Request) {
			sessions.Add(1)
			for range 2 {
				_, _, _ = conn.ReadMessage()
				_ = conn.WriteMessage(websocket.TextMessage, []byte("ok"))
			}
			_, _, _ = conn.ReadMessage()
			_ = conn.WriteMessage(websocket.CloseMessage, websocket.FormatCloseMessage(1013, "busy"))
		}))
		v.eval(`protocol = 'ws'; template = {message: 'a'}`)
		require.Equal(t, result{Acked: 6, Failed: 3}, drive(`count: 9`))
		require.Equal(t, map[string]int64{"connect": 3}, v.window().errorsOf())
		require.Equal(t, map[string]int64{"closed 1013 busy": 3}, v.window().ErrorKinds)
		require.Equal(t, int64(3), v.indeterminate())
		v.eval(`template.notApplied = ['busy']`)
		drive(`count: 9`)
		require.Equal(t, int64(3), v.indeterminate(), "what the reason denies is in no doubt")
	})
}

func TestRefusalsHaveTheServersNames(t *testing.T) {
	t.Parallel()
	eachDrive(t, func(t *testing.T, v *vu, drive func(string) result) {
		var n atomic.Int64
		v.set("address", wsServer(t, func(conn *websocket.Conn, _ *http.Request) {
			for {
				if _, _, err := conn.ReadMessage(); err != nil {
					return
				}
				reply := `{"ok":false,"reason":"Conflict in a table"}`
				switch n.Add(1) % 4 {
				case 0:
					_ = conn.WriteMessage(websocket.CloseMessage, websocket.FormatCloseMessage(1013, "try it again"))
					return
				case 1:
					reply = `{"ok":true}`
				case 2:
					_ = conn.UnderlyingConn().Close()
					return
				}
				_ = conn.WriteMessage(websocket.TextMessage, []byte(reply))
			}
		}))
		v.eval(`protocol = 'ws'; template = {message: 'a', success: '"ok":true', failure: '"ok":false', kindAfter: '"reason":"'}`)
		require.Equal(t, result{Acked: 5, Failed: 15}, drive(`count: 20`))
		require.Equal(t, map[string]int64{"connect": 10, "server": 5}, v.window().errorsOf())
		require.Equal(t, map[string]int64{"Conflict": 5, "closed 1013": 5}, v.window().ErrorKinds, "a lost connection has no name")
	})
}

func TestGreetingAndReadyComeFirst(t *testing.T) {
	t.Parallel()
	eachDrive(t, func(t *testing.T, v *vu, drive func(string) result) {
		var wrong atomic.Int64
		v.set("address", wsServer(t, func(conn *websocket.Conn, r *http.Request) {
			_, message, _ := conn.ReadMessage()
			if string(message) != "connect" || r.Header.Get("Authorization") != "Bearer x" || conn.Subprotocol() != "v1.json" {
				wrong.Add(1)
			}
			_ = conn.WriteMessage(websocket.TextMessage, []byte("noise"))
			time.Sleep(20 * time.Millisecond)
			_ = conn.WriteMessage(websocket.TextMessage, []byte(`{"Transition":1}`))
			for {
				_, message, err := conn.ReadMessage()
				if err != nil {
					return
				}
				_ = conn.WriteMessage(websocket.TextMessage, message)
			}
		}))
		v.eval(`protocol = 'ws'; template = {message: 'call {seq}', success: 'call'};
			connecting = {greeting: ['connect'], ready: 'Transition', headers: {Authorization: 'Bearer x'}, subprotocol: 'v1.json', path: '/x'}`)
		require.Equal(t, result{Acked: 10}, drive(`count: 10`))
		require.Zero(t, wrong.Load())
	})
}

func TestARefusedUpgradeIsAFailedConnect(t *testing.T) {
	t.Parallel()
	eachDrive(t, func(t *testing.T, v *vu, drive func(string) result) {
		v.set("address", httpServer(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) }))
		v.eval(`protocol = 'ws'; template = {message: 'a'}`)
		require.Equal(t, result{Failed: 2}, drive(`count: 2`))
		require.Equal(t, map[string]int64{"connect": 2}, v.window().errorsOf())
	})
}
