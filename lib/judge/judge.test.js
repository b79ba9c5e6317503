import assert from 'node:assert/strict';
import { test } from 'node:test';
import { judge, littlesLawDeviation } from './judge.js';
import { aCell } from './testing.js';
import { REASONS, verdictOf } from './verdict.js';

const context = { thresholds: { errorRatio: 0.001 }, restarted: false, ceilings: { get: 1_000_000 } };

/** @param {Parameters<typeof aCell>[0]} with_ @param {object} [more] */
function codesOf(with_, more = {}) {
  return judge(aCell(with_), { ...context, ...more }).verdict.reasons.map((r) => r.code);
}

test('a sound cell is VALID', () => {
  const judged = judge(aCell(), context);
  assert.deepEqual(judged.verdict, { status: 'VALID', reasons: [] });
  assert.equal(verdictOf(judged, 'get'), 'VALID');
});

test('a published impossible row is INVALID by Little’s law', () => {
  // 512 connections, 148 906 operations/s and a p99 of 2.19 ms: even if every answer took as long as the p99,
  // only 326 connections could have been busy.
  assert.ok(littlesLawDeviation(512, 148_906, 2.19) > 0.36);
  const cell = aCell({ vus: 512, ratePerSec: 148_906 });
  const result = cell.operations.get;
  const impossible = {
    ...result,
    serviceMs: { .../** @type {any} */ (result.serviceMs), mean: 1.5, p99: 2.19 },
  };
  const judged = judge({ ...cell, operations: { get: impossible } }, context);
  assert.equal(judged.verdict.status, 'INVALID');
  assert.deepEqual(
    judged.verdict.reasons.map((r) => r.code),
    ['littles_law'],
  );
});

test('time outside the operation is part of the law for a generator that has some', () => {
  assert.ok(littlesLawDeviation(20, 10_000, 1.5, 0.5) < 0.001);
  assert.ok(littlesLawDeviation(20, 10_000, 1.5) > 0.2);
});

test('pipelined operations count as in flight', () => {
  assert.deepEqual(codesOf({ vus: 100, depth: 16, ratePerSec: 400_000 }), []);
});

test('a generator at the end of its CPU makes the cell INVALID', () => {
  assert.deepEqual(codesOf({ result: { generatorCpuRatio: 0.97 } }), ['generator_saturated']);
});

test('a gate whose metric is missing is not passed', () => {
  assert.deepEqual(codesOf({ result: { generatorCpuRatio: null } }), ['missing_metric']);
  assert.deepEqual(codesOf({ result: { serviceMs: null } }), ['missing_metric']);
  assert.deepEqual(codesOf({ record: { oracle: null } }), ['missing_metric']);
});

test('a state that lost acknowledged writes is INVALID for every operation', () => {
  const oracle = { ok: false, acked: 1000, stored: 999, indeterminate: 0, detail: '' };
  const judged = judge(aCell({ record: { oracle } }), context);
  assert.deepEqual(
    judged.verdict.reasons.map((r) => r.code),
    ['oracle'],
  );
  assert.equal(verdictOf(judged, 'get'), 'INVALID');
});

test('failed operations count against the threshold', () => {
  const errors = { connect: 0, timeout: 2000, protocol: 0, server: 0, other: 0 };
  assert.deepEqual(codesOf({ result: { errors } }), ['errors']);
  const few = { ...errors, timeout: 5 };
  assert.deepEqual(codesOf({ result: { errors: few } }), []);
});

test('above 70 % of the ceiling a figure is generator-bound, and without a ceiling it is doubtful', () => {
  assert.deepEqual(codesOf({}, { ceilings: { get: 120_000 } }), ['generator_bound']);
  assert.deepEqual(codesOf({}, { ceilings: { get: 150_000 } }), []);
  assert.deepEqual(codesOf({}, { ceilings: null }), ['no_ceiling']);
  assert.equal(judge(aCell(), { ...context, ceilings: null }).verdict.status, 'DEGRADED');
});

test('the null responder run as a system is always generator-bound', () => {
  assert.deepEqual(codesOf({ ratePerSec: 100_000 }, { ceilings: { get: 100_000 } }), ['generator_bound']);
});

test('a restart in mid-cell and too few operations are INVALID', () => {
  assert.deepEqual(codesOf({}, { restarted: true }), ['restarted']);
  assert.deepEqual(codesOf({ result: { count: 12 } }), ['too_few']);
});

const step = {
  id: 'open',
  model: /** @type {const} */ ('open'),
  vus: 100,
  durationSec: 10,
  fractionOfKnee: 0.5,
};
const latency = { min: 0.1, mean: 1, sd: 1, p50: 1, p90: 2, p95: 2, p99: 3, p999: 4, max: 5 };

/** @param {object} result */
function openCodes(result) {
  const base = { targetPerSec: 100_000, responseMs: latency, lagMs: latency };
  return codesOf({ record: { step }, result: { ...base, ...result } });
}

test('the open model is gated by lag, drops and the achieved rate, not by Little’s law', () => {
  assert.deepEqual(openCodes({}), []);
  assert.deepEqual(openCodes({ lagMs: { ...latency, p99: 40 } }), ['schedule_lag']);
  assert.deepEqual(openCodes({ dropped: 100_000 }), ['dropped']);
  assert.deepEqual(openCodes({ targetPerSec: 120_000 }), ['target_missed']);
  assert.deepEqual(openCodes({ responseMs: null }), ['missing_metric']);
});

test('every reason is explained in one sentence', () => {
  for (const { text } of Object.values(REASONS)) assert.ok(text.length > 20 && !text.endsWith('.'));
});
