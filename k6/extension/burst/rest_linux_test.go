package burst_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"github.com/stretchr/testify/require"
)

// A server that ends what does not answer its pings, and says nothing when it does.
func TestAConnectionThatRestsAnswersPings(t *testing.T) {
	t.Parallel()
	const patience = 300 * time.Millisecond
	v := newVU(t)
	v.set("address", wsServer(t, func(conn *websocket.Conn, _ *http.Request) {
		alive := func() { _ = conn.SetReadDeadline(time.Now().Add(patience)) }
		conn.SetPongHandler(func(string) error { alive(); return nil })
		alive()
		ended := make(chan struct{})
		defer close(ended)
		go func() {
			for {
				select {
				case <-ended:
					return
				case <-time.After(patience / 6):
					_ = conn.WriteControl(websocket.PingMessage, []byte("you?"), time.Now().Add(time.Second))
				}
			}
		}()
		for {
			_, message, err := conn.ReadMessage()
			if err != nil {
				<-t.Context().Done() // the socket stays open, and nobody reads it
				return
			}
			alive()
			if conn.WriteMessage(websocket.TextMessage, append([]byte("fine "), message...)) != nil {
				return
			}
		}
	}))
	v.eval(`var keys = burst.keys({seed: 5, stream: 3, space: 10});
		var c = burst.connect({address, protocol: 'ws', timeoutMs: 1000, connections: 3}), mix = [
		{share: 1, window: w, template: {message: 'add {seq}', success: 'fine'}}]`)
	require.Equal(t, result{Acked: 30}, v.burst(`c.run({mix, keys, count: 30})`))
	time.Sleep(4 * patience)
	require.Equal(t, result{Acked: 30}, v.burst(`c.run({mix, keys, count: 30})`))
}
