package scriptout

import (
	"strconv"

	"go.k6.io/k6/v2/metrics"
	"google.golang.org/grpc/codes"

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

// counted are counters of k6's own that make operations: how long one took nobody knows.
var counted = map[string]bool{
	metrics.WSMessagesSentName: true, metrics.WSMessagesReceivedName: true,
	"grpc_streams_msgs_sent": true, "grpc_streams_msgs_received": true,
}

// failure is one that k6 tells of by the tags of a sample: no library of these throws.
type failure struct {
	class measure.Class
	kind  string
}

// failureOf tells whether what a trend timed has failed: of requests as k6 counts them, of the rest by their status. with
// are the samples that came together with it.
func failureOf(s metrics.Sample, with []metrics.Sample) *failure {
	switch s.Metric.Name {
	case metrics.HTTPReqDurationName:
		return failedRequest(s, with)
	case metrics.WSConnectingName:
		return failedUpgrade(tag(s, "status"))
	case metrics.GRPCReqDurationName:
		return failedCall(tag(s, "status"))
	default:
		return nil
	}
}

// failedRequest follows http_req_failed. Where a script has switched that off (setResponseCallback(null)), no answer at all
// is a failure all the same.
func failedRequest(s metrics.Sample, with []metrics.Sample) *failure {
	failed := tag(s, "status") == "0"
	for _, other := range with {
		if other.Metric.Name == metrics.HTTPReqFailedName {
			failed = other.Value != 0
			s = other
		}
	}
	if !failed {
		return nil
	}
	// k6's error codes from 1100 are of names, from 1200 of TCP, from 1300 of TLS, from 1400 answers; 1050 is a time-out.
	code, err := strconv.Atoi(tag(s, "error_code"))
	status := tag(s, "status")
	kind := tag(s, "error")
	if status != "" && status != "0" {
		kind = "HTTP " + status
	}
	switch {
	case err != nil:
		return &failure{measure.Other, kind}
	case code == 1050 || code == 1211:
		return &failure{measure.Timeout, kind}
	case code >= 1100 && code < 1400:
		return &failure{measure.Connect, kind}
	case code >= 1400 && code < 1600:
		return &failure{measure.Server, kind}
	default:
		return &failure{measure.Other, kind}
	}
}

// failedUpgrade is of a WebSocket: k6 gives no status to one that was not answered.
func failedUpgrade(status string) *failure {
	switch status {
	case "101":
		return nil
	case "":
		return &failure{measure.Connect, "no WebSocket connection"}
	default:
		return &failure{measure.Server, "HTTP " + status}
	}
}

// failedCall is of gRPC. A call that the script itself gave up is no failure.
func failedCall(status string) *failure {
	code, err := strconv.Atoi(status)
	if err != nil || code == int(codes.OK) || code == int(codes.Canceled) {
		return nil
	}
	class := measure.Server
	switch codes.Code(code) { //nolint:exhaustive // the rest is refused by the server
	case codes.DeadlineExceeded:
		class = measure.Timeout
	case codes.Unavailable:
		class = measure.Connect
	}
	return &failure{class, "gRPC " + codes.Code(code).String()}
}

func tag(s metrics.Sample, name string) string {
	value, _ := s.Tags.Get(name)
	return value
}
