import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { shareOf, takesTurns } from '../../k6/schedule/facts.js';
import { pairedTrials } from '../config/trials.js';
import { latencyOf } from '../stats/histogram.js';
import { readJson } from '../store.js';
import { isRun, withRun } from './archive.js';
import { isStart, readRecords, samplesOf } from './records.js';
import { readPlan, recordFiles, startId } from './run-folder.js';

/** @import { CellRecord, HistogramExport, HistogramWindow, OperationResult, Plan } from '../types.d.ts' */

const REPORTS = fileURLToPath(new URL('../../reports', import.meta.url));

/**
 * One printed sample beside the window of its raw data, by its own arithmetic and not by the judge's.
 * @param {Plan} plan
 * @param {CellRecord} record
 * @param {OperationResult} result
 * @param {HistogramWindow} window
 * @param {HistogramWindow[]} together windows of the operations that the same users perform
 * @returns {string[]} rules that it breaks although nothing marks it
 */
function brokenBy(plan, record, result, window, together) {
  const seconds = (window.endMs - window.startMs) / 1000;
  const latency = window.service && latencyOf(window.service, window);
  if (!latency) return ['no latency'];
  const { step } = record;
  const facts = plan.workloads.find((w) => w.id === record.workload);
  const turns = facts !== undefined && takesTurns(facts);
  const errors = Object.values(window.errors).reduce((n, e) => n + e, 0);
  const least = plan.profile.thresholds.minOperations ?? facts?.minOperations ?? 1000;
  /** @type {string[]} */
  const broken = [];
  if (Math.abs(result.ratePerSec - window.count / seconds) > 0.01)
    broken.push('its rate is not that of the window');
  // What a system that fails completed is shown beside its failures, and compared with nothing.
  const failing = result.verdict.reasons.some((r) => r.code === 'errors');
  if (!failing && errors / (errors + window.count) > (plan.profile.thresholds.errorRatio ?? 0))
    broken.push('errors');
  if (window.count < (result.users === undefined ? least : 10)) broken.push('too few operations');
  if (step.operations === undefined && !result.received && seconds * 1000 < 5 * latency.p99)
    broken.push('its window is shorter than five times its p99');
  // Users who rest, who received, or who end one after another need more than the window to be checked.
  if (
    step.model !== 'closed' ||
    result.outsideMs !== null ||
    result.received ||
    step.operations !== undefined
  )
    return broken;
  // A user is within an operation that fails as well.
  const busy = together.reduce(
    (sum, w) => sum + (w.count * w.meanMs + (w.failedMs ?? 0)) / 1000 / seconds,
    0,
  );
  const users = (result.users ?? step.vus) * (step.depth ?? 1);
  const mine = result.verdict.reasons.some((r) => r.code === 'set_by_client');
  // A load generator that is full itself has a turn of its own between an answer and the next request.
  // Of users who take turns each is within an operation when the window ends: the one that began all of them is not.
  const edge = turns ? busy / (together.reduce((n, w) => n + w.count, 0) / seconds) / seconds : 0;
  if (Math.abs(busy - users) / users > (mine && busy < users ? 0.1 : 0.05) + edge)
    broken.push('Little’s law');
  return broken;
}

/** @param {string} data @param {Plan} plan @returns {{record: CellRecord, windows: HistogramWindow[]}[]} */
function measuredIn(data, plan) {
  return readRecords(data, plan).flatMap((all) => {
    const samples = samplesOf(all).filter((r) => r.status === 'ok' && r.role === 'system' && !r.generators);
    if (samples.length === 0) return [];
    const id = isStart(all) ? startId(all.group, all.start) : samples[0].cell;
    const { windows } = /** @type {HistogramExport} */ (readJson(join(data, recordFiles(id).histograms)));
    return samples.map((record) => {
      if (record.paired === undefined)
        return { record, windows: windows.filter((w) => w.phase === 'measure') };
      const side = `s${pairedTrials(plan)[record.paired].systems.indexOf(record.system)}`;
      const own = windows
        .filter((w) => w.op.startsWith(`${side}/`) && w.phase.includes(`.${record.step.id}`))
        .map((w) => ({ ...w, op: w.op.slice(side.length + 1) }));
      return { record, windows: own };
    });
  });
}

test('every sample of every committed run, computed again from its raw data, keeps the rules or is marked INVALID', () => {
  const runs = readdirSync(REPORTS).filter((name) => isRun(join(REPORTS, name)));
  let [samples, marked] = [0, 0];
  /** @type {string[]} */
  const unmarked = [];
  for (const run of runs)
    withRun(join(REPORTS, run), (data) => {
      const plan = readPlan(data);
      for (const { record, windows } of measuredIn(data, plan)) {
        const facts = plan.workloads.find((w) => w.id === record.workload);
        for (const [op, result] of Object.entries(record.operations)) {
          samples++;
          if (
            result.verdict.status === 'INVALID' ||
            record.verdict.reasons.some((r) => !r.operation && r.code === 'oracle')
          ) {
            marked++;
            continue;
          }
          const own = windows.filter((w) => w.op === op);
          const window = own.find(
            (w) => Math.abs(w.count / ((w.endMs - w.startMs) / 1000) - result.ratePerSec) < 0.01,
          );
          if (!window) {
            unmarked.push(`${run} ${record.cell} ${op}: no window of its raw data has its rate`);
            continue;
          }
          const together =
            result.share === undefined
              ? [window]
              : windows.filter(
                  (w) => w.startMs === window.startMs && facts && shareOf(facts, w.op) !== undefined,
                );
          for (const rule of brokenBy(plan, record, result, window, together))
            unmarked.push(`${run} ${record.cell} ${op}: ${rule}`);
        }
      }
    });
  assert.deepEqual(unmarked, []);
  assert.ok(samples > 1000 && marked > 0, `${marked} of ${samples} marked`);
});
