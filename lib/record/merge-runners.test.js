import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as hdr from 'hdr-histogram-js';
import { createRng } from '../stats/rng.js';
import { createMerge } from './merge-runners.js';
import { syntheticRunner } from './testing-runners.js';

/** @param {number[]} ms @param {Record<string, unknown>} [over] */
function windowOf(ms, over = {}) {
  const histogram = hdr.build({ numberOfSignificantValueDigits: 3 });
  for (const value of ms) histogram.recordValue(Math.round(value * 10_000));
  const mean = ms.reduce((s, v) => s + v, 0) / Math.max(1, ms.length);
  const squares = ms.reduce((s, v) => s + (v - mean) ** 2, 0);
  return {
    op: 'increment',
    phase: 'measure',
    startMs: 1000,
    endMs: 4000,
    firstStartMs: 1001,
    lastEndMs: 3999,
    count: ms.length,
    late: 1,
    early: 0,
    aborted: 2,
    unresolved: 0,
    dropped: 0,
    errors: { timeout: 1 },
    meanMs: ms.length === 0 ? null : mean,
    sdMs: ms.length < 2 ? 0 : Math.sqrt(squares / (ms.length - 1)),
    minMs: Math.min(...ms),
    maxMs: Math.max(...ms),
    service: {
      encoding: 'hdr-v2-deflate-base64',
      unit: '100ns',
      data: hdr.encodeIntoCompressedBase64(histogram),
    },
    response: null,
    lag: null,
    series: [{ t: 0, count: ms.length, errors: 0, p50Ms: 1, p95Ms: 1, p99Ms: 1, maxMs: Math.max(...ms) }],
    ...over,
  };
}

/** @param {any[]} windows @param {Record<string, any>} [more] */
function merged(windows, more = {}) {
  const merge = createMerge();
  for (const [i, w] of windows.entries())
    merge.add(
      i + 1,
      /** @type {any} */ ({ schemaVersion: 1, notes: {}, windows: [w], cpu: [], ...more[i] }),
      more[i]?.summary ?? null,
    );
  return merge.end();
}

test('1, 2, 4 and 16 runners of one load are one histogram of all of it, bit for bit', () => {
  const random = createRng(21);
  const ms = Array.from({ length: 4800 }, () => 0.05 + 20 * random() ** 6);
  const [whole] = merged([windowOf(ms)]).histograms.windows;
  for (const runners of [1, 2, 4, 16]) {
    const parts = Array.from({ length: runners }, (_, i) => ms.filter((_, k) => k % runners === i));
    const [all] = merged(parts.map((p) => windowOf(p))).histograms.windows;
    assert.deepEqual(all.service, whole.service);
    assert.equal(all.count, 4800);
    assert.deepEqual([all.minMs, all.maxMs], [whole.minMs, whole.maxMs]);
    assert.ok(Math.abs(all.meanMs - whole.meanMs) < 1e-9 && Math.abs(all.sdMs - whole.sdMs) < 1e-9);
    assert.deepEqual([all.late, all.aborted, all.errors.timeout], [runners, 2 * runners, runners]);
  }
});

test('what the server called failures is added up by its names', () => {
  const [both, none] = [
    [
      windowOf([1], { errorKinds: { 'HTTP 503': 2, ERR: 1 } }),
      windowOf([1]),
      windowOf([1], { errorKinds: { 'HTTP 503': 3 } }),
    ],
    [windowOf([1]), windowOf([1])],
  ].map((parts) => merged(parts).histograms.windows[0].errorKinds);
  assert.deepEqual(both, { 'HTTP 503': 5, ERR: 1 });

  test('the time that failures took is summed up over the runners, and absent where nobody tells it', () => {
    const of = (/** @type {(number | undefined)[]} */ ...parts) =>
      merged(parts.map((failedMs) => windowOf([1], failedMs === undefined ? {} : { failedMs }))).histograms
        .windows[0].failedMs;
    assert.deepEqual([of(2, 3.5), of(undefined, 4), of(undefined, undefined)], [5.5, 4, undefined]);
  });
  assert.equal(none, undefined);
});

test('a window lasts as long as each runner’s, from the first begin on; the spread of begins is told', () => {
  const { histograms, startSkewMs } = merged([
    windowOf([1], { startMs: 1080, endMs: 4080 }),
    windowOf([1], { startMs: 1000, endMs: 4000 }),
  ]);
  assert.deepEqual([histograms.windows[0].startMs, histograms.windows[0].endMs], [1000, 4000]);
  assert.equal(startSkewMs, 80);
  const counted = merged([
    windowOf([1], { endMs: 3000, presentMs: 1900 }),
    windowOf([1], { startMs: 1010, endMs: 4000, presentMs: 2900 }),
  ]);
  const [w] = counted.histograms.windows;
  assert.deepEqual([w.startMs, w.endMs, w.presentMs], [1000, 4000, 4800]);
  assert.equal(counted.startSkewMs, 10);
});

test('runners of several machines are laid over each other by the clock of the first', () => {
  const clock = { offsetMs: -60_000, uncertaintyMs: 4 };
  const late = {
    notes: { clock },
    cpu: [
      { t: 61_000, cpuSec: 1 },
      { t: 64_000, cpuSec: 2.5 },
    ],
  };
  const { histograms, startSkewMs, busiest } = merged(
    [
      windowOf([1]),
      windowOf([3], { startMs: 61_007, endMs: 64_007, firstStartMs: 61_010, lastEndMs: 63_990 }),
    ],
    { 1: late },
  );
  const [w] = histograms.windows;
  assert.deepEqual([w.startMs, w.endMs, w.firstStartMs, w.lastEndMs], [1000, 4000, 1001, 3999]);
  assert.equal(startSkewMs, 11, 'what is not known of a clock counts as skew');
  assert.ok(Math.abs(Number(busiest?.cores) - 0.5) < 0.01, JSON.stringify(busiest));
  assert.deepEqual([histograms.cpu?.[0].t, histograms.cpu?.at(-1)?.t], [1000, 4000]);
});

test('percentiles of a second are nobody’s where several runners share it', () => {
  const idle = windowOf([], { minMs: null, maxMs: null });
  idle.series = [/** @type {any} */ ({ t: 0, count: 0, errors: 1, p50Ms: null, maxMs: null })];
  const [one] = merged([windowOf([3]), idle]).histograms.windows;
  assert.deepEqual([one.series[0].p99Ms, one.series[0].errors, one.count], [1, 1, 1]);
  const [two] = merged([windowOf([3]), windowOf([5])]).histograms.windows;
  assert.deepEqual([two.series[0].p99Ms, two.series[0].count, two.series[0].maxMs], [null, 2, 5]);
});

test('CPU, totals, tallies and k6’s own counters add up, and so does what is in doubt; the busiest runner is named', () => {
  const cpu = (/** @type {number} */ cores) =>
    Array.from({ length: 61 }, (_, i) => ({ t: 900 + i * 60, cpuSec: 7 + (cores * i * 60) / 1000 }));
  const more = [0.25, 0.75].map((cores, i) => ({
    cpu: cpu(cores),
    notes: {
      totals: {
        increment: {
          acked: 10 + i,
          indeterminate: i,
          ...(i === 0 ? {} : { doubted: [{ seed: 1, stream: 9, from: 4, count: 2 }] }),
        },
      },
      tally: { start: [5, 6], sent: [1, i], acked: [0, i] },
      dataset: { documents: 3 },
    },
    summary: {
      metrics: {
        op_outside_ms: { type: 'counter', values: { count: 4, rate: 1 } },
        op_duration: { type: 'trend', values: { count: 2, avg: 1 + i, min: 1, max: 2 + i, 'p(99)': 2 } },
        checks: { type: 'rate', values: { rate: i, passes: i, fails: 1 - i } },
      },
    },
  }));
  const { histograms, summary, busiest } = merged([windowOf([1]), windowOf([1])], more);
  const at = (/** @type {number} */ t) => histograms.cpu?.find((p) => p.t === t)?.cpuSec ?? Number.NaN;
  assert.ok(Math.abs(at(4000) - at(1000) - 3) < 1e-9, `${at(4000)} ${at(1000)}`);
  assert.deepEqual(histograms.notes, {
    totals: {
      increment: { acked: 21, indeterminate: 1, doubted: [{ seed: 1, stream: 9, from: 4, count: 2 }] },
    },
    tally: { start: [5, 6], sent: [2, 1], acked: [0, 1] },
    dataset: { documents: 3 },
  });
  assert.deepEqual(summary.metrics, { op_outside_ms: { values: { count: 8 } } });
  assert.equal(busiest?.runner, 2);
  assert.ok(Math.abs((busiest?.cores ?? 0) - 0.75) < 0.02);
});

test('a hundred synthetic runners merge into sums that are known', () => {
  const merge = createMerge();
  const random = createRng(4);
  for (let i = 1; i <= 100; i++)
    merge.add(i, syntheticRunner(random, { seconds: 3, operations: 2000 }), null);
  const { histograms } = merge.end();
  for (const w of histograms.windows) assert.equal(w.count, 200_000);
});
