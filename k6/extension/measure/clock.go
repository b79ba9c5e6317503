package measure

import "time"

// processStart carries both clocks: wall time and the monotonic reading that [Now] counts from.
var processStart = time.Now()

// Now returns nanoseconds since the process started (monotonic).
func Now() int64 {
	return int64(time.Since(processStart))
}

// EpochNs turns a reading of [Now] into nanoseconds since the Unix epoch.
func EpochNs(now int64) int64 {
	return processStart.UnixNano() + now
}

// FromEpochMs turns milliseconds since the Unix epoch into a reading of [Now]; it is negative for moments before
// the process started.
func FromEpochMs(ms float64) int64 {
	whole := int64(ms)
	frac := ms - float64(whole)
	return whole*int64(time.Millisecond) + int64(frac*float64(time.Millisecond)) - processStart.UnixNano()
}

// EpochMs turns a reading of [Now] into milliseconds since the Unix epoch.
func EpochMs(now int64) float64 {
	return float64(EpochNs(now)/1000) / 1000
}

func msToNs(ms float64) int64 { return int64(ms * float64(time.Millisecond)) }

func nsToMs(ns int64) float64 { return float64(ns) / float64(time.Millisecond) }
