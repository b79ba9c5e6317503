package main

import (
	"io"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// follower is a WebSocket connection, upgraded at a path.
func follower(t *testing.T, srv *server, path string) client {
	t.Helper()
	c := dial(t, srv.addrs.HTTP)
	c.send(strings.Replace(wsHello, "/chat", path, 1) + "\r\n")
	c.want(wsAccepted + "\r\n\r\n")
	return c
}

// news reads one frame of a push and returns its moment.
func (c client) news() time.Time {
	c.t.Helper()
	got := make([]byte, len(plain(opText, strings.Repeat("x", len(`{"push":1700000000000000`)+len(newsRest)))))
	if _, err := io.ReadFull(c, got); err != nil {
		c.t.Fatal(err)
	}
	found := regexp.MustCompile(`\{"push":(\d+),"row":"x+"\}$`).FindSubmatch(got)
	if found == nil {
		c.t.Fatalf("got %q", got)
	}
	us, err := strconv.ParseInt(string(found[1]), 10, 64)
	if err != nil {
		c.t.Fatal(err)
	}
	return time.UnixMicro(us)
}

func TestFollowersHearOfWhatIsTold(t *testing.T) {
	srv := start(t, "--fan-out", "increment")
	a, b, deaf := follower(t, srv, "/follow"), follower(t, srv, "/follow"), follower(t, srv, "/chat")
	before := time.Now().Add(-time.Millisecond)
	a.send(masked(0x81, "an increment"))
	a.want(plain(opText, "an increment"))
	for _, c := range []client{a, b} {
		if moment := c.news(); moment.Before(before) || moment.After(time.Now()) {
			t.Fatalf("the moment is %s", moment)
		}
	}
	b.send(masked(0x81, "something else"))
	b.want(plain(opText, "something else"))
	deaf.send(masked(0x81, "increment"))
	deaf.want(plain(opText, "increment"))
	deaf.send(masked(0x81, "end"))
	deaf.want(plain(opText, "end")) // and nothing of the others between
	a.send(masked(0x81, "still here"))
	a.want(plain(opText, "still here"))
}
