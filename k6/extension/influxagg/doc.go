// Package influxagg is the k6 output influxdb-agg: it writes one InfluxDB 1.x point for each metric, tag set and
// second instead of one for each sample.
//
// Fields: a trend gives count, mean, min, max, p50, p90, p95, p99, p999; a counter value (sum) and count; a rate
// value (share of non-zero samples) and count; a gauge value (the last) and count. Percentiles of seconds cannot
// be merged: they are for watching a run, results come from elsewhere.
//
// The output never blocks the test and never fails it. What could not be written is counted in the report that
// [Output.Stop] writes to the path in K6_INFLUXDB_AGG_REPORT.
package influxagg
