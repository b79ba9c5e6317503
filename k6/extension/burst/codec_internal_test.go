package burst

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// testCodec makes a codec from a template in JSON.
func testCodec(t testing.TB, protocol, template string) codec {
	t.Helper()
	keys, err := newKeys(keysOptions{Seed: 1, Space: 1000})
	require.NoError(t, err)
	o := protocolOptions{Protocol: protocol, Address: "127.0.0.1:1"}
	require.NoError(t, o.validate())
	c, err := newCodec(json.RawMessage(template), o, keys)
	require.NoError(t, err)
	return c
}

// replySeeds are whole and broken replies; plain `go test` runs every prefix of each through the parsers.
var replySeeds = map[string][]string{
	"resp": {
		"+OK\r\n:12\r\n$3\r\nabc\r\n$-1\r\n*2\r\n:1\r\n*1\r\n$0\r\n\r\n-ERR x\r\n", ":-5\r\n", "*-1\r\n", "*0\r\n",
		"$999999999999\r\n", "$-2\r\n", ":x\r\n", "*1048577\r\n", "\r\n\r\n", "$3\r\nabcd\r\n", "+\n", "%2\r\n",
		strings.Repeat("*1\r\n", 100), "+" + strings.Repeat("a", 70_000),
	},
	"ssdb": {
		"2\nok\n1\n1\n\n9\nnot_found\n\n", "2\r\nok\r\n\r\n", "\n", "5\nerror\n3\nbad\n\n", "-1\nx\n\n", "99999999999\n",
		"2\nokk\n\n", "x\n", "999999999\n", "0\n\n\n",
	},
	"http": {
		"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 404 N\r\nContent-Length: 0\r\n\r\n",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0;x\r\nTrailer: 1\r\n\r\n",
		"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No\r\nConnection: close\r\n\r\n", "HTTP/1.1 200 OK\r\n\r\n",
		"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", "HTTP/2 200\r\n\r\n", "HTTP/1.1 200 OK\r\nnonsense\r\n\r\n",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nfffffff\r\n", "HTTP/1.1 099 x\r\n\r\n",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", "HTTP/1.1 200 OK\r\n" + strings.Repeat("a: b\r\n", 20_000),
	},
	"ws": {
		"\x81\x02ok\x89\x01p\x8a\x00\x01\x01a\x80\x01b\x81\x7e\x00\x03abc", "\x81\x7f\x00\x00\x00\x00\x00\x00\x00\x01x",
		"\x88\x02\x03\xe8", "\x81\x7f\xff\xff\xff\xff\xff\xff\xff\xff", "\x80\x01a", "\x01\x01a\x01\x01b", "\xc1\x00",
		"\x81\x80abcd", "\x89\x7e\x00\x80", "\x83\x00", "\x81\x00",
	},
}

var testTemplates = map[string]string{
	"resp": `{"command":["GET","{key}"]}`, "ssdb": `{"command":["get","{key}"],"expect":"any"}`,
	"http": `{"path":"/{key}","contains":"k"}`, "ws": `{"message":"{seq}"}`,
}

// readAll feeds a codec as a session does and returns how many replies it took.
func readAll(t testing.TB, c codec, in []byte) (replies int) {
	t.Helper()
	for pass, limit := 0, len(in)+1; ; pass++ {
		require.LessOrEqual(t, pass, limit, "the parser does not get on")
		used, ok, why := c.replies(in, 4)
		require.GreaterOrEqual(t, used, 0)
		require.LessOrEqual(t, used, len(in))
		require.LessOrEqual(t, ok, 4)
		in = in[used:]
		replies += ok
		switch why {
		case stopMore, stopClosing, stopBroken:
			return replies
		case stopRefused, stopUnsure, stopWrong:
			require.Positive(t, used)
			replies++
		}
	}
}

func fuzz(f *testing.F, protocol string) {
	for _, seed := range replySeeds[protocol] {
		for cut := 0; cut < min(len(seed), 300); cut++ {
			f.Add([]byte(seed[:cut]))
		}
		f.Add([]byte(seed))
	}
	for _, kept := range keptReplies[protocol] {
		f.Add([]byte(kept))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		readAll(t, testCodec(t, protocol, testTemplates[protocol]), in)
	})
}

func FuzzRespReplies(f *testing.F) { fuzz(f, "resp") }
func FuzzSsdbReplies(f *testing.F) { fuzz(f, "ssdb") }
func FuzzHTTPReplies(f *testing.F) { fuzz(f, "http") }
func FuzzWSReplies(f *testing.F)   { fuzz(f, "ws") }

func TestWholeRepliesAreRead(t *testing.T) {
	t.Parallel()
	for protocol, want := range map[string]int{"resp": 6, "ssdb": 2, "http": 2, "ws": 3} {
		c := testCodec(t, protocol, testTemplates[protocol])
		require.Equal(t, want, readAll(t, c, []byte(replySeeds[protocol][0])), protocol)
	}
}

func TestBrokenRepliesAreRefused(t *testing.T) {
	t.Parallel()
	for protocol, replies := range map[string][]string{
		"resp": {"$999999999999\r\n", "$-2\r\n", ":x\r\n", "*1048577\r\n", "\r\n\r\n", "$3\r\nabcd\r\n", "%2\r\n", "H", replySeeds["resp"][12], replySeeds["resp"][13]},
		"ssdb": {"\n", "-1\nx\n\n", "99999999999\n", "2\nokk\n\n", "x\n", "999999999\n"},
		"http": {"HTTP/1.1 200 OK\r\n\r\n", "HTTP/2 200\r\n\r\n", "x", "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", replySeeds["http"][10]},
		"ws":   {"\x81\x7f\xff\xff\xff\xff\xff\xff\xff\xff", "\x80\x01a", "\x01\x01a\x01\x01b", "\xc1\x00", "\x81\x80abcd", "\x83\x00"},
	} {
		for _, reply := range replies {
			in, c := []byte(reply), testCodec(t, protocol, testTemplates[protocol])
			used, _, why := c.replies(in, 1)
			if why == stopMore { // ws: the second frame is the broken one
				_, _, why = c.replies(in[used:], 1)
			}
			require.Equal(t, stopBroken, why, "%s %.40q", protocol, reply)
		}
	}
}

func TestTemplates(t *testing.T) {
	t.Parallel()
	v := &vars{key: 42, seq: 7, stream: 3, values: poolFor(1)}
	for template, want := range map[string]string{
		`{"k":{key},"s":"{stream}-{seq}"}`: `{"k":42,"s":"3-7"}`,
		`{key:6}{key}`:                     `00004242`,
		`{nothing}{key`:                    `{nothing}{key`,
		`{}`:                               `{}`,
	} {
		compiled, err := compile(template)
		require.NoError(t, err)
		require.Equal(t, want, string(compiled.append(nil, v)))
		require.Equal(t, len(want), compiled.size(v))
	}
	value, err := compile("{value:100}")
	require.NoError(t, err)
	require.Len(t, value.append(nil, v), 100)
	for _, template := range []string{"{seq:3}", "{key:99}", "{value:99999999}"} {
		_, err := compile(template)
		require.Error(t, err, template)
	}
}

func TestRequests(t *testing.T) {
	t.Parallel()
	key := func() uint64 { k, _ := newKeys(keysOptions{Seed: 1, Space: 1000}); return k.next() }()
	require.Less(t, key, uint64(1000))
	c := testCodec(t, "resp", `{"command":["SET","{key:5}","é"]}`)
	require.Equal(t, "*3\r\n$3\r\nSET\r\n$5\r\n"+pad(key, 5)+"\r\n$2\r\né\r\n", string(c.requests(nil, 1)), "lengths are bytes")
	c = testCodec(t, "ssdb", `{"command":["get","k{key:5}"]}`)
	require.Equal(t, "3\nget\n6\nk"+pad(key, 5)+"\n\n", string(c.requests(nil, 1)))
}

func pad(n uint64, width int) string {
	text := text{{kind: keyPart, n: width}}
	return string(text.append(nil, &vars{key: n}))
}

func TestOperationsAllocateNothing(t *testing.T) {
	replies := map[string]string{
		"resp": ":1\r\n", "ssdb": "2\nok\n1\n1\n\n", "http": "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", "ws": "\x81\x02ok",
	}
	for protocol, reply := range replies {
		c := testCodec(t, protocol, testTemplates[protocol])
		out, in := make([]byte, 0, 1<<16), []byte(strings.Repeat(reply, 16))
		require.Zero(t, testing.AllocsPerRun(100, func() {
			out = c.requests(out[:0], 16)
			c.replies(in, 16)
		}), protocol)
	}
}
