import { windowGroups } from '../../k6/schedule/facts.js';
import { pairedTrials } from '../config/trials.js';
import { groupBy } from '../group-by.js';
import { reasonText } from '../judge/why.js';
import { between, compareFigures, compareRatios, inverse, refused } from './compare.js';
import { comparisonsAt, comparisonsIn, keyOf, loadOf, unlikeness } from './comparisons.js';
import { METRICS, OF_LOADS } from './metrics.js';
import { rowsOf, wholesOf } from './rows.js';
import { readRun } from './run.js';
import { scriptRowsOf } from './script-rows.js';

/**
 * @import { Comparison, MetricName, Plan, Why } from '../types.d.ts'
 * @import { Figure } from './figure.js'
 * @import { Row } from './rows.js'
 * @import { MeasuredData } from './run.js'
 */

/**
 * One load on one system.
 * @typedef {object} Measured
 * @property {string} workload
 * @property {string} transport
 * @property {string} system
 * @property {string} step
 * @property {string} operation `all` where the operations of a step share one window
 * @property {number} connections
 * @property {number} depth
 * @property {Record<string, Figure | null>} figures by the name of the metric
 * @property {string | null} failure why there are none
 * @property {import('./comparisons.js').Conditions} keys that must be alike
 * @property {boolean} sideBySide whether its systems were loaded in pairs, too
 * @property {boolean} [isTime] of a row of a script's own, whether its values are ms; absent: one of {@link METRICS}
 */

/**
 * @typedef {object} ChangedRow
 * @property {string} workload
 * @property {string} transport
 * @property {string} system
 * @property {string} step
 * @property {string} operation
 * @property {number} connections
 * @property {number} depth
 * @property {Record<string, Comparison>} changes after / before, by metric; empty where the row as a whole may not be compared
 * @property {Why[]} refusal why; empty where it may
 * @property {string | null} lost the later run has no figure where the earlier one has: why
 */

/**
 * @typedef {{plan: Plan, measured: Measured[], comparisons: Comparison[],
 *   scriptRows: import('./script-rows.js').ScriptRow[]}} MeasuredRun
 * @param {string} data folder of a run's data
 * @returns {MeasuredRun}
 */
export function measuredIn(data) {
  return measuredOf(readRun(data));
}

/**
 * @param {Pick<MeasuredData, 'plan' | 'records' | 'sideBySide'>} run
 * @returns {MeasuredRun}
 */
export function measuredOf({ plan, records: all, sideBySide }) {
  const records = all.filter((r) => r.role === 'system');
  const [rows, wholes] = [rowsOf(records, plan.workloads), wholesOf(records)];
  const beside = rowsOf(all.filter(({ role }) => role === 'calibration'));
  const comparisons = comparisonsIn({ rows, wholes, beside, sideBySide });
  return { plan, measured: measuredRows(rows, wholes, plan), comparisons, scriptRows: scriptRowsOf(records) };
}

/**
 * @param {Row[]} rows
 * @param {Row[]} wholes
 * @param {Plan} plan
 * @returns {Measured[]}
 */
function measuredRows(rows, wholes, plan) {
  const own = rows.filter((row) => !row.received && row.operation !== '');
  // System by system; where several were up, load by load.
  const inOrder = groupBy(own, (r) => (r.paired === null ? '' : keyOf(loadOf(r)))).flat();
  const placeOf = (/** @type {Row} */ r) =>
    [r.workload, r.transport, r.system, r.step.id, r.paired].join('\n');
  const seen = new Set();
  return inOrder.flatMap((row) => {
    const place = placeOf(row);
    if (!sharesOneWindow(plan, row)) return [measuredRow(row, row.operation)];
    if (seen.has(place)) return [];
    seen.add(place);
    const whole = wholes.find((w) => placeOf(w) === place) ?? row;
    return [measuredRow(whole, row.paired === null ? 'all' : 'mix')];
  });
}

/** @param {Plan} plan @param {Row} row @returns {boolean} whether its step has one window for several operations */
function sharesOneWindow(plan, { workload, step }) {
  const facts = plan.workloads.find((w) => w.id === workload);
  const [group, ...others] = facts ? windowGroups(facts, step) : [];
  return others.length === 0 && group?.operations.length > 1;
}

/** @param {Row} row @param {string} operation @returns {Measured} */
function measuredRow(row, operation) {
  const { step } = row;
  const doubtful = !row.rankable && !row.quotable;
  return {
    ...{ workload: row.workload, transport: row.transport, system: row.system, step: step.id, operation },
    connections: step.vus,
    depth: step.depth ?? 1,
    failure: row.failure ?? (doubtful ? reasonText(row.why) : null),
    sideBySide: row.paired !== null,
    keys: row,
    figures: Object.fromEntries(OF_LOADS.map((metric) => [metric, METRICS[metric].of?.(row) ?? null])),
  };
}

/**
 * @typedef {object} Side
 * @property {MeasuredRun} run
 * @property {string | null} system the one that is meant; null: each with itself
 */

/**
 * The later one against the earlier one, load by load. Two systems of one run are compared in pairs, of one trial; two runs
 * cannot be.
 * @param {Side} before
 * @param {Side} after
 * @returns {ChangedRow[]} of the loads that both have
 */
export function changesBetween(before, after) {
  const pairs = before.run === after.run ? pairsIn(after.run) : [];
  return after.run.measured
    .filter((b) => after.system === null || b.system === after.system)
    .flatMap((b) => {
      const a = before.run.measured.find((m) => isSameLoad(m, b) && m.system === (before.system ?? b.system));
      return a ? [changedRow(a, b, pairs)] : [];
    });
}

/** @param {MeasuredRun} run @returns {Comparison[]} of systems that were loaded at the same moment */
function pairsIn({ comparisons }) {
  return comparisons.filter((c) => c.paired);
}

/** @param {Measured} a @param {Measured} b */
function isSameLoad(a, b) {
  return keyOf(a) === keyOf(b) && a.sideBySide === b.sideBySide;
}

/**
 * @param {Measured} a
 * @param {Measured} b
 * @param {Comparison[]} pairs
 * @returns {ChangedRow}
 */
function changedRow(a, b, pairs) {
  const { figures: _, failure: _failure, keys: _keys, sideBySide: _sideBySide, ...load } = b;
  const shell = { ...load, changes: {} };
  if (a.failure || b.failure) {
    const lost = !a.failure && b.failure ? b.failure : null;
    return { ...shell, refusal: [{ code: 'no_figure', key: String(b.failure ?? a.failure) }], lost };
  }
  const unlike = unlikeness(a.keys, b.keys);
  if (unlike.length > 0) return { ...shell, refusal: unlike, lost: null };
  const known = OF_LOADS.filter((metric) => a.figures[metric] || b.figures[metric]);
  const changes = Object.fromEntries(known.map((metric) => [metric, changeOf(metric, a, b, pairs)]));
  return { ...shell, changes, refusal: [], lost: null };
}

/**
 * @param {MetricName} metric
 * @param {Measured} a
 * @param {Measured} b
 * @param {Comparison[]} pairs
 * @returns {Comparison} b / a
 */
function changeOf(metric, a, b, pairs) {
  const [before, after] = [a.figures[metric], b.figures[metric]];
  const load = { workload: b.workload, transport: b.transport, step: b.step, operation: b.operation };
  const medians = { a: after?.median ?? null, b: before?.median ?? null };
  const head = { a: b.system, b: a.system, load, metric, medians };
  // CPU of an operation, of two that were loaded at the same moment: the one ratio that a busy machine leaves alone.
  const { workload, transport } = load;
  const own = pairs.filter((c) => c.cell === `${a.operation}.${a.step}`);
  const pair =
    metric === 'cpu' && a.sideBySide && a.system !== b.system
      ? between(comparisonsAt(own, { workload, transport }, 'efficiency'), b.system, a.system)
      : null;
  // Fewer operations per CPU-second are more CPU for each of them.
  if (pair) return { ...pair, ...head, paired: true, ratio: pair.ratio && inverse(pair.ratio) };
  const code = before && after ? 'no_trial' : 'no_figure';
  return compareFigures(after, before, head) ?? refused(head, [{ code }]);
}

/**
 * How the ratios of systems that were loaded at the same moment came out again.
 * @param {MeasuredRun} before
 * @param {MeasuredRun} after
 * @returns {Comparison[]} after / before, of the pairs and loads that both runs have
 */
export function ratioChangesBetween(before, after) {
  // What a container costs is in a ratio, too.
  if (before.plan.engine !== after.plan.engine) return [];
  const earlier = pairsIn(before);
  return pairsIn(after).flatMap((own) => {
    const [same] = earlier.filter(
      (c) => c.cell === own.cell && keyOf(c.load) === keyOf(own.load) && between([c], own.a, own.b),
    );
    if (!same) return [];
    const slots = [before, after].map((run) => slotOf(run, own));
    if (slots[0] === slots[1]) return [compareRatios(same, own)];
    return [refused({ ...own, medians: compareRatios(same, own).medians }, [{ code: 'loaded_otherwise' }])];
  });
}

/** @param {MeasuredRun} run @param {Comparison} comparison @returns {number | undefined} slots in which the two took turns */
function slotOf({ plan }, { cell, load }) {
  const own = pairedTrials(plan).find(
    (t) => t.workload === load?.workload && t.transport === load?.transport,
  );
  return own?.cells.find((c) => c.id === cell)?.slotMs;
}
