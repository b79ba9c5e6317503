// Package scriptout makes operations of what k6 measures of a script that knows nothing of this suite: the output
// script-measure records iterations, HTTP requests, checks and every other trend of a time within one window, as
// k6/x/measure records operations, and writes the same export.
//
// Two variables say which window: LADDERBENCH_WARMUP_SEC and LADDERBENCH_WINDOW_SEC. It is counted from the first thing
// that a user of the script did, so that starting users and setup() are outside. LADDERBENCH_BY names a tag by which requests
// are told apart.
//
// Beside windows it notes what the script's own metrics were given, requests by that tag, thresholds that were crossed, and
// those that no sample was for. Iterations that begin at a rate are recorded by the moment when they were due.
package scriptout
