package burst

import (
	"bytes"
	"errors"
	"strings"
	"time"

	"github.com/grafana/sobek"

	"ladderbench/k6/extension/measure"
)

// listenOptions is ListenOptions of index.d.ts.
type listenOptions struct {
	Address   string            `json:"address"`
	Path      string            `json:"path"`
	Headers   map[string]string `json:"headers"`
	TimeoutMs float64           `json:"timeoutMs"`
	UntilMs   *float64          `json:"untilMs"`
	SentAfter string            `json:"sentAfter"`
	IDAfter   string            `json:"idAfter"`
	Lane      *int              `json:"lane"`
}

func (i *instance) listen(call sobek.FunctionCall) sobek.Value {
	rt := i.vu.Runtime()
	if i.vu.State() == nil {
		i.must("listen", errors.New("cannot be called in init code"))
	}
	var o listenOptions
	i.must("listen", decode(rt, call.Argument(0), &o, "window", "keys"))
	window, err := windowOf(rt, call.Argument(0))
	i.must("listen", err)
	to := protocolOptions{Protocol: "http", Address: o.Address, TimeoutMs: o.TimeoutMs, Lane: o.Lane}
	i.must("listen", to.validate())
	if o.UntilMs == nil || o.SentAfter == "" || !strings.HasPrefix(o.Path, "/") {
		i.must("listen", errors.New("untilMs, sentAfter and a path that starts with / are needed"))
	}
	request, err := o.request(to)
	i.must("listen", err)
	keys, err := keysOf(rt, call.Argument(0))
	i.must("listen", err)
	l := &listener{batch: window.NewBatch(connectionBatch), sentAfter: []byte(o.SentAfter)}
	if keys != nil && o.IDAfter != "" {
		l.row = &row{ids: keys.ids, after: []byte(o.IDAfter), next: map[uint64]*uint64{}}
	}
	lost, err := l.follow(i, to, request, measure.FromEpochMs(*o.UntilMs))
	i.must("listen", err)
	l.batch.Flush()
	out := rt.NewObject()
	i.must("listen", errors.Join(out.Set("received", l.received), out.Set("lost", lost)))
	return out
}

// request is what asks for the stream.
func (o *listenOptions) request(to protocolOptions) ([]byte, error) {
	if strings.ContainsAny(o.Path, " \r\n") {
		return nil, errors.New("path must be one word")
	}
	headers, err := headerLines(nil, map[string]string{"Accept": "text/event-stream"}, o.Headers)
	if err != nil {
		return nil, err
	}
	head := "GET " + o.Path + " HTTP/1.1\r\nHost: " + to.host() + "\r\n"
	return append(headers.append([]byte(head), &vars{}), "\r\n"...), nil
}

// listener is one client of a stream of Server-Sent Events.
type listener struct {
	session   *session
	batch     *measure.Batch
	sentAfter []byte
	received  int64
	row       *row // nil: nobody knows which events there are
	lastAt    int  // where it was in the event before
	moment    []byte
	momentNs  int64 // that of the event before: a batch has one
}

// row is which ids of a window have come: those of one sender come one after another.
type row struct {
	ids    *idSequence
	after  []byte
	next   map[uint64]*uint64 // by sender
	sender uint64             // of the event before: a batch comes in a row
	its    *uint64
	events uint64
	lastAt int // where the id was in the event before
}

// maxMissed bounds what one gap counts.
const maxMissed = 1000

// missed tells how many events are not where they should be when this one comes: those before it, or itself, if it came
// before. One whose id is nobody's here is left to who looks at samples, and kept for that.
func (r *row) missed(op string, data []byte) uint64 {
	id := r.idIn(data)
	stream, n, ok := r.ids.place(id)
	if ok && (r.its == nil || r.sender != stream) {
		r.sender, r.its = stream, r.next[stream]
		if r.its == nil {
			if _, _, ok = r.ids.find(id); ok {
				first := n
				r.its, r.next[stream] = &first, &first
			}
		}
	}
	if r.events++; !ok || r.events%sampledEvents == 1 {
		keepSample(op, data, 0)
	}
	if !ok {
		return 0
	}
	want := *r.its
	*r.its = max(want, n+1)
	switch {
	case n == want:
		return 0
	case n > want:
		return min(n-want, maxMissed)
	}
	return 1
}

// sampledEvents is how many events there are for each that is kept.
const sampledEvents = 64

// idIn returns the id of an event, nothing where there is none.
func (r *row) idIn(data []byte) []byte {
	at := indexAt(data, r.after, &r.lastAt)
	if at < 0 || len(data) < at+len(r.after)+uuidBytes {
		return nil
	}
	at += len(r.after)
	return data[at : at+uuidBytes]
}

// indexAt is bytes.Index that looks first where it found the text before.
func indexAt(data, text []byte, before *int) int {
	if at := *before; at >= 0 && len(data) >= at+len(text) && bytes.Equal(data[at:at+len(text)], text) {
		return at
	}
	*before = bytes.Index(data, text)
	return *before
}

// follow reads the stream until a moment; lost tells that it ended earlier, or could not be had.
func (l *listener) follow(i *instance, to protocolOptions, request []byte, until int64) (lost bool, err error) {
	l.session = newSession(&sseCodec{request: request, event: l.event}, 1, int64(to.timeout()))
	l.session.listening = true
	c, err := i.drive.carry(to.wire(), l.session, to.seat(i.vu.State().VUID))
	if err != nil {
		return false, err
	}
	l.session.begin(l.batch, newBudget(1), until, nil)
	i.drive.run(i.vu.Context(), []carrier{c})
	c.close()
	return l.session.sum.failed > 0, nil
}

// event records one event by the moment that it carries.
func (l *listener) event(data []byte) {
	now := measure.Now()
	if now < l.batch.Recorder().StartNs() {
		return
	}
	sent, ok := l.sentAt(data)
	if !ok {
		l.batch.Failure(now, now, measure.Protocol, false)
		return
	}
	if l.row != nil {
		for range l.row.missed(l.batch.Recorder().Op(), data) {
			l.batch.Failure(now, now, measure.Protocol, false)
		}
	}
	latency := max(0, measure.EpochNs(now)-sent)
	l.received++
	if l.session.tallies != nil {
		l.session.tallies[0].Acked++
	}
	l.batch.Success(measure.Entry{Start: now - latency, End: now, Intended: measure.NoIntended, N: 1})
}

// sentAt returns the moment that an event carries, ns since the epoch.
func (l *listener) sentAt(data []byte) (int64, bool) {
	at := indexAt(data, l.sentAfter, &l.lastAt)
	if at < 0 {
		return 0, false
	}
	text, _, ok := bytes.Cut(data[at+len(l.sentAfter):], []byte{'"'})
	if !ok {
		return 0, false
	}
	if len(text) > 0 && bytes.Equal(text, l.moment) {
		return l.momentNs, true
	}
	if ns, ok := plainMoment(text); ok {
		l.moment, l.momentNs = append(l.moment[:0], text...), ns
		return ns, true
	}
	moment, err := time.Parse(time.RFC3339Nano, string(text))
	return moment.UnixNano(), err == nil
}

// plainMoment reads a moment as {now} writes it, which is nearly every one.
func plainMoment(text []byte) (ns int64, ok bool) {
	if len(text) != len(nowLayout) || text[4] != '-' || text[7] != '-' || text[10] != 'T' || text[13] != ':' ||
		text[16] != ':' || text[19] != '.' || text[23] != 'Z' {
		return 0, false
	}
	var parts [7]int
	bad := false
	for i, at := range [7][2]int{{0, 4}, {5, 7}, {8, 10}, {11, 13}, {14, 16}, {17, 19}, {20, 23}} {
		for _, c := range text[at[0]:at[1]] {
			bad = bad || c < '0' || c > '9'
			parts[i] = parts[i]*10 + int(c-'0')
		}
	}
	if bad {
		return 0, false
	}
	if parts[1] < 1 || parts[1] > 12 || parts[2] < 1 || parts[2] > 28 || parts[3] > 23 || parts[4] > 59 || parts[5] > 59 {
		return 0, false // or a day that not every month has
	}
	// Days since the epoch, the year beginning in March.
	y, m := int64(parts[0]), int64(parts[1])
	if m <= 2 {
		y, m = y-1, m+12
	}
	days := 365*y + y/4 - y/100 + y/400 + (153*(m-3)+2)/5 + int64(parts[2]) - 1 - 719468
	seconds := days*86400 + int64(parts[3])*3600 + int64(parts[4])*60 + int64(parts[5])
	return seconds*1e9 + int64(parts[6])*1e6, true
}
