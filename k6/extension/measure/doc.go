// Package measure is the k6 module k6/x/measure: recorders of operations that all VUs of a process share.
//
// A [Recorder] belongs to one (phase, op). It is split into lock-striped shards, not into one part per VU, so
// memory depends on the number of operations and not on that of VUs. All times inside the package are
// nanoseconds since the process started, on the monotonic clock; milliseconds exist at the JavaScript edge only.
package measure
