package burst

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/grafana/sobek"

	"ladderbench/k6/extension/measure"
)

// maxEvent bounds one line of a stream, bytes.
const maxEvent = 1 << 20

// listenOptions is ListenOptions of index.d.ts.
type listenOptions struct {
	Address   string            `json:"address"`
	Path      string            `json:"path"`
	Headers   map[string]string `json:"headers"`
	TimeoutMs float64           `json:"timeoutMs"`
	UntilMs   *float64          `json:"untilMs"`
	SentAfter string            `json:"sentAfter"`
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
	to := protocolOptions{Protocol: "http", Address: o.Address, TimeoutMs: o.TimeoutMs}
	i.must("listen", to.validate())
	if o.UntilMs == nil || o.SentAfter == "" || !strings.HasPrefix(o.Path, "/") {
		i.must("listen", errors.New("untilMs, sentAfter and a path that starts with / are needed"))
	}
	l := &listener{batch: window.NewBatch(connectionBatch), sentAfter: []byte(o.SentAfter)}
	lost := l.follow(i.vu.Context(), to, o) != nil && i.vu.Context().Err() == nil
	if now := measure.Now(); lost {
		l.batch.Failure(now, now, measure.Connect, false)
	}
	l.batch.Flush()
	out := rt.NewObject()
	i.must("listen", errors.Join(out.Set("received", l.received), out.Set("lost", lost)))
	return out
}

// listener is one client of a stream of Server-Sent Events.
type listener struct {
	batch     *measure.Batch
	sentAfter []byte
	received  int64
}

// follow reads the stream until the time is up, which is no error.
func (l *listener) follow(ctx context.Context, to protocolOptions, o listenOptions) error {
	dialer := net.Dialer{Timeout: to.timeout()}
	conn, err := dialer.DialContext(ctx, "tcp", to.Address)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	until := time.UnixMicro(int64(*o.UntilMs * 1000))
	if err := conn.SetDeadline(until); err != nil {
		return err
	}
	defer context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+to.Address+o.Path, nil)
	if err != nil {
		return err
	}
	request.Header.Set("Accept", "text/event-stream")
	for name, value := range o.Headers {
		request.Header.Set(name, value)
	}
	if err := request.Write(conn); err != nil {
		return inTime(err)
	}
	response, err := http.ReadResponse(bufio.NewReaderSize(conn, 64<<10), request)
	if err != nil {
		return inTime(err)
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("the stream answered %s", response.Status)
	}
	return inTime(l.read(response.Body))
}

// read counts every event: the line that begins with "data:". Lines of one event beyond the first are none here.
func (l *listener) read(body io.Reader) error {
	lines := bufio.NewReaderSize(body, maxEvent)
	for {
		line, err := lines.ReadSlice('\n')
		if err != nil {
			return err
		}
		if data, ok := bytes.CutPrefix(line, []byte("data:")); ok {
			l.event(data)
		}
	}
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

// inTime takes the end of the time for what it is.
func inTime(err error) error {
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return nil
	}
	return err
}
