import { groupBy } from '../group-by.js';
import { isBound as isClients } from '../judge/attribution.js';
import { FEWEST_OPERATIONS, RULES } from '../judge/method.js';
import { failedOf, sumsOf } from '../judge/schedule.js';
import { cellReasons, shortReason, verdictOf } from '../judge/verdict.js';
import { byKey, figureOver, isBound, withoutBounds } from './figure.js';
import { setByOf } from './set-by.js';
import { stepFiguresOf } from './step-figures.js';

/**
 * @import { CellRecord, CellRole, Latency, OperationResult, Reason, ReasonCode, ResourceUse, Step, VerdictStatus, WorkloadFacts } from '../types.d.ts'
 * @import { Figure } from './figure.js'
 * @import { Background, Footprint } from './step-figures.js'
 */

/** Stands in a row's operation for all of its workload's together. */
export const TOGETHER = 'all operations';

/** @param {string} operation as files have it: `all` of one system, `mix` of several @returns {string} as a reader is told */
export function operationText(operation) {
  return ['all', 'mix'].includes(operation) ? TOGETHER : operation;
}

/**
 * One system on one operation of one step, all repeats together: its figures, and whether they may be shown, are a
 * bound, and may be ranked. INVALID repeats are in none of them.
 * @typedef {object} Row
 * @property {CellRole} role
 * @property {string} workload
 * @property {string} transport
 * @property {string} system
 * @property {string} title
 * @property {boolean} external whether the system was given by its address
 * @property {Step} step
 * @property {number | null} paired place of its trial among those of several systems; null: nobody else was up
 * @property {string} operation '' when no repeat got as far as having any; {@link TOGETHER}
 * @property {boolean} received how often it happens is the others' doing: for what is received, not sent
 * @property {CellRecord['parity']} parity
 * @property {number} repeats measured or tried
 * @property {number} usable repeats that are not INVALID
 * @property {VerdictStatus | 'FAILED'} status
 * @property {readonly ReasonCode[]} codes of the reasons of all repeats, most frequent first
 * @property {readonly ReasonCode[]} ofCells those of them that concern whole cells
 * @property {readonly ReasonCode[]} why codes why its figures may not be ranked
 * @property {ReturnType<typeof setByOf>} setBy who set the throughput
 * @property {boolean} rankable the one place where DEGRADED bars a ranking
 * @property {boolean} quotable rankable, or a bound and nothing worse
 * @property {string | null} failure why there is no figure
 * @property {Figure | null} ratePerSec
 * @property {Record<keyof Latency, Figure | null>} serviceMs a percentile is null where a repeat has too few operations
 * @property {Figure | null} responseP99Ms
 * @property {Figure | null} lagP99Ms
 * @property {Figure | null} targetPerSec
 * @property {Figure | null} listed what was stored before the load that its answers list whole
 * @property {Figure | null} hitPercent of reads that found something; null unless another operation fills what they miss
 * @property {Figure | null} durationMs of the operation's window
 * @property {Figure | null} completed operations of a repeat
 * @property {Figure | null} systemCpuUsPerOp
 * @property {Figure | null} generatorCpuUsPerOp
 * @property {Figure | null} generatorCpuRatio
 * @property {{done: number, failed: number}} counts of the repeats that are shown
 * @property {{ran: number, done: number, failed: number, dropped: number, kinds: [string, number][]}} tried the same of all repeats that ran,
 *   INVALID ones too; `kinds`: what the server called the failures, and time-outs of ours, most frequent first
 * @property {Record<'system' | 'generator', Record<keyof ResourceUse, Figure | null>>} used during the step
 * @property {Figure | null} hostBusyRatio
 * @property {Background | null} background of steps that have something going on beside the load
 * @property {{perOp: Figure | null, timeRatio: Figure | null} | null} syncs only where they were counted
 * @property {Footprint | null} footprint of the step in which the size of the stored data was read
 */

/**
 * @param {Pick<Row, 'tried'>} row
 * @returns {number} failed share of all operations, those of INVALID repeats too: errors stand beside every figure
 */
export function errorRatio({ tried: { done, failed } }) {
  return failed / Math.max(1, failed + done);
}

/**
 * @param {CellRecord[]} records
 * @param {readonly WorkloadFacts[]} [workloads] of the plan
 * @returns {Row[]} one for each operation, in the order of the records; without CPU where others had the same window
 */
export function rowsOf(records, workloads = []) {
  return repeatsOf(records).flatMap((cells) => {
    const operations = Object.keys((cells.find((c) => c.status === 'ok') ?? cells[0]).operations);
    const facts = workloads.find(({ id }) => id === cells[0].workload);
    const isShared = (/** @type {string} */ op) =>
      facts?.windows?.[facts.operations[op]?.window ?? '']?.order === 'together';
    return (operations.length > 0 ? operations : ['']).map((operation) => ({
      ...rowOf(cells, operation),
      // Nobody knows whose of them the CPU of a window was.
      ...(isShared(operation) ? { systemCpuUsPerOp: null, generatorCpuUsPerOp: null } : {}),
    }));
  });
}

/**
 * @param {CellRecord[]} records
 * @returns {Row[]} all operations of a step together, as far as they can be taken together
 */
export function wholesOf(records) {
  // Beside others who are up, each load has a window of its own: only a mix is one load of several operations there.
  const whole = records.filter((r) => r.paired === undefined || r.wholeMs);
  return repeatsOf(whole).map((cells) => rowOf(cells, TOGETHER));
}

/**
 * @param {CellRecord[]} records
 * @returns {CellRecord[][]} groups of repeats
 */
export function repeatsOf(records) {
  return groupBy(records, (r) => [r.role, r.workload, r.transport, r.step.id, r.system, r.paired].join('\n'));
}

/**
 * @param {CellRecord[]} cells repeats
 * @param {string} operation
 * @returns {Row}
 */
function rowOf(cells, operation) {
  const [first] = cells;
  const usable = cells.filter((c) => isUsable(c, operation));
  const all = codesOf(cells, operation);
  const setBy = setByOf(usable, operation);
  const ofUsable = codesOf(usable, operation);
  // A figure that the system set in most repeats is its own, and one of which the client set half is none.
  const why = setBy === null || isClients(setBy.who) ? ofUsable : withoutBounds(ofUsable);
  const isRankable = why.length === 0;
  return {
    role: first.role,
    workload: first.workload,
    transport: first.transport,
    system: first.system,
    title: first.title,
    external: cells.every((c) => c.engine === 'external'),
    step: first.step,
    paired: first.paired ?? null,
    operation,
    received: cells.some((c) => c.operations[operation]?.received === true),
    parity: parityOf(cells, usable),
    repeats: cells.length,
    usable: usable.length,
    status: statusOfRow(cells, usable, isRankable),
    codes: all,
    ofCells: [...new Set(cells.flatMap((c) => cellReasons(c).map((r) => r.code)))],
    why,
    setBy,
    rankable: usable.length > 0 && isRankable,
    quotable: usable.length > 0 && why.every(isBound),
    failure: usable.length > 0 ? null : failureOf(cells, all),
    ...figuresOf(usable, operation, why),
    hitPercent: hitsOf(usable, operation, withoutBounds(why)),
    listed: figureOver(usable, (c) => c.listed, withoutBounds(why)),
    ...countsOf(cells, usable, operation),
    ...stepFiguresOf(
      cells,
      cells.filter((c) => isShown(c, operation)),
      operation,
      withoutBounds(why),
    ),
  };
}

/**
 * @param {CellRecord[]} cells
 * @param {CellRecord[]} [usable]
 * @returns {CellRecord['parity']} conditions of what ran; empty where nothing did
 */
export function parityOf(cells, usable = []) {
  const ran = [...usable, ...cells].find((c) => Object.keys(c.parity ?? {}).length > 0);
  return ran?.parity ?? {};
}

/**
 * One doubtful repeat makes the row doubtful: to keep only the repeats under a limit would choose the slow ones.
 * @param {CellRecord[]} cells
 * @param {CellRecord[]} usable
 * @param {boolean} isRankable
 * @returns {Row['status']}
 */
function statusOfRow(cells, usable, isRankable) {
  if (usable.length > 0) return isRankable ? 'VALID' : 'DEGRADED';
  return cells.every((c) => c.status !== 'ok') ? 'FAILED' : 'INVALID';
}

/**
 * @param {CellRecord} cell
 * @param {string} operation
 */
function isUsable(cell, operation) {
  if (operation === TOGETHER) return cell.status === 'ok' && cell.verdict.status !== 'INVALID';
  return verdictOf(cell, operation) !== 'INVALID';
}

/**
 * @param {CellRecord} cell
 * @param {string} operation
 * @returns {boolean} whether its step may be shown: the operation may be, or any where all are meant
 */
export function isShown(cell, operation) {
  return operation === TOGETHER
    ? Object.keys(cell.operations).some((op) => isUsable(cell, op))
    : isUsable(cell, operation);
}

/**
 * @param {CellRecord} cell
 * @param {string} operation
 * @returns {Reason[]}
 */
function reasonsOf(cell, operation) {
  return [...cellReasons(cell), ...resultsOf(cell, operation).flatMap((o) => o.verdict.reasons)];
}

/** @param {CellRecord} cell @param {string} operation @returns {OperationResult[]} none where it did not get so far */
function resultsOf({ operations }, operation) {
  const own = operation === TOGETHER ? Object.values(operations) : [operations[operation]];
  return own.filter(Boolean);
}

/**
 * @param {CellRecord[]} cells
 * @param {string} operation
 * @returns {ReasonCode[]} most frequent first
 */
function codesOf(cells, operation) {
  const codes = cells.flatMap((c) => reasonsOf(c, operation).map((r) => r.code));
  const times = (/** @type {string} */ code) => codes.filter((c) => c === code).length;
  return [...new Set(codes)].sort((a, b) => times(b) - times(a) || a.localeCompare(b));
}

/**
 * @param {CellRecord[]} cells none of them usable
 * @param {ReasonCode[]} codes
 * @returns {string} one line of plain words, which stands in tables
 */
function failureOf(cells, codes) {
  const [first] = cells;
  if (cells.every((c) => c.status !== 'ok')) return `${first.status}: ${first.reason}`;
  // What failed is why too little was completed.
  const grave = codes.filter((code) => code === 'errors' || RULES[code].status === 'INVALID');
  return grave.map(shortReason).join(', ') || 'no figure';
}

/** @type {readonly (keyof Latency)[]} */
const LATENCIES = ['mean', 'sd', 'min', 'p50', 'p90', 'p95', 'p99', 'p999', 'max'];

/**
 * What each figure is where the generator took part: a throughput is at least that, a latency at most, and what the
 * system itself used is not touched by it.
 * @param {CellRecord[]} usable
 * @param {string} operation
 * @param {readonly ReasonCode[]} why
 */
function figuresOf(usable, operation, why) {
  const results = usable.flatMap((c) => {
    const result = operation === TOGETHER ? togetherOf(c) : c.operations[operation];
    return result ? [{ repeat: c.repeat, ...result }] : [];
  });
  const fewest = Math.min(...results.map((o) => o.count));
  const has = (/** @type {string} */ key) =>
    fewest >= (FEWEST_OPERATIONS[/** @type {keyof typeof FEWEST_OPERATIONS} */ (key)] ?? 0);
  const of = (/** @type {(o: Together) => number | null | undefined} */ read) =>
    figureOver(results, read, why);
  const own = (/** @type {(o: Together) => number | null | undefined} */ read) =>
    figureOver(results, read, withoutBounds(why));
  return {
    ratePerSec: figureOver(results, (o) => o.ratePerSec, why, 'lower'),
    serviceMs: byKey(LATENCIES, (key) =>
      has(key) ? figureOver(results, (o) => o.serviceMs?.[key], why, 'upper') : null,
    ),
    responseP99Ms: has('p99') ? figureOver(results, (o) => o.responseMs?.p99, why, 'upper') : null,
    lagP99Ms: has('p99') ? of((o) => o.lagMs?.p99) : null,
    targetPerSec: of((o) => o.targetPerSec),
    durationMs: of((o) => o.durationMs),
    completed: own((o) => o.count),
    systemCpuUsPerOp: own((o) => o.systemCpuUsPerOp),
    generatorCpuUsPerOp: own((o) => o.generatorCpuUsPerOp),
    generatorCpuRatio: own((o) => o.generatorCpuRatio),
  };
}

/**
 * Each read that finds nothing is followed by a write: what both count tells how many those are.
 * @param {CellRecord[]} cells
 * @param {string} operation a read, or all together
 * @param {ReasonCode[]} why
 * @returns {Row['hitPercent']}
 */
function hitsOf(cells, operation, why) {
  const hits = cells.flatMap(({ repeat, operations }) => {
    const reads = Object.entries(operations).filter(([, o]) => o.filledBy);
    const [[, { filledBy = '' }] = ['', {}]] = reads;
    const filler = operations[filledBy];
    const all = reads.reduce((n, [, o]) => n + o.count, 0);
    if (!filler || all === 0 || ![TOGETHER, ...reads.map(([op]) => op)].includes(operation)) return [];
    return [{ repeat, percent: 100 - (100 * (filler.count + failedOf(filler))) / all }];
  });
  return figureOver(hits, ({ percent }) => percent, why);
}

/**
 * What all operations of a cell have in common with one.
 * @typedef {Partial<OperationResult> & Pick<OperationResult, 'count' | 'ratePerSec' | 'errors'>} Together
 * @param {CellRecord} cell
 * @returns {Together}
 */
function togetherOf(cell) {
  const parts = Object.values(cell.operations);
  const sum = (/** @type {(o: OperationResult) => number} */ read) => parts.reduce((n, o) => n + read(o), 0);
  return {
    count: sum((o) => o.count),
    ratePerSec: sum((o) => o.ratePerSec),
    errors: { all: sum(failedOf) },
    serviceMs: cell.wholeMs,
    // The CPU of a mix is that of all its operations.
    ...(parts[0] && parts.every((o) => o.share !== undefined)
      ? { systemCpuUsPerOp: parts[0].systemCpuUsPerOp, generatorCpuUsPerOp: parts[0].generatorCpuUsPerOp }
      : {}),
  };
}

/**
 * @param {CellRecord[]} cells
 * @param {CellRecord[]} usable
 * @param {string} operation
 * @returns {Pick<Row, 'counts' | 'tried'>}
 */
function countsOf(cells, usable, operation) {
  const results = (/** @type {CellRecord[]} */ of) => of.flatMap((c) => resultsOf(c, operation));
  const sum = (/** @type {CellRecord[]} */ of, /** @type {(o: OperationResult) => number} */ read) =>
    results(of).reduce((n, o) => n + read(o), 0);
  return {
    counts: {
      done: sum(usable, (o) => o.count),
      failed: sum(usable, failedOf),
    },
    tried: {
      ran: cells.filter((c) => c.status === 'ok').length,
      done: sum(cells, (o) => o.count),
      failed: sum(cells, failedOf),
      dropped: sum(cells, (o) => o.dropped),
      kinds: kindsOf(results(cells)),
    },
  };
}

/** What a failure is called that is the load generator's. */
const TIMED_OUT = 'time-out of the load generator';

/**
 * @param {OperationResult[]} results
 * @returns {[string, number][]} how often the server gave each of its names to a failure, most frequent first
 */
function kindsOf(results) {
  const sums = sumsOf(results.map((o) => o.errorKinds ?? {}));
  // The server gave it no name: it is ours.
  const unanswered = results.reduce((n, o) => n + (o.errors.timeout ?? 0), 0);
  if (unanswered > 0) sums[TIMED_OUT] = unanswered;
  return Object.entries(sums).sort(([a, n], [b, m]) => m - n || a.localeCompare(b));
}
