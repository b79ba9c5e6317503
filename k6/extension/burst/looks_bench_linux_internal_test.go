//go:build linux

package burst

import (
	"bytes"
	"fmt"
	"runtime"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// cpu reports the CPU time of an operation, whatever else the machine does meanwhile; call what it returns at the end.
func cpu(b *testing.B) func() {
	used := func() int64 {
		var u unix.Rusage
		if err := unix.Getrusage(unix.RUSAGE_THREAD, &u); err != nil {
			b.Fatal(err)
		}
		return u.Utime.Nano() + u.Stime.Nano()
	}
	runtime.LockOSThread()
	before := used()
	return func() {
		b.ReportMetric(float64(used()-before)/float64(b.N), "cpu-ns/op")
		runtime.UnlockOSThread()
	}
}

// eventText is the n-th event of a stream's client, as it is told.
func eventText(ids *idSequence, n uint64) []byte {
	return fmt.Appendf(nil, ` {"sequence":%d,"id":"%s","timestamp":"2026-11-28T01:39:47.143Z","source":"source-3","session":"session-1","type":"view","level":"info","payload":{"n":1,"data":"%s"}}`,
		n, ids.append(nil, n), bytes.Repeat([]byte("x"), 96))
}

// BenchmarkStreamedEvent is what it costs to take an event off a stream: its moment, read by the library, as it was
// before anybody looked at its id; and its moment and its place among the events of its sender.
func BenchmarkStreamedEvent(b *testing.B) {
	ids := newIDs(5, 1)
	events := make([][]byte, 1000)
	for n := range events {
		events[n] = eventText(ids, uint64(n))
	}
	sentAfter := []byte(`"timestamp":"`)
	b.Run("moment by the library", func(b *testing.B) {
		defer cpu(b)()
		for n := range b.N {
			data := events[n%len(events)]
			text, _, _ := bytes.Cut(data[bytes.Index(data, sentAfter)+len(sentAfter):], []byte{'"'})
			if _, err := time.Parse(time.RFC3339Nano, string(text)); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("moment and place", func(b *testing.B) {
		defer cpu(b)()
		l := &listener{sentAfter: sentAfter, row: &row{ids: newIDs(5, 1), after: []byte(`"id":"`), next: map[uint64]*uint64{}}}
		for n := range b.N {
			if n%len(events) == 0 {
				clear(l.row.next)
				l.row.its = nil
			}
			data := events[n%len(events)]
			if _, ok := l.sentAt(data); !ok || l.row.missed("bench", data) > 0 {
				b.Fatal("it is in its place")
			}
		}
	})
}

// BenchmarkDocuments is what it costs to send a document and to compare one that was read: each the same again and again,
// and each saying which writing it is.
func BenchmarkDocuments(b *testing.B) {
	for _, name := range []string{"", "bench"} {
		k, err := newKeys(keysOptions{Seed: 7, Stream: 1, Space: 1000, Documents: true, Versions: name})
		if err != nil {
			b.Fatal(err)
		}
		document := "{document}"
		set, err := newResp(template{Command: []string{"SET", "document:{key}", document}}, protocolOptions{}, k)
		if err != nil {
			b.Fatal(err)
		}
		get, err := newResp(template{Command: []string{"GET", "document:{key}"}, Returns: &document}, protocolOptions{}, k)
		if err != nil {
			b.Fatal(err)
		}
		var out []byte
		b.Run("set/versions="+name, func(b *testing.B) {
			defer cpu(b)()
			for range b.N {
				out = set.requests(out[:0], 1)
				set.replies([]byte("+OK\r\n"), 1)
			}
		})
		replies := make([][]byte, 1000)
		for key := range replies {
			text := append([]byte(nil), k.documents.at(uint64(key))...)
			if k.versions != nil {
				stamp(text, k.versions.keys[key].first())
			}
			replies[key] = fmt.Appendf(nil, "$%d\r\n%s\r\n", len(text), text)
		}
		b.Run("get/versions="+name, func(b *testing.B) {
			defer cpu(b)()
			for range b.N {
				out = get.requests(out[:0], 1)
				if _, ok, _ := get.replies(replies[get.maker().vars.key], 1); ok != 1 {
					b.Fatal("it is right")
				}
			}
		})
	}
}
