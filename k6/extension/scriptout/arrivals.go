package scriptout

import (
	"cmp"
	"math"
	"slices"
	"time"

	"go.k6.io/k6/v2/lib"
	"go.k6.io/k6/v2/lib/executor"

	"ladderbench/k6/extension/measure"
)

// arrivals are the iterations of a scenario whose begins a schedule says. k6 tells when one began and which were dropped, and
// not when one was due: since it begins or drops them in the order of its schedule, their order tells it.
type arrivals struct {
	period                 time.Duration
	duration, gracefulStop time.Duration
	users                  int64
	events                 []arrival
}

type arrival struct {
	at, end int64 // when it began, and ended
	kind    arrivalKind
}

type arrivalKind uint8

const (
	completed arrivalKind = iota
	failedOnce
	dropped
)

func arrivalsOf(scenarios lib.ScenarioConfigs) map[string]*arrivals {
	found := map[string]*arrivals{}
	for name, scenario := range scenarios {
		config, ok := scenario.(*executor.ConstantArrivalRateConfig)
		if !ok || config.Rate.Int64 <= 0 {
			continue
		}
		found[name] = &arrivals{
			period:       config.TimeUnit.TimeDuration() / time.Duration(config.Rate.Int64),
			duration:     config.Duration.TimeDuration(),
			gracefulStop: config.GetGracefulStop(),
			users:        config.MaxVUs.Int64,
		}
	}
	return found
}

// dueOf tells when each moment was due by a schedule of that period: the one that was least late was not late at all. lost
// bounds the begins that are not among the moments: where from some moment on all are late by whole periods, so many lack
// before it.
func dueOf(moments []int64, period time.Duration, lost int64) []int64 {
	late := make([]int64, len(moments))
	for i, at := range moments {
		late[i] = at - int64(i)*int64(period)
	}
	begin := slices.Min(late)
	due := make([]int64, len(moments))
	leastLater := int64(math.MaxInt64)
	for i := len(moments) - 1; i >= 0; i-- {
		leastLater = min(leastLater, late[i])
		before := min(lost, (leastLater-begin)/int64(period))
		due[i] = begin + (int64(i)+before)*int64(period)
	}
	return due
}

// record hands what was completed and what was dropped to the recorder, by the moment when it was due.
func (a *arrivals) record(r *measure.Recorder, now int64) {
	if len(a.events) == 0 {
		return
	}
	slices.SortFunc(a.events, func(x, y arrival) int { return cmp.Compare(x.at, y.at) })
	moments := make([]int64, len(a.events))
	for i, e := range a.events {
		moments[i] = e.at
	}
	lost := int64(0)
	// k6 waits no longer for iterations that go on: those tell nothing of themselves.
	if now-moments[0] >= int64(a.duration+a.gracefulStop) {
		lost = max(0, int64(a.duration/a.period)-int64(len(moments)))
	}
	r.Abort(lost)
	entries := make([]measure.Entry, 0, len(moments))
	for i, due := range dueOf(moments, a.period, lost) {
		switch e := a.events[i]; {
		case e.kind == completed:
			entries = append(entries, measure.Entry{Start: e.at, End: e.end, Intended: due, Lag: e.at - due, N: 1})
		case e.kind == dropped && due >= r.StartNs() && due < r.EndNs():
			r.DropDue(due)
		}
	}
	// The seconds of a window are kept in their order.
	slices.SortFunc(entries, func(x, y measure.Entry) int { return cmp.Compare(x.End, y.End) })
	for _, e := range entries {
		r.Add(e)
	}
}
