package influxagg

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"go.k6.io/k6/v2/output"
)

var errQueueFull = errors.New("queue full: InfluxDB is slower than the run")

// Output aggregates k6's samples and writes them in the background.
type Output struct {
	output.SampleBuffer

	params     output.Params
	client     *client
	report     *report
	aggregator *aggregator
	flusher    *output.PeriodicFlusher

	queue  chan batch
	done   chan struct{}
	cancel context.CancelFunc
}

var _ output.Output = (*Output)(nil)

// New is the constructor that k6 calls for --out influxdb-agg[=http://host:port/database].
func New(params output.Params) (output.Output, error) {
	a, err := parseAddress(params.ConfigArgument)
	if err != nil {
		return nil, err
	}
	return &Output{
		params: params, client: newClient(a), report: newReport(a.String()), aggregator: newAggregator(),
		queue: make(chan batch, queueBatches), done: make(chan struct{}),
	}, nil
}

// Description is what `k6 run` prints.
func (o *Output) Description() string {
	return fmt.Sprintf("%s (%s, one point per series and second)", Name, o.report.Address)
}

// Start begins to write in the background. It succeeds even when InfluxDB does not answer.
func (o *Output) Start() error {
	ctx, cancel := context.WithCancel(context.Background())
	o.cancel = cancel
	go o.writeAll(ctx)
	flusher, err := output.NewPeriodicFlusher(flushPeriod, func() { o.flush(time.Now().Unix()) })
	if err != nil {
		cancel()
		return err
	}
	o.flusher = flusher
	return nil
}

// Stop writes what is left, for at most a few seconds, and then the report. It never fails the run.
func (o *Output) Stop() error {
	o.flusher.Stop()
	o.flush(math.MaxInt64)
	close(o.queue)
	timer := time.AfterFunc(stopTimeout, o.cancel)
	<-o.done
	timer.Stop()
	o.cancel()
	o.client.close()
	if path := o.params.Environment[reportVariable]; path != "" {
		if err := o.report.save(o.params.FS, path); err != nil {
			o.params.Logger.WithError(err).Error("Could not write the reconciliation report")
		}
	}
	if o.report.PointsLost > 0 {
		o.params.Logger.Warnf("%s lost %d points: the live view is incomplete", Name, o.report.PointsLost)
	}
	return nil
}

// flush aggregates the buffered samples and queues the seconds before the given one.
func (o *Output) flush(before int64) {
	seen := make(map[string]int64)
	for _, container := range o.GetBufferedSamples() {
		for _, sample := range container.GetSamples() {
			seen[sample.Metric.Name]++
			o.aggregator.add(sample)
		}
	}
	for metric, n := range seen {
		o.report.seen(metric, n)
	}
	points := o.aggregator.close(before)
	for len(points) > 0 {
		n := min(len(points), batchPoints)
		o.enqueue(newBatch(points[:n]))
		points = points[n:]
	}
}

func newBatch(points []point) batch {
	b := batch{points: int64(len(points)), samples: make(map[string]int64)}
	for _, p := range points {
		b.lines = appendLine(b.lines, p)
		b.samples[p.key.metric.Name] += int64(p.bucket.count)
	}
	return b
}

func (o *Output) enqueue(b batch) {
	select {
	case o.queue <- b:
	default:
		o.report.lost(b, errQueueFull)
	}
}

// writeAll is the background writer: it ends when the queue is closed and empty.
func (o *Output) writeAll(ctx context.Context) {
	defer close(o.done)
	created := false
	for b := range o.queue {
		if !created {
			if err := o.client.createDatabase(ctx); err != nil {
				o.report.failed(fmt.Errorf("create database: %w", err))
			} else {
				created = true
			}
		}
		if err := o.client.write(ctx, b.lines); err != nil {
			o.report.lost(b, fmt.Errorf("write: %w", err))
			continue
		}
		o.report.written(b)
	}
}
