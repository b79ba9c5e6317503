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
	Lane      *int              `json:"lane"`
}

func (i *instance) listen(call sobek.FunctionCall) sobek.Value {
	rt := i.vu.Runtime()
	if i.vu.State() == nil {
		i.must("listen", errors.New("cannot be called in init code"))
	}
	var o listenOptions
	i.must("listen", decode(rt, call.Argument(0), &o, "window"))
	window, err := windowOf(rt, call.Argument(0))
	i.must("listen", err)
	to := protocolOptions{Protocol: "http", Address: o.Address, TimeoutMs: o.TimeoutMs, Lane: o.Lane}
	i.must("listen", to.validate())
	if o.UntilMs == nil || o.SentAfter == "" || !strings.HasPrefix(o.Path, "/") {
		i.must("listen", errors.New("untilMs, sentAfter and a path that starts with / are needed"))
	}
	request, err := o.request(to)
	i.must("listen", err)
	l := &listener{batch: window.NewBatch(connectionBatch), sentAfter: []byte(o.SentAfter)}
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
	latency := max(0, measure.EpochNs(now)-sent.UnixNano())
	l.received++
	if l.session.tallies != nil {
		l.session.tallies[0].Acked++
	}
	l.batch.Success(measure.Entry{Start: now - latency, End: now, Intended: measure.NoIntended, N: 1})
}

func (l *listener) sentAt(data []byte) (time.Time, bool) {
	at := bytes.Index(data, l.sentAfter)
	if at < 0 {
		return time.Time{}, false
	}
	text, _, ok := bytes.Cut(data[at+len(l.sentAfter):], []byte{'"'})
	if !ok {
		return time.Time{}, false
	}
	moment, err := time.Parse(time.RFC3339Nano, string(text))
	return moment, err == nil
}
