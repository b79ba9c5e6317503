import { windowGroups } from '../../k6/schedule/facts.js';
import { MIN_REPEATS } from '../judge/method.js';
import { differencesOf, unlikeLists } from './comparisons.js';
import { rowsOf, wholesOf } from './figures.js';
import { reasonText } from './lead.js';
import { ratioFrom, ratioOf } from './ratio.js';
import { readPlan, readRecords } from './run-folder.js';
import { scriptRowsOf } from './script-rows.js';
import { aloneRow, readSideBySide } from './side-by-side.js';
import { readStarts } from './starts.js';

/**
 * @import { CellRecord, Plan, SideBySideGroup, StartRecord } from '../types.d.ts'
 * @import { Figure } from './figure.js'
 * @import { Row } from './figures.js'
 * @import { Ratio } from './ratio.js'
 */

/**
 * What is compared of two runs, and which way is better.
 * @type {Readonly<Record<string, {title: string, unit: string, moreIsBetter: boolean}>>}
 */
export const METRICS = Object.freeze({
  throughput: { title: 'throughput', unit: 'op/s', moreIsBetter: true },
  p50: { title: 'p50', unit: 'ms', moreIsBetter: false },
  p95: { title: 'p95', unit: 'ms', moreIsBetter: false },
  p99: { title: 'p99', unit: 'ms', moreIsBetter: false },
  cpu: { title: 'CPU per operation', unit: 'µs', moreIsBetter: false },
  memory: { title: 'peak memory', unit: 'bytes', moreIsBetter: false },
});

/**
 * One load on one system, from repeats or from starts.
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
 * @typedef {object} Change of one metric
 * @property {string} metric
 * @property {number | null} before median
 * @property {number | null} after
 * @property {number} n the fewer repeats or starts of the two
 * @property {Ratio | null} ratio after / before
 * @property {'better' | 'worse' | 'tie' | 'open' | 'too few repeats' | 'not compared'} word
 * @property {string | null} why of `not compared` and `too few repeats`, in plain words
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
 * @property {Record<string, Change>} changes by metric; empty where the row as a whole may not be compared
 * @property {string | null} refusal why
 * @property {string | null} lost the later run has no figure where the earlier one has: why
 */

/**
 * @param {string} data folder of a run's data
 * @returns {{plan: Plan, measured: Measured[], scriptRows: import('./script-rows.js').ScriptRow[], starts: {group: SideBySideGroup, records: StartRecord[], engine: string}[]}}
 */
export function measuredIn(data) {
  const plan = readPlan(data);
  const records = readRecords(data, plan).filter((r) => r.role === 'system');
  const all = readStarts(data, plan);
  const groups = plan.sideBySide?.groups ?? [];
  const starts = groups.map((group, i) => ({
    group,
    records: all.filter((s) => s.group === i),
    engine: plan.engine,
  }));
  return {
    ...{ plan, starts, measured: [...ofRepeats(records, plan), ...ofStarts(data, plan)] },
    scriptRows: scriptRowsOf(records),
  };
}

/**
 * @param {CellRecord[]} records
 * @param {Plan} plan
 * @returns {Measured[]}
 */
function ofRepeats(records, plan) {
  const wholes = wholesOf(records);
  const seen = new Set();
  return rowsOf(records)
    .filter((row) => !row.received && row.operation !== '')
    .flatMap((row) => {
      if (!sharesOneWindow(plan, row)) return [measuredRow(row, row.operation)];
      const key = [row.workload, row.transport, row.system, row.step.id].join('\n');
      if (seen.has(key)) return [];
      seen.add(key);
      const whole = wholes.find(
        (w) => key === [w.workload, w.transport, w.system, w.step.id].join('\n') && w.role === row.role,
      );
      return [measuredRow(whole ?? row, 'all')];
    });
}

/** @param {Plan} plan @param {Row} row @returns {boolean} whether its step has one window for several operations */
function sharesOneWindow(plan, row) {
  const facts = plan.workloads.find((w) => w.id === row.workload);
  if (!facts) return false;
  const groups = windowGroups(facts, row.step);
  return groups.length === 1 && groups[0].operations.length > 1;
}

/** @param {Row} row @param {string} operation @returns {Measured} */
function measuredRow(row, operation) {
  const { step } = row;
  const doubtful = !row.rankable && !row.quotable;
  return {
    workload: row.workload,
    transport: row.transport,
    system: row.system,
    step: step.id,
    operation,
    connections: step.vus,
    depth: step.depth ?? 1,
    failure: row.failure ?? (doubtful ? reasonText(row.why) : null),
    sideBySide: false,
    keys: {
      parity: row.parity,
      step,
      targetPerSec: row.targetPerSec,
      listed: row.listed,
      ratePerSec: row.ratePerSec,
    },
    figures: {
      throughput: row.ratePerSec,
      p50: row.serviceMs.p50,
      p95: row.serviceMs.p95,
      p99: row.serviceMs.p99,
      cpu: row.systemCpuUsPerOp,
      memory: row.used.system.rssPeakBytes,
    },
  };
}

/**
 * @param {string} data
 * @param {Plan} plan
 * @returns {Measured[]}
 */
function ofStarts(data, plan) {
  return readSideBySide(data, plan).flatMap((summary) =>
    summary.group.cells.flatMap((cell) =>
      summary.group.systems.flatMap((system) => {
        const row = aloneRow(summary, cell, system);
        return row ? [{ ...measuredRow(row, cell.operation), sideBySide: true }] : [];
      }),
    ),
  );
}

/**
 * @typedef {object} Side
 * @property {ReturnType<typeof measuredIn>} run
 * @property {string | null} system the one that is meant; null: each with itself
 */

/**
 * The later one against the earlier one, load by load. Two systems of one run are compared in pairs, of one repeat or
 * start; two runs cannot be.
 * @param {Side} before
 * @param {Side} after
 * @returns {ChangedRow[]} of the loads that both have
 */
export function changesBetween(before, after) {
  const paired = before.run === after.run;
  return after.run.measured
    .filter((b) => after.system === null || b.system === after.system)
    .flatMap((b) => {
      const a = before.run.measured.find((m) => isSameLoad(m, b) && m.system === (before.system ?? b.system));
      return a ? [changedRow(a, b, { paired, starts: paired ? after.run.starts : [] })] : [];
    });
}

/** @param {Measured} a @param {Measured} b */
function isSameLoad(a, b) {
  return (
    a.workload === b.workload &&
    a.transport === b.transport &&
    a.step === b.step &&
    a.operation === b.operation &&
    a.sideBySide === b.sideBySide
  );
}

/**
 * @param {Measured} a
 * @param {Measured} b
 * @param {{paired: boolean, starts: ReturnType<typeof measuredIn>['starts']}} how
 * @returns {ChangedRow}
 */
function changedRow(a, b, { paired, starts }) {
  const { workload, transport, system, step, operation, connections, depth } = b;
  const shell = { workload, transport, system, step, operation, connections, depth };
  if (a.failure || b.failure) {
    const lost = !a.failure && b.failure ? b.failure : null;
    return { ...shell, changes: {}, refusal: String(b.failure ?? a.failure), lost };
  }
  const unlike = unlikeness(a, b);
  if (unlike) return { ...shell, changes: {}, refusal: unlike, lost: null };
  const ratioBetween = (/** @type {string} */ metric) => {
    if (metric === 'cpu' && paired && a.sideBySide && a.system !== b.system) return cpuOfStarts(a, b, starts);
    return ratioOf(b.figures[metric], a.figures[metric]);
  };
  const changes = Object.fromEntries(
    Object.keys(METRICS).map((metric) => [metric, changeOf(metric, a, b, ratioBetween(metric))]),
  );
  return { ...shell, changes, refusal: null, lost: null };
}

/** @param {Measured} a @param {Measured} b @returns {string | null} */
function unlikeness(a, b) {
  const differing = [...differencesOf(a.keys, b.keys), ...unlikeLists(a.keys, b.keys)];
  return differing.length > 0 ? `unlike: ${differing.join(', ')}` : null;
}

/**
 * CPU of an operation, of two systems that were loaded at the same moment: the one ratio that a busy machine leaves alone.
 * @param {Measured} a
 * @param {Measured} b
 * @param {ReturnType<typeof measuredIn>['starts']} starts
 * @returns {Ratio | null} b / a
 */
function cpuOfStarts(a, b, starts) {
  const own = starts.find((s) => s.group.workload === a.workload && s.group.transport === a.transport);
  const cell = `${a.operation}.${a.step}`;
  const differences = (own?.records ?? [])
    .filter((s) => s.status === 'ok')
    .flatMap((s) => s.pairs)
    .flatMap((p) => {
      if (p.cell !== cell || p.logRatio === null) return [];
      // Fewer operations per CPU-second are more CPU for each of them.
      if (p.a === a.system && p.b === b.system) return [p.logRatio];
      return p.a === b.system && p.b === a.system ? [-p.logRatio] : [];
    });
  return ratioFrom(differences);
}

/**
 * @param {string} metric
 * @param {Measured} a
 * @param {Measured} b
 * @param {Ratio | null} ratio
 * @returns {Change}
 */
function changeOf(metric, a, b, ratio) {
  const [before, after] = [a.figures[metric], b.figures[metric]];
  const { word, why } = wordOf(metric, ratio);
  return {
    metric,
    before: before?.median ?? null,
    after: after?.median ?? null,
    n: ratio?.pairs ?? Math.min(before?.n ?? 0, after?.n ?? 0),
    ratio,
    word,
    why,
  };
}

/**
 * @param {string} metric
 * @param {Ratio | null} ratio
 * @returns {{word: Change['word'], why: string | null}}
 */
function wordOf(metric, ratio) {
  if (!ratio) return { word: 'not compared', why: 'no figure in both' };
  if (!ratio.rankable) return { word: 'not compared', why: reasonText(ratio.why) };
  if (ratio.pairs < MIN_REPEATS) return { word: 'too few repeats', why: `${ratio.pairs} of ${MIN_REPEATS}` };
  if (ratio.outcome === 'tie') return { word: 'tie', why: null };
  if (ratio.outcome !== 'winner') return { word: 'open', why: null };
  return { word: (ratio.better === 'a') === METRICS[metric].moreIsBetter ? 'better' : 'worse', why: null };
}
