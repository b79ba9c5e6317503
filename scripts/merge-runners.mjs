#!/usr/bin/env node
// The runners of one TestRun as one generator: exact counts, and percentiles of all that they measured. See --help.
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { segmentOf } from '../k6/schedule/segments.js';
import { causeOf } from '../lib/errors.js';
import { LIMITS } from '../lib/judge/method.js';
import { createMerge } from '../lib/record/merge-runners.js';
import { resultInLog } from '../lib/record/runner-log.js';
import { readRunnerResult } from '../lib/record/runner-result.js';
import { latencyOf } from '../lib/stats/histogram.js';

const logs = process.argv.slice(2);
if (logs.length === 0 || logs.includes('--help')) {
  console.log(`Usage: node scripts/merge-runners.mjs LOG...

  LOG...  the logs of all runners of one TestRun of --render-only, in the order of their numbers

It prints one JSON object: of each window the sums of all runners, and their percentiles in ms. Where a log holds no whole
result of its part of the load, or the runners began more than ${LIMITS.startSkewMs} ms apart, it says so and exits with 4.`);
  process.exit(logs.length === 0 ? 2 : 0);
}

const merge = createMerge();
const problems = [];
for (const [i, log] of logs.entries()) {
  try {
    const { histograms, summary } = readRunnerResult(resultInLog(readFileSync(log, 'utf8')));
    const own = segmentOf(i + 1, logs.length);
    const ran = histograms.notes.segment ?? segmentOf(1, 1);
    if (ran !== own) throw new Error(`it ran the segment ${ran}, and of ${logs.length} it would be ${own}`);
    merge.add(i + 1, histograms, summary);
  } catch (error) {
    problems.push(`${basename(log)}: ${causeOf(error)}`);
  }
}
if (problems.length === 0) {
  const { histograms, startSkewMs, busiest } = merge.end();
  const windows = histograms.windows.map((w) => ({
    ...{ phase: w.phase, operation: w.op, count: w.count, errors: w.errors, dropped: w.dropped },
    ratePerSec: Number(((w.count * 1000) / (w.endMs - w.startMs)).toFixed(2)),
    serviceMs: w.service && latencyOf(w.service, w),
    responseMs: w.response && latencyOf(w.response, { meanMs: w.responseMeanMs, maxMs: w.responseMaxMs }),
  }));
  console.log(JSON.stringify({ runners: logs.length, startSkewMs, busiest, windows }, null, 2));
  if (startSkewMs > LIMITS.startSkewMs)
    problems.push(`the runners began ${startSkewMs} ms apart, and ${LIMITS.startSkewMs} are allowed`);
}
for (const problem of problems) console.error(problem);
process.exitCode = problems.length > 0 ? 4 : 0;
