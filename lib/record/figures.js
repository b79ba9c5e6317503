import { groupBy } from '../group-by.js';
import { isBound as isClients } from '../judge/attribution.js';
import { FEWEST_OPERATIONS } from '../judge/method.js';
import { cellReasons, REASONS, shortReason, verdictOf } from '../judge/verdict.js';
import { median } from '../stats/summary.js';
import { figureOf, isBound, withoutBounds, withoutBusy } from './figure.js';

/**
 * @import { Attribution, BackgroundResult, CellRecord, CellRole, Latency, OperationResult, Reason, ReasonCode, ResourceUse, Shares, Step, VerdictStatus } from '../types.d.ts'
 * @import { Figure } from './figure.js'
 */

/** Stands in a row's operation for all of its workload's together. */
export const TOGETHER = 'all operations';

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
 * @property {string} operation '' when no repeat got as far as having any; {@link TOGETHER}
 * @property {boolean} received how often it happens is the others' doing: for what is received, not sent
 * @property {CellRecord['parity']} parity
 * @property {number} repeats measured or tried
 * @property {number} usable repeats that are not INVALID
 * @property {VerdictStatus | 'FAILED'} status
 * @property {readonly ReasonCode[]} codes of the reasons of all repeats, most frequent first
 * @property {readonly ReasonCode[]} ofCells those of them that concern whole cells
 * @property {readonly ReasonCode[]} why codes why its figures may not be ranked
 * @property {{who: Attribution, shares: Shares} | null} setBy who set the throughput in most repeats, with the medians
 *   of what was seen; null where a schedule did, or pauses
 * @property {boolean} rankable the one place where DEGRADED bars a ranking
 * @property {boolean} quotable rankable, or a bound and nothing worse
 * @property {string | null} failure why there is no figure
 * @property {Figure | null} ratePerSec
 * @property {Record<keyof Latency, Figure | null>} serviceMs a percentile is null where a repeat has too few operations
 * @property {Figure | null} responseP99Ms
 * @property {Figure | null} lagP99Ms
 * @property {Figure | null} targetPerSec
 * @property {Figure | null} referencePerSec
 * @property {Figure | null} durationMs of the operation's window
 * @property {Figure | null} completed operations of a repeat
 * @property {Figure | null} systemCpuUsPerOp
 * @property {Figure | null} generatorCpuUsPerOp
 * @property {Figure | null} generatorCpuRatio
 * @property {{done: number, failed: number, dropped: number}} counts of the repeats that are shown
 * @property {{ran: number, done: number, failed: number, kinds: [string, number][]}} tried the same of all repeats that ran,
 *   INVALID ones too; `kinds`: what the server called the failures, most frequent first
 * @property {Record<'system' | 'generator', Record<keyof ResourceUse, Figure | null>>} used during the step
 * @property {Figure | null} hostBusyRatio
 * @property {Background | null} background of steps that have something going on beside the load
 * @property {{perOp: Figure | null, timeRatio: Figure | null} | null} syncs only where they were counted
 * @property {Footprint | null} footprint of the step in which the size of the stored data was read
 */

/**
 * @typedef {object} Footprint
 * @property {string} counter the system's own
 * @property {string | null} compaction what was done
 * @property {string[]} problems
 * @property {Figure | null} rawBytes of the documents themselves
 * @property {Record<'ownBytes' | 'diskBytes', Figure | null>} before compaction
 * @property {Record<'ownBytes' | 'diskBytes', Figure | null>} after
 */

/**
 * @typedef {object} Background
 * @property {string} title
 * @property {number} targetPerSec
 * @property {Figure | null} achievedRatio
 * @property {Record<'p50' | 'p90' | 'p99' | 'max', Figure | null>} latencyMs
 * @property {Figure | null} mostLag
 * @property {Figure | null} drainMs
 */

/**
 * @param {CellRecord[]} records
 * @param {number} seed of every interval: the profile's
 * @returns {Row[]} one for each operation, in the order of the records
 */
export function rowsOf(records, seed) {
  return repeatsOf(records).flatMap((cells) => {
    const operations = Object.keys((cells.find((c) => c.status === 'ok') ?? cells[0]).operations);
    return (operations.length > 0 ? operations : ['']).map((operation) => rowOf(cells, operation, seed));
  });
}

/**
 * @param {CellRecord[]} records
 * @param {number} seed
 * @returns {Row[]} all operations of a step together, as far as they can be taken together
 */
export function wholesOf(records, seed) {
  return repeatsOf(records).map((cells) => rowOf(cells, TOGETHER, seed));
}

/**
 * @param {CellRecord[]} records
 * @returns {CellRecord[][]} groups of repeats
 */
export function repeatsOf(records) {
  return groupBy(records, (r) => [r.role, r.workload, r.transport, r.step.id, r.system].join('\n'));
}

/**
 * @param {CellRecord[]} cells repeats
 * @param {string} operation
 * @param {number} seed
 * @returns {Row}
 */
function rowOf(cells, operation, seed) {
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
    ...figuresOf(usable, operation, { why, seed }),
    ...countsOf(cells, usable, operation),
    ...stepFiguresOf(cells, operation, { why: withoutBounds(why), seed }),
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
 * @returns {Reason[]}
 */
function reasonsOf(cell, operation) {
  if (operation === TOGETHER) return cell.verdict.reasons;
  return [...cellReasons(cell), ...(cell.operations[operation]?.verdict.reasons ?? [])];
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
 * @param {CellRecord[]} usable
 * @param {string} operation
 * @returns {Row['setBy']}
 */
function setByOf(usable, operation) {
  const results = usable.flatMap((c) => c.operations[operation] ?? []);
  const known = results.flatMap(({ setBy, shares }) => (setBy ? [{ who: setBy, shares }] : []));
  if (known.length === 0) return null;
  const own = known.filter((k) => !isClients(k.who));
  const winners = own.length > known.length / 2 ? own : known.filter((k) => isClients(k.who));
  const times = (/** @type {Attribution} */ who) => winners.filter((w) => w.who === who).length;
  const [{ who }] = [...winners].sort((a, b) => times(b.who) - times(a.who));
  return { who, shares: mediansOf(winners.filter((w) => w.who === who).map((w) => w.shares)) };
}

/** @param {Shares[]} all @returns {Shares} */
function mediansOf(all) {
  const of = (/** @type {(s: Shares) => number | undefined} */ read) => {
    const values = all.flatMap((s) => read(s) ?? []);
    return values.length > 0 ? median(values) : null;
  };
  const within = (/** @type {'system' | 'loop'} */ who) => {
    const [least, most] = [of((s) => s[who]?.least), of((s) => s[who]?.most)];
    return least === null || most === null ? null : { least, most };
  };
  const [system, client] = [of((s) => s.cores?.system), of((s) => s.cores?.client)];
  return {
    system: within('system'),
    loop: within('loop'),
    ...(system === null || client === null ? {} : { cores: { system, client } }),
    ...diskSleepOf(all.flatMap((s) => s.diskSleep ?? [])),
  };
}

/**
 * @param {NonNullable<Shares['diskSleep']>[]} all
 * @returns {Pick<Shares, 'diskSleep'>} of all repeats together
 */
function diskSleepOf(all) {
  if (all.length === 0) return {};
  const sum = (/** @type {'looks' | 'seen'} */ what) => all.reduce((n, one) => n + one[what], 0);
  return { diskSleep: { looks: sum('looks'), seen: sum('seen') } };
}

/**
 * @param {CellRecord[]} cells none of them usable
 * @param {ReasonCode[]} codes
 * @returns {string} one line of plain words, which stands in tables
 */
function failureOf(cells, codes) {
  const [first] = cells;
  if (cells.every((c) => c.status !== 'ok')) return `${first.status}: ${first.reason}`;
  const grave = codes.filter((code) => REASONS[code].status === 'INVALID');
  return grave.map(shortReason).join(', ') || 'no figure';
}

/** @type {readonly (keyof Latency)[]} */
const LATENCIES = ['mean', 'sd', 'min', 'p50', 'p90', 'p95', 'p99', 'p999', 'max'];
/** @type {readonly (keyof ResourceUse)[]} */
const RESOURCES = [
  'cpuSec',
  'cpuCores',
  'rssPeakBytes',
  'rssSteadyBytes',
  'ioReadBytes',
  'ioWriteBytes',
  'threadsPeak',
  'processes',
  'netRxBytes',
  'netTxBytes',
  'throttledSec',
];

/**
 * What each figure is where the generator took part: a throughput is at least that, a latency at most, and what the
 * system itself used is not touched by it.
 * @param {CellRecord[]} usable
 * @param {string} operation
 * @param {import('./figure.js').Standing} standing
 */
function figuresOf(usable, operation, standing) {
  const own = { ...standing, why: withoutBounds(standing.why) };
  const of = (/** @type {(o: Together) => number | null | undefined} */ read) =>
    usable.map((c) => {
      const result = operation === TOGETHER ? togetherOf(c) : c.operations[operation];
      return /** @type {const} */ ([c.repeat, result && read(result)]);
    });
  const fewest = Math.min(...of((o) => o.count).map(([, count]) => count ?? 0));
  const latency = (/** @type {keyof Latency} */ key) =>
    fewest < (FEWEST_OPERATIONS[/** @type {keyof typeof FEWEST_OPERATIONS} */ (key)] ?? 0)
      ? null
      : figureOf(
          of((o) => o.serviceMs?.[key]),
          standing,
          'upper',
        );
  return {
    ratePerSec: figureOf(
      of((o) => o.ratePerSec),
      standing,
      'lower',
    ),
    serviceMs: byKey(LATENCIES, latency),
    responseP99Ms:
      fewest < FEWEST_OPERATIONS.p99
        ? null
        : figureOf(
            of((o) => o.responseMs?.p99),
            standing,
            'upper',
          ),
    lagP99Ms:
      fewest < FEWEST_OPERATIONS.p99
        ? null
        : figureOf(
            of((o) => o.lagMs?.p99),
            standing,
          ),
    targetPerSec: figureOf(
      of((o) => o.targetPerSec),
      standing,
    ),
    referencePerSec: figureOf(
      of((o) => o.referencePerSec),
      standing,
    ),
    durationMs: figureOf(
      of((o) => o.durationMs),
      standing,
    ),
    completed: figureOf(
      of((o) => o.count),
      own,
    ),
    systemCpuUsPerOp: figureOf(
      of((o) => o.systemCpuUsPerOp),
      own,
    ),
    generatorCpuUsPerOp: figureOf(
      of((o) => o.generatorCpuUsPerOp),
      own,
    ),
    generatorCpuRatio: figureOf(
      of((o) => o.generatorCpuRatio),
      own,
    ),
  };
}

/**
 * What belongs to a step and not to one of its operations: shown where any of them, or the row's own, may be.
 * @param {CellRecord[]} cells
 * @param {string} operation
 * @param {import('./figure.js').Standing} standing
 */
function stepFiguresOf(cells, operation, standing) {
  const isShown = (/** @type {CellRecord} */ cell) =>
    operation === TOGETHER
      ? Object.keys(cell.operations).some((op) => isUsable(cell, op))
      : isUsable(cell, operation);
  const shown = cells.filter(isShown);
  const ofBytes = { ...standing, why: withoutBusy(standing.why) };
  const used = (/** @type {'system' | 'generator'} */ who) =>
    byKey(RESOURCES, (key) =>
      figureOf(
        shown.map((c) => [c.repeat, c.resources[who]?.[key]]),
        key.endsWith('Bytes') ? ofBytes : standing,
      ),
    );
  return {
    used: { system: used('system'), generator: used('generator') },
    hostBusyRatio: figureOf(
      shown.map((c) => [c.repeat, c.resources.host?.busyRatio]),
      standing,
    ),
    background: backgroundOf(shown, standing),
    // A tracer slows a system down: how fast it was then is no figure, how often it synced is one.
    syncs: syncsOf(
      cells.filter((c) => c.status === 'ok'),
      operation,
      standing,
    ),
    footprint: footprintOf(cells, shown, ofBytes),
  };
}

/**
 * @template {string} K
 * @param {readonly K[]} keys
 * @param {(key: K) => Figure | null} of
 * @returns {Record<K, Figure | null>}
 */
function byKey(keys, of) {
  return /** @type {Record<K, Figure | null>} */ (Object.fromEntries(keys.map((key) => [key, of(key)])));
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
  };
}

/** @param {Pick<OperationResult, 'errors'>} result */
function failedOf({ errors }) {
  return Object.values(errors).reduce((sum, n) => sum + n, 0);
}

/**
 * @param {CellRecord[]} cells
 * @param {CellRecord[]} usable
 * @param {string} operation
 * @returns {Pick<Row, 'counts' | 'tried'>}
 */
function countsOf(cells, usable, operation) {
  const results = (/** @type {CellRecord[]} */ of) =>
    of.flatMap((c) =>
      operation === TOGETHER ? Object.values(c.operations) : (c.operations[operation] ?? []),
    );
  const sum = (/** @type {CellRecord[]} */ of, /** @type {(o: OperationResult) => number} */ read) =>
    results(of).reduce((n, o) => n + read(o), 0);
  return {
    counts: {
      done: sum(usable, (o) => o.count),
      failed: sum(usable, failedOf),
      dropped: sum(usable, (o) => o.dropped),
    },
    tried: {
      ran: cells.filter((c) => c.status === 'ok').length,
      done: sum(cells, (o) => o.count),
      failed: sum(cells, failedOf),
      kinds: kindsOf(results(cells)),
    },
  };
}

/**
 * @param {OperationResult[]} results
 * @returns {[string, number][]} how often the server gave each of its names to a failure, most frequent first
 */
function kindsOf(results) {
  /** @type {Record<string, number>} */
  const sums = {};
  for (const [kind, n] of results.flatMap((o) => Object.entries(o.errorKinds ?? {})))
    sums[kind] = (sums[kind] ?? 0) + n;
  return Object.entries(sums).sort(([a, n], [b, m]) => m - n || a.localeCompare(b));
}

/**
 * @param {CellRecord[]} usable
 * @param {import('./figure.js').Standing} standing
 * @returns {Background | null}
 */
function backgroundOf(usable, standing) {
  const first = usable.find((c) => c.background)?.background;
  if (!first) return null;
  const of = (/** @type {(b: BackgroundResult) => number | undefined} */ read) =>
    figureOf(
      usable.map((c) => [c.repeat, c.background && read(c.background)]),
      standing,
    );
  return {
    title: first.title,
    targetPerSec: first.targetPerSec,
    achievedRatio: of((b) => b.ratePerSec / b.targetPerSec),
    latencyMs: byKey(/** @type {const} */ (['p50', 'p90', 'p99', 'max']), (key) =>
      of((b) => b.latencyMs?.[key]),
    ),
    mostLag: of((b) => b.mostLag),
    drainMs: of((b) => b.drainMs),
  };
}

/**
 * @param {CellRecord[]} cells
 * @param {string} operation
 * @param {import('./figure.js').Standing} standing
 * @returns {Row['syncs']}
 */
function syncsOf(cells, operation, standing) {
  const counted = cells.filter((c) => c.syncs && c.operations[operation]);
  if (counted.length === 0) return null;
  const of = (/** @type {(syncs: NonNullable<CellRecord['syncs']>, o: OperationResult) => number} */ read) =>
    figureOf(
      counted.map((c) => [c.repeat, c.syncs && read(c.syncs, c.operations[operation])]),
      standing,
    );
  return {
    perOp: of(({ calls }, o) => Object.values(calls).reduce((sum, n) => sum + n, 0) / o.count),
    timeRatio: of(({ ms }, o) => ms / o.durationMs),
  };
}

/**
 * @param {CellRecord[]} cells
 * @param {CellRecord[]} shown
 * @param {import('./figure.js').Standing} standing
 * @returns {Footprint | null}
 */
function footprintOf(cells, shown, standing) {
  const prints = cells.flatMap((c) => c.footprint ?? []);
  if (prints.length === 0) return null;
  const of = (/** @type {(f: NonNullable<CellRecord['footprint']>) => number | null | undefined} */ read) =>
    figureOf(
      shown.map((c) => [c.repeat, c.footprint && read(c.footprint)]),
      standing,
    );
  return {
    counter: prints[0].counter,
    compaction: prints.find((f) => f.compaction)?.compaction ?? null,
    problems: [...new Set(prints.flatMap((f) => f.problem ?? []))],
    rawBytes: of((f) => f.rawBytes),
    before: { ownBytes: of((f) => f.before.ownBytes), diskBytes: of((f) => f.before.diskBytes) },
    after: { ownBytes: of((f) => f.after?.ownBytes), diskBytes: of((f) => f.after?.diskBytes) },
  };
}
