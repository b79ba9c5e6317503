package burst_test

import (
	"bufio"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// documentServer speaks the native protocol and stores for all connections; every wrongEvery-th document that it gives
// back is another one.
func documentServer(t *testing.T, wrongEvery int64) string {
	stored := make(chan map[string]string, 1)
	stored <- map[string]string{}
	var reads atomic.Int64
	return serve(t, func(conn net.Conn) {
		r := bufio.NewReader(conn)
		for {
			words, err := ssdbBlocks(r)
			if err != nil {
				return
			}
			all := <-stored
			reply := []string{"ok", "1"}
			switch words[0] {
			case "set":
				all[words[1]] = words[2]
			case "get":
				reply[1] = all[words[1]]
				if n := reads.Add(1); wrongEvery > 0 && n%wrongEvery == 0 {
					reply[1] = "x" + reply[1][1:]
				}
			case "del":
				delete(all, words[1])
			case "dbsize":
				reply[1] = fmt.Sprint(len(all))
			default:
				reply = []string{"client_error", "Unknown Command: " + words[0]}
			}
			stored <- all
			for _, block := range reply {
				_, _ = fmt.Fprintf(conn, "%d\n%s\n", len(block), block)
			}
			_, _ = conn.Write([]byte("\n"))
		}
	})
}

const documentsScript = `
	const c = burst.connect({address, protocol: 'ssdb'});
	const keys = burst.keys({seed: 5, space: 500, documents: true});
	const set = {command: ['set', 'document:{key}', '{document}']};
	const get = {command: ['get', 'document:{key}'], expect: 'bulk', returns: '{document}'};
	const del = {command: ['del', 'document:{key}']};
	const run = (template, from, count) => c.run({window: w, template, keys, from, count, depth: 4});`

func TestDocumentsAreWrittenReadBackAndDeletedByKnownKeys(t *testing.T) {
	t.Parallel()
	v := newVU(t).set("address", documentServer(t, 0))
	require.Equal(t, "[[500,0],[100,0],[400,0],500,[200,0],300]", v.eval(`(() => {`+documentsScript+`
		const pair = (r) => [r.acked, r.failed];
		const size = () => Number(c.call(['dbsize'])[1]);
		const written = [pair(run(set, 0, 500)), pair(run(get, 400, 100)), pair(run(get, 0, 400)), size()];
		return JSON.stringify([...written, pair(run(del, 300, 200)), size()]); })()`))
	require.Empty(t, v.window().errorsOf())
}

func TestAnotherDocumentIsAProtocolError(t *testing.T) {
	t.Parallel()
	v := newVU(t).set("address", documentServer(t, 100))
	v.eval(`(() => {` + documentsScript + `run(set, 0, 500); run(get, 0, 500)})()`)
	require.Equal(t, map[string]int64{"protocol": 5}, v.window().errorsOf())
	require.EqualValues(t, 5, v.eval(`measure.totals().op.wrong`))
}

func TestRespRepliesAreComparedToo(t *testing.T) {
	t.Parallel()
	eachDrive(t, func(t *testing.T, v *vu, drive func(string) result) {
		v.set("address", respServer(t, func(words []string) string {
			if words[1] == "k:3" {
				return "$1\r\n4\r\n"
			}
			return fmt.Sprintf("$%d\r\n%s\r\n", len(words[1])-2, words[1][2:])
		}))
		v.eval(`keys = {seed: 3, space: 10}; template = {command: ['GET', 'k:{key}'], expect: 'bulk', returns: '{key}'}`)
		r := drive(`count: 1000, depth: 16`)
		require.EqualValues(t, 1000, r.Acked+r.Failed)
		require.Equal(t, r.Failed, v.window().Errors["protocol"])
		require.InDelta(t, 100, r.Failed, 60)
	})
}

func TestCallReturnsReplies(t *testing.T) {
	t.Parallel()
	v := newVU(t).set("ssdb", documentServer(t, 0)).set("resp", respServer(t, func(words []string) string {
		return map[string]string{
			"PING": "+PONG\r\n", "INCR": ":7\r\n", "GET": "$-1\r\n", "INFO": "$4\r\na\r\nb\r\n", "LIST": "*2\r\n$1\r\nx\r\n:2\r\n",
			"BAD": "-ERR no\r\n",
		}[words[0]]
	}))
	require.Equal(t, `["PONG",7,null,"a\r\nb",["x",2]]`, v.eval(`
		var c = burst.connect({protocol: 'resp', address: resp});
		JSON.stringify(['PING', 'INCR', 'GET', 'INFO', 'LIST'].map((word) => c.call([word])))`))
	require.Equal(t, `["ok","1"]`, v.eval(`JSON.stringify(burst.connect({protocol: 'ssdb', address: ssdb}).call(['set', 'a', 'b']))`))
	_, err := v.rt.VU.Runtime().RunString(`c.call(['BAD'])`)
	require.ErrorContains(t, err, "ERR no")
}

func TestKnownKeysNeedRoom(t *testing.T) {
	t.Parallel()
	v := newVU(t).set("address", documentServer(t, 0))
	for script, message := range map[string]string{
		`run(set, 400, 200)`: "not below the space of 500",
		`c.run({window: w, template: {command: ['ping']}, from: 1, count: 1})`:               "from needs keys",
		`c.run({window: w, template: set, keys: burst.keys({seed: 1, space: 5}), count: 1})`: "documents: true",
	} {
		_, err := v.rt.VU.Runtime().RunString(`(() => {` + documentsScript + script + `})()`)
		require.ErrorContains(t, err, message)
	}
}

// Who fills a server by keys in order, and then loads it by keys drawn by chance, uses one sequence for both.
func TestKeysInOrderAreThoseOfOneCallOnly(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var seen []string
	v := newVU(t)
	v.set("address", respServer(t, func(words []string) string {
		mu.Lock()
		defer mu.Unlock()
		seen = append(seen, words[1])
		return "+OK\r\n"
	}))
	v.eval(`const keys = burst.keys({seed: 1, stream: 1, space: 10});
		const c = burst.connect({address, protocol: 'resp'});
		const work = {window: w, template: {command: ['GET', '{key}']}, keys};`)
	require.Equal(t, result{Acked: 10}, v.burst(`c.run(Object.assign({from: 0, count: 10}, work))`))
	require.Equal(t, result{Acked: 50}, v.burst(`c.run(Object.assign({count: 50}, work))`))
	v.eval(`c.close()`)
	mu.Lock()
	defer mu.Unlock()
	require.Equal(t, []string{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"}, seen[:10])
	for _, key := range seen[10:] {
		require.Len(t, key, 1, "a key outside the space")
	}
}
