package scriptout

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/sirupsen/logrus"
	"go.k6.io/k6/v2/metrics"
	"go.k6.io/k6/v2/output"

	"ladderbench/k6/extension/measure"
)

// Name is what --out calls it: script-measure=/path/of/the/export.json.
const Name = "script-measure"

const (
	warmupVariable = "LADDERBENCH_WARMUP_SEC"
	windowVariable = "LADDERBENCH_WINDOW_SEC"
	// mustReceiveVariable is set where no metric of k6 tells whether what a script asked was answered.
	mustReceiveVariable = "LADDERBENCH_MUST_RECEIVE"
	// byVariable is the tag by which requests are told apart; empty for none.
	byVariable  = "LADDERBENCH_BY"
	flushPeriod = 200 * time.Millisecond
)

// Output turns samples into windows of operations.
type Output struct {
	output.SampleBuffer

	path           string
	warmup, window time.Duration
	params         output.Params
	flusher        *output.PeriodicFlusher

	store   *measure.Store
	begunNs int64 // of measure.Now; meaningless before begun
	begun   bool
	thrown  *thrown

	metrics  map[string]*ownMetric
	rows     *rows
	arrivals map[string]*arrivals // by scenario, of those that begin at a rate

	mustReceive bool
	silent      int64 // iterations that no byte came to, and that were not told of yet

	thresholds map[string]metrics.Thresholds // of the script, by metric
	unseen     map[string][]string           // by metric, thresholds that no sample was for yet
}

var _ output.WithThresholds = (*Output)(nil)

// New is the constructor that k6 calls.
func New(params output.Params) (output.Output, error) {
	if params.ConfigArgument == "" {
		return nil, errors.New(Name + ": the path of the export is missing")
	}
	warmup, err := seconds(params.Environment, warmupVariable, 0)
	if err != nil {
		return nil, err
	}
	window, err := seconds(params.Environment, windowVariable, time.Millisecond)
	if err != nil {
		return nil, err
	}
	return &Output{
		path: params.ConfigArgument, warmup: warmup, window: window, params: params,
		store: measure.NewStore(), thrown: &thrown{}, metrics: map[string]*ownMetric{},
		rows: newRows(params.Environment[byVariable]), arrivals: arrivalsOf(params.ScriptOptions.Scenarios),
		mustReceive: params.Environment[mustReceiveVariable] != "",
	}, nil
}

func seconds(env map[string]string, name string, least time.Duration) (time.Duration, error) {
	value, err := strconv.ParseFloat(env[name], 64)
	if err != nil || time.Duration(value*float64(time.Second)) < least {
		return 0, fmt.Errorf("%s: %s=%q is no number of seconds", Name, name, env[name])
	}
	return time.Duration(value * float64(time.Second)), nil
}

// Description is what `k6 run` prints.
func (o *Output) Description() string { return Name + " (" + o.path + ")" }

// SetThresholds is for k6, which says in them what came of each.
func (o *Output) SetThresholds(thresholds map[string]metrics.Thresholds) {
	o.thresholds, o.unseen = thresholds, map[string][]string{}
	for threshold, own := range thresholds {
		if name, _, err := metrics.ParseMetricName(threshold); err == nil && len(own.Thresholds) > 0 {
			o.unseen[name] = append(o.unseen[name], threshold)
		}
	}
}

// see takes those thresholds out that the sample is for.
func (o *Output) see(s metrics.Sample) {
	open := o.unseen[s.Metric.Name]
	if len(open) == 0 {
		return
	}
	o.unseen[s.Metric.Name] = slices.DeleteFunc(open, func(threshold string) bool {
		_, tags, _ := metrics.ParseMetricName(threshold)
		return !slices.ContainsFunc(tags, func(pair string) bool {
			key, value, _ := strings.Cut(pair, ":")
			return tag(s, strings.TrimSpace(key)) != strings.Trim(strings.TrimSpace(value), `"'`)
		})
	})
}

// crossed are the thresholds that did not hold in the end, as the script has them.
func (o *Output) crossed() []string {
	crossed := []string{}
	for metric, thresholds := range o.thresholds {
		for _, t := range thresholds.Thresholds {
			if t.LastFailed {
				crossed = append(crossed, metric+": "+t.Source)
			}
		}
	}
	slices.Sort(crossed)
	return crossed
}

// Start begins to take samples.
func (o *Output) Start() error {
	// Failures are told by these, whatever a script leaves out; k6 reads the same set.
	if tags := o.params.ScriptOptions.SystemTags; tags != nil {
		for _, tag := range []metrics.SystemTag{
			metrics.TagStatus, metrics.TagError, metrics.TagErrorCode, metrics.TagCheck, metrics.TagScenario,
		} {
			tags.Add(tag)
		}
		if o.rows != nil {
			tags.Add(metrics.TagName)
			tags.Add(metrics.TagURL)
		}
	}
	switch logger := o.params.Logger.(type) {
	case *logrus.Logger:
		logger.AddHook(o.thrown)
	case *logrus.Entry:
		logger.Logger.AddHook(o.thrown)
	}
	flusher, err := output.NewPeriodicFlusher(flushPeriod, o.flush)
	o.flusher = flusher
	return err
}

// Stop takes the last samples and writes the export.
func (o *Output) Stop() error {
	o.flusher.Stop()
	for _, a := range o.arrivals {
		if o.begun {
			a.record(o.recorder(iterations), measure.Now())
		}
	}
	unseen := slices.Concat(slices.Collect(maps.Values(o.unseen))...)
	slices.Sort(unseen)
	for name, value := range map[string]any{
		"metrics": o.ownMetrics(), "by": o.rows.export(), "unseen": unseen,
		"whole": o.begun && measure.Now() >= o.endOfWindow(), "crossed": o.crossed(),
	} {
		note, err := json.Marshal(value)
		if err != nil {
			return err
		}
		o.store.Note(name, note)
	}
	data, err := o.store.Export()
	if err != nil {
		return err
	}
	return os.WriteFile(o.path, data, 0o644) //nolint:gosec // as all files of a run
}

func (o *Output) flush() {
	for _, container := range o.GetBufferedSamples() {
		o.take(container.GetSamples())
	}
}

// take records samples that belong together: those of one request come at once.
func (o *Output) take(samples []metrics.Sample) {
	if !o.begun {
		o.beginWith(samples)
	}
	for _, s := range samples {
		o.see(s)
	}
	if !o.begun {
		return
	}
	for _, s := range samples {
		o.own(s)
		switch {
		case s.Metric.Name == metrics.DroppedIterationsName:
			o.drop(s)
		case s.Metric.Name == metrics.ChecksName:
			o.check(s)
		case counted[s.Metric.Name]:
			o.count(s)
		case s.Metric.Name == metrics.DataReceivedName:
			if o.mustReceive && s.Value == 0 {
				o.silent++
			}
		case s.Metric.Type != metrics.Trend || s.Metric.Contains != metrics.Time || leftOut[s.Metric.Name]:
		default:
			o.operation(s, samples)
		}
	}
}

// isOfUser tells what a user of the script did from what setup() did.
func isOfUser(s metrics.Sample) bool {
	_, tagged := s.Tags.Get("scenario")
	return tagged || s.Metric.Name == metrics.IterationDurationName
}

// beginWith begins with the first thing that a user did: of a request, its counter comes before its time.
func (o *Output) beginWith(samples []metrics.Sample) {
	var starts []int64
	for _, s := range samples {
		if isOfUser(s) {
			starts = append(starts, endNs(s)-tookNs(s)-o.beforeDrop(s))
		}
	}
	if len(starts) > 0 {
		o.begin(slices.Min(starts))
	}
}

// beforeDrop is how long before an iteration that is dropped first of all the schedule began: each user has begun one before,
// and none has ended any.
func (o *Output) beforeDrop(s metrics.Sample) int64 {
	a := o.arrivals[tag(s, "scenario")]
	if a == nil || s.Metric.Name != metrics.DroppedIterationsName {
		return 0
	}
	return a.users * int64(a.period)
}

// begin opens the window; the iterations have their recorder from then on, and the CPU time of this process with it.
func (o *Output) begin(nowNs int64) {
	o.begun, o.begunNs = true, nowNs
	o.recorder(iterations)
}

func (o *Output) endOfWindow() int64 { return o.begunNs + int64(o.warmup+o.window) }

func (o *Output) isWithin(moment int64) bool {
	return moment >= o.begunNs+int64(o.warmup) && moment < o.endOfWindow()
}

func (o *Output) recorder(op string) *measure.Recorder {
	fromMs := measure.EpochMs(o.begunNs + int64(o.warmup))
	r, err := o.store.Recorder(op, "measure", fromMs, fromMs+float64(o.window)/float64(time.Millisecond))
	if err != nil {
		panic(err) // the bounds are always the same
	}
	return r
}

func (o *Output) check(s metrics.Sample) {
	if s.Value == 0 {
		at := measure.At(s.Time)
		o.recorder(checks).Fail(at, at, measure.Protocol, tag(s, "check"))
		return
	}
	o.count(s)
}

// count records what nobody knows the time of: readers leave its times out.
func (o *Output) count(s metrics.Sample) {
	at := measure.At(s.Time)
	o.recorder(s.Metric.Name).Add(measure.Entry{Start: at, End: at, Intended: measure.NoIntended, N: int64(s.Value)})
}

func (o *Output) operation(s metrics.Sample, with []metrics.Sample) {
	end := endNs(s)
	if !isTime(s.Value) {
		o.recorder(operationOf(s.Metric.Name)).Fail(end, end, measure.Other, noTime)
		return
	}
	start := end - tookNs(s)
	failed := failureOf(s, with)
	switch s.Metric.Name {
	case metrics.WSSessionDurationName:
		if failedUpgrade(tag(s, "status")) != nil {
			return // what was never open is a failure of ws_connecting
		}
	case metrics.IterationDurationName:
		failed = o.failedIteration()
	}
	if o.isWithin(end) {
		o.rows.add(s, failed != nil)
	}
	r := o.recorder(operationOf(s.Metric.Name))
	a := o.arrivalsOf(s)
	if a != nil {
		kind := completed
		if failed != nil {
			kind = failedOnce
		}
		a.events = append(a.events, arrival{start, end, kind})
	}
	switch {
	case failed != nil:
		r.Fail(start, end, failed.class, failed.kind)
		return
	case a != nil:
		return // when all is known it is known when it was due
	}
	r.Add(measure.Entry{Start: start, End: end, Intended: measure.NoIntended, N: 1})
}

// drop notes an iteration that was due when no user was free.
func (o *Output) drop(s metrics.Sample) {
	if a := o.arrivals[tag(s, "scenario")]; a != nil {
		at := measure.At(s.Time)
		for range int64(s.Value) {
			a.events = append(a.events, arrival{at, at, dropped})
		}
	}
}

// arrivalsOf is nil of what is no iteration, or of one that no schedule says.
func (o *Output) arrivalsOf(s metrics.Sample) *arrivals {
	if s.Metric.Name != metrics.IterationDurationName {
		return nil
	}
	return o.arrivals[tag(s, "scenario")]
}

// failedIteration tells of one that ended: it threw, or nothing came from the network where something must.
func (o *Output) failedIteration() *failure {
	silent := o.silent > 0
	if silent {
		o.silent--
	}
	if text, threw := o.thrown.takeOne(); threw {
		return &failure{measure.Other, text}
	}
	if silent {
		return &failure{measure.Connect, "no byte came from the network"}
	}
	return nil
}

// endNs is the end of what a trend timed. k6 stamps WebSockets with their begin, in part.
func endNs(s metrics.Sample) int64 {
	at := measure.At(s.Time)
	ofWebSocket := s.Metric.Name == metrics.WSConnectingName || s.Metric.Name == metrics.WSSessionDurationName
	if took := tookNs(s); ofWebSocket && measure.Now()-at >= took {
		return at + took
	}
	return at
}

// longestMs is more than any load lasts; what a script adds to a trend of its own can be any number.
const longestMs = float64(30 * 24 * time.Hour / time.Millisecond)

// noTime is what such a number is called.
const noTime = "a number that is no time"

func isTime(ms float64) bool { return ms >= 0 && ms <= longestMs }

// tookNs is the value of a trend of times, else 0.
func tookNs(s metrics.Sample) int64 {
	if s.Metric.Type != metrics.Trend || s.Metric.Contains != metrics.Time || !isTime(s.Value) {
		return 0
	}
	return int64(s.Value * float64(time.Millisecond))
}

// maxText bounds what a failure is called.
const maxText = 100

// ownAddress is the part of an error's text that no two connections share.
var ownAddress = regexp.MustCompile(`\S+:\d+->`)

// thrown keeps what iterations threw that were ended by it: k6 writes a line of its log, and counts them like all others.
type thrown struct {
	mu   sync.Mutex
	open []string
}

// Levels is for logrus.
func (t *thrown) Levels() []logrus.Level { return []logrus.Level{logrus.ErrorLevel} }

// Fire is for logrus. Who runs iterations says so by the name of its executor.
func (t *thrown) Fire(entry *logrus.Entry) error {
	if _, ok := entry.Data["executor"]; ok {
		line, _, _ := strings.Cut(ownAddress.ReplaceAllString(entry.Message, ""), "\n")
		if text := []rune(line); len(text) > maxText {
			line = string(text[:maxText]) + "…"
		}
		t.mu.Lock()
		defer t.mu.Unlock()
		t.open = append(t.open, line)
	}
	return nil
}

// takeOne tells whether one of the iterations that have ended threw and was not told of yet, and what.
func (t *thrown) takeOne() (string, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.open) == 0 {
		return "", false
	}
	text := t.open[0]
	t.open = t.open[1:]
	return text, true
}
