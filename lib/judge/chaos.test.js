import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chaosOf } from './chaos.js';
import { reasonsIn } from './testing.js';

const SLOT_MS = 50;
const START_MS = 1_000_000;
const GROWTH = 1.05;
const LEAST_MS = 0.01;

/** @param {number} ms */
function bucketOf(ms) {
  return ms <= LEAST_MS ? 0 : 1 + Math.floor(Math.log(ms / LEAST_MS) / Math.log(GROWTH));
}

/**
 * One operation each millisecond for 20 s.
 * @param {(dueMs: number) => {ms: number, sentMs?: number} | {error: string}} answer
 */
function timelineOf(answer) {
  const slots = Array.from({ length: 400 }, () => ({
    acked: 0,
    buckets: /** @type {[number, number][]} */ ([]),
    errors: /** @type {Record<string, number>} */ ({}),
    firstAckMs: /** @type {number | undefined} */ (undefined),
  }));
  for (let due = 0; due < 20_000; due++) {
    const got = answer(due);
    const slot = slots[Math.floor(due / SLOT_MS)];
    if ('error' in got) {
      slot.errors[got.error] = (slot.errors[got.error] ?? 0) + 1;
      continue;
    }
    slot.acked++;
    slot.buckets.push([bucketOf(got.ms), 1]);
    const sent = slots[Math.floor((got.sentMs ?? due) / SLOT_MS)];
    if (sent) sent.firstAckMs = Math.min(sent.firstAckMs ?? Infinity, START_MS + due + got.ms);
  }
  return { slotMs: SLOT_MS, leastMs: LEAST_MS, growth: GROWTH, slots };
}

/**
 * @param {Parameters<typeof timelineOf>[0]} answer
 * @param {{chaos?: object, oracle?: object, errors?: object, dropped?: number}} [over] the fault from 5 s to 8 s
 */
function resultOf(answer, { chaos = {}, oracle = {}, errors = {}, dropped = 0 } = {}) {
  const meta = {
    targetPerSec: { put: 1000 },
    chaos: {
      kind: 'pause',
      beganMs: START_MS + 5000,
      endedMs: START_MS + 8000,
      restartMs: null,
      rssBeforeBytes: 1,
      rssAfterBytes: 2,
      ...chaos,
    },
  };
  const histograms = {
    notes: { oracle: { ok: true, acked: 20_000, stored: 20_000, indeterminate: 0, detail: 'd', ...oracle } },
    windows: [
      {
        ...{ op: 'put', phase: 'measure', startMs: START_MS, endMs: START_MS + 20_000 },
        ...{ count: 20_000, errors, aborted: 0, dropped, timeline: timelineOf(answer) },
      },
    ],
  };
  return chaosOf(/** @type {any} */ (meta), /** @type {any} */ (histograms));
}

/** @param {any} chaos @param {string | null} [targetPerSec] */
const chaosReasons = (chaos, targetPerSec = '1000') =>
  reasonsIn({ role: 'chaos', chaos, operations: {}, parity: { targetPerSec } });

/** A server that stands still from 5 s to 8 s and answers what waited in the order in which it was due. */
const paused = (/** @type {number} */ due) =>
  due >= 5000 && due < 8000 ? { ms: 8000 - due + 1, sentMs: due } : { ms: 1 };

test('a server that is itself again at once reads nought, and its first success comes with its return', () => {
  const result = resultOf(paused);
  assert.ok(result);
  assert.equal(result.restoredMs, 0);
  assert.ok(Math.abs(Number(result.firstSuccessMs) - 3001) <= SLOT_MS, `${result.firstSuccessMs}`);
  assert.ok(result.beforeP99Ms >= 1 && result.beforeP99Ms < 1.06);
  assert.ok(Number(result.duringP99Ms) > 2800);
  assert.equal(result.beforePerSec, 1000);
  assert.deepEqual(chaosReasons(result), []);
});

test('one that stays slow for 3 s after a pause reads 3.0 ± 0.2 s', () => {
  for (const slowMs of [3, 10, 200]) {
    const result = resultOf((due) => (due >= 8000 && due < 11_000 ? { ms: slowMs } : paused(due)));
    assert.ok(Math.abs(Number(result?.restoredMs) - 3000) <= 200, `${slowMs}: ${result?.restoredMs}`);
  }
});

test('one that fails, or answers only some, or stays slow is not back', () => {
  const failing = resultOf((due) => (due >= 8000 && due % 50 === 0 ? { error: 'connect' } : paused(due)));
  assert.equal(failing?.restoredMs, null);
  const slow = resultOf((due) => (due >= 8000 && due % 40 === 0 ? { ms: 30 } : paused(due)));
  assert.equal(slow?.restoredMs, null);
  assert.equal(slow?.watchedMs, 12_000);
  const rare = resultOf((due) => (due >= 8000 && due % 400 === 0 ? { ms: 30 } : paused(due)));
  assert.equal(rare?.restoredMs, 0, 'one in 400 is no p99');
  const dead = resultOf((due) => (due >= 5000 ? { error: 'connect' } : { ms: 1 }));
  assert.deepEqual([dead?.firstSuccessMs, dead?.restoredMs], [null, null]);
});

test('what was lost and stored twice is counted by place where that is known, and is a finding', () => {
  const kill = { kind: 'kill', endedMs: START_MS + 5000, restartMs: 100 };
  const oracle = { ok: false, acked: 20_000, stored: 20_000, indeterminate: 5, missing: 20, surplus: 20 };
  const both = resultOf(paused, { chaos: kill, oracle, errors: { connect: 7, server: 0 } });
  assert.deepEqual([both?.lost, both?.twice, both?.errors], [20, 20, { connect: 7 }]);
  assert.equal(both?.duringP99Ms, null);
  assert.deepEqual(chaosReasons(both), []);
  const sums = resultOf(paused, { chaos: kill, oracle: { ok: false, stored: 19_000 } });
  assert.deepEqual([sums?.lost, sums?.twice], [1000, 0]);
  const wrong = resultOf(paused, { oracle: { ok: false, detail: 'an event is not what was sent' } });
  assert.deepEqual(chaosReasons(wrong), [{ code: 'oracle', measured: 'an event is not what was sent' }]);
});

test('without figures, or without its load before the fault, a cell tells nothing', () => {
  assert.equal(chaosOf(/** @type {any} */ ({}), null), null);
  assert.deepEqual(chaosReasons(null), [{ code: 'missing_metric', measured: 'recovery from the fault' }]);
  const result = resultOf((due) => (due % 2 === 0 ? { ms: 1 } : { error: 'server' }));
  assert.deepEqual(
    chaosReasons(result).map((r) => r.code),
    ['target_missed'],
  );
});

test('more that was due than the schedule holds makes a cell INVALID: a generator that began it anew has no p99', () => {
  assert.equal(resultOf(() => ({ ms: 1 }), { dropped: 900 })?.dueRatio, undefined);
  const result = resultOf(() => ({ ms: 1 }), { dropped: 13_000 });
  assert.equal(result?.dueRatio, 1.65);
  assert.deepEqual(
    chaosReasons(result).map((r) => r.code),
    ['schedule_exceeded'],
  );
});
