package main

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

func TestHTTPConversations(t *testing.T) {
	refused := func(line string) string {
		return "HTTP/1.1 " + line + "\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
	}
	head10, _, _ := strings.Cut(httpOKClose, "{")
	get := "GET / HTTP/1.1\r\nHost: x\r\n\r\n"
	post := "POST /a?b=c HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello"
	chunked := "POST / HTTP/1.1\r\ntransfer-encoding: Chunked\r\n\r\n5;ext=1\r\nhello\r\nA\r\n0123456789\r\n0\r\nTrailer: x\r\n\r\n"
	cases := []struct{ name, in, want string }{
		{"get", get, httpOK},
		{"empty lines first", "\r\n\r\n" + get, httpOK},
		{"post", post, httpOK},
		{"chunked", chunked, httpOK},
		{"pipelined", post + chunked + get + post, httpOK + httpOK + httpOK + httpOK},
		{"close", "GET / HTTP/1.1\r\nConnection: close\r\n\r\n" + get, httpOKClose},
		{"http 1.0", "GET / HTTP/1.0\r\n\r\n" + get, httpOKClose},
		{"http 1.0 kept", "GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n" + get, httpOKKeep10 + httpOK},
		{"head", "HEAD / HTTP/1.0\r\n\r\n", head10},
		{"expect", "PUT / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\nab", httpContinue + httpOK},
		{"incomplete", "GET / HTTP/1.1\r\nHost: x\r\n", ""},
		{"incomplete body", "POST / HTTP/1.1\r\nContent-Length: 5\r\n\r\nhell", ""},
		{"no http", "hello there world\r\n\r\n", refused("400 Bad Request")},
		{"http 2", "GET / HTTP/2.0\r\n\r\n", refused("505 HTTP Version Not Supported")},
		{"bad length", "GET / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", refused("400 Bad Request")},
		{"huge length", "GET / HTTP/1.1\r\nContent-Length: 9999999999999999999\r\n\r\n", refused("400 Bad Request")},
		{"two lengths", "GET / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", refused("400 Bad Request")},
		{"length and chunked", "GET / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", refused("400 Bad Request")},
		{"gzip", "GET / HTTP/1.1\r\nTransfer-Encoding: gzip\r\n\r\n", refused("501 Not Implemented")},
		{"folded header", "GET / HTTP/1.1\r\nA: b\r\n c: d\r\n\r\n", refused("400 Bad Request")},
		{"bad chunk size", "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n", refused("400 Bad Request")},
		{"bad chunk end", "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nabc", refused("400 Bad Request")},
		{"huge head", "GET / HTTP/1.1\r\nA: " + repeat("a", maxHead), refused("431 Request Header Fields Too Large")},
		{"bad upgrade", "GET / HTTP/1.1\r\nUpgrade: websocket\r\n\r\n", refused("400 Bad Request")},
	}
	e := testEnv(t)
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			inOneAndInBytes(t, func() session { return &httpSession{env: e} }, c.in, c.want)
		})
	}
}

func TestHTTPWithGoClient(t *testing.T) {
	forEachIO(t, func(t *testing.T, ioFlags ...string) {
		srv := start(t, ioFlags...)
		hc := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 1}}
		defer hc.CloseIdleConnections()
		check := func(resp *http.Response, err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			body, err := io.ReadAll(resp.Body)
			if err != nil || resp.StatusCode != 200 || string(body) != `{"ok":true}` || resp.Header.Get("Content-Type") != "application/json" {
				t.Errorf("%v %q %v", resp.StatusCode, body, err)
			}
		}
		base := "http://" + srv.addrs.HTTP
		check(hc.Get(base + "/healthz"))
		check(hc.Post(base, "text/plain", strings.NewReader(repeat("b", 3<<20))))
		check(hc.Post(base, "text/plain", io.MultiReader(strings.NewReader(repeat("c", 3<<20))))) // chunked
		check(hc.Get("http://" + srv.addrs.WS + "/healthz"))

		resp, err := hc.Get("http://" + srv.addrs.WS + "/")
		if err != nil || resp.StatusCode != http.StatusUpgradeRequired {
			t.Errorf("plain GET on the WebSocket port: %v, %v", resp, err)
		}
	})
}

func TestHTTPHalfClose(t *testing.T) {
	forEachIO(t, func(t *testing.T, ioFlags ...string) {
		srv := start(t, append(ioFlags, "--delay", "20ms")...)
		c := dial(t, srv.addrs.HTTP)
		c.send("GET / HTTP/1.1\r\n\r\n")
		if err := c.Conn.(interface{ CloseWrite() error }).CloseWrite(); err != nil {
			t.Fatal(err)
		}
		c.want(httpOK)
		c.wantEnd()
	})
}
