package scriptout

import (
	"strconv"

	"go.k6.io/k6/v2/metrics"

	"ladderbench/k6/extension/measure"
)

// What k6 calls the counts of its own operations: no metric of a script can have these names.
const (
	iterations = metrics.IterationsName
	httpReqs   = metrics.HTTPReqsName
	checks     = metrics.ChecksName
)

// leftOut are trends of times that are parts of others.
var leftOut = map[string]bool{
	metrics.HTTPReqBlockedName: true, metrics.HTTPReqConnectingName: true, metrics.HTTPReqTLSHandshakingName: true,
	metrics.HTTPReqSendingName: true, metrics.HTTPReqWaitingName: true, metrics.HTTPReqReceivingName: true,
	metrics.GroupDurationName: true,
}

// operationOf names the operation that a trend of times makes.
func operationOf(metric string) string {
	switch metric {
	case metrics.IterationDurationName:
		return iterations
	case metrics.HTTPReqDurationName:
		return httpReqs
	default:
		return metric
	}
}

// failureOf tells whether a request failed as the script sees it, and how k6 classes it: its error codes from 1100 are of
// names, from 1200 of TCP, from 1300 of TLS, from 1400 answers; 1050 is a time-out.
func failureOf(samples []metrics.Sample) (measure.Class, bool) {
	for _, s := range samples {
		if s.Metric.Name != metrics.HTTPReqFailedName || s.Value == 0 {
			continue
		}
		text, _ := s.Tags.Get("error_code")
		code, err := strconv.Atoi(text)
		switch {
		case err != nil:
			return measure.Other, true
		case code == 1050 || code == 1211:
			return measure.Timeout, true
		case code >= 1100 && code < 1400:
			return measure.Connect, true
		case code >= 1400 && code < 1600:
			return measure.Server, true
		default:
			return measure.Other, true
		}
	}
	return measure.Other, false
}
