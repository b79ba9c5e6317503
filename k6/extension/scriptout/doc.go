// Package scriptout makes operations of what k6 measures of a script that knows nothing of this suite: the output
// script-measure records iterations, HTTP requests, checks and every other trend of a time within one window, as
// k6/x/measure records operations, and writes the same export.
//
// Two variables say which window: LADDERBENCH_WARMUP_SEC and LADDERBENCH_WINDOW_SEC. It is counted from the first thing
// that a user of the script did, so that starting users and setup() are outside.
package scriptout
