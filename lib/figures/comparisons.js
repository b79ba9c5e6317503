import { groupBy } from '../group-by.js';
import { isPresumed, keyDifferences } from '../judge/comparable.js';
import { belowFloor } from '../judge/floor.js';
import { ACROSS_CONDITIONS } from '../judge/method.js';
import { compareFigures, refused, winnerOf } from './compare.js';
import { METRICS } from './metrics.js';

/**
 * @import { ComparedLoad, Comparison, MetricName, Why } from '../types.d.ts'
 * @import { Head } from './compare.js'
 * @import { Figure } from './figure.js'
 * @import { Row } from './rows.js'
 * @import { SideBySideSummary } from './side-by-side.js'
 */

/**
 * One system's figure of one metric. `row`: where it was measured, for the conditions that must be alike.
 * @typedef {{system: string, figure: Figure | null, row?: Row | null}} Side
 */

/**
 * Two systems across trials: what both suffered in a trial cancels out.
 * @param {Side} a
 * @param {Side} b
 * @param {MetricName} metric
 * @param {{load?: ComparedLoad | null, atRate?: {reference: Row | null}}} [of] `atRate`: of latencies at one rate, the null
 *   responder at that rate; null where it was not measured
 * @returns {Comparison}
 */
export function compareSides(a, b, metric, { load = null, atRate } = {}) {
  const kind = a.row && b.row && isOneProduct(a.row, b.row) ? 'price' : 'rivals';
  const medians = { a: a.figure?.median ?? null, b: b.figure?.median ?? null };
  const head = /** @type {Head} */ ({ a: a.system, b: b.system, metric, kind, load, medians });
  const unlike = a.row && b.row ? unlikeness(a.row, b.row) : [];
  // Another promise is what the price of a setting is asked about.
  const isAsked = kind === 'price' && unlike.every(({ key }) => key === 'durability');
  if (unlike.length > 0 && !isAsked) return refused(head, unlike);
  const floor = atRate ? belowFloor(atRateOf(a, b, atRate.reference)) : null;
  if (floor) return refused(head, [floor]);
  if (!a.figure || !b.figure) return refused(head, failuresOf([a, b]));
  const found = compareFigures(a.figure, b.figure, head) ?? refused(head, [{ code: 'no_trial' }]);
  return { ...found, why: [...found.why, ...unlike] };
}

/** @param {Side[]} sides @returns {Why[]} why one of them has no figure */
function failuresOf(sides) {
  const codes = sides.flatMap(({ figure, row }) => (figure ? [] : (row?.codes ?? [])));
  return codes.length > 0 ? [...new Set(codes)].map((code) => ({ code })) : [{ code: 'no_trial' }];
}

/**
 * @param {Row[]} rows of single operations, and of all of a step together
 * @param {Row[]} [beside] of what was measured beside the systems: the null responder at a rate
 * @returns {Comparison[]} of every two systems on every load, by every metric that its rows have
 */
export function comparisonsOf(rows, beside = []) {
  const loads = rows.filter((r) => r.operation !== '' && !r.received);
  return groupBy(loads, (r) => keyOf(loadOf(r))).flatMap((own) => {
    const load = loadOf(own[0]);
    const reference =
      beside.find((r) => r.role === 'calibration' && keyOf(loadOf(r)) === keyOf(load)) ?? null;
    const metrics = /** @type {MetricName[]} */ (Object.keys(METRICS)).filter((name) => METRICS[name].of);
    return own.flatMap((a, i) =>
      own.slice(i + 1).flatMap((b) =>
        metrics.flatMap((metric) => {
          const [x, y] = [a, b].map((row) => ({
            ...{ system: row.system, row },
            figure: row.usable > 0 ? (METRICS[metric].of?.(row) ?? null) : null,
          }));
          if (!x.figure && !y.figure && metric !== 'throughput') return [];
          return [
            compareSides(x, y, metric, { load, ...(metric === 'response' ? { atRate: { reference } } : {}) }),
          ];
        }),
      ),
    );
  });
}

/** @param {Pick<Row, 'workload' | 'transport' | 'step' | 'operation'>} row @returns {ComparedLoad} */
export function loadOf({ workload, transport, step, operation }) {
  return { workload, transport, step: step.id, operation };
}

/** @param {Readonly<ComparedLoad> | null} load and what else there is of it @returns {string} by which the same load is known */
export function keyOf(load) {
  return load ? [load.workload, load.transport, load.step, load.operation].join('\n') : '';
}

/**
 * @param {Comparison[]} comparisons
 * @param {Partial<ComparedLoad>} load what is known of it
 * @param {MetricName} metric
 * @returns {Comparison[]} of that load by that metric
 */
export function comparisonsAt(comparisons, load, metric) {
  const known = /** @type {[keyof ComparedLoad, string][]} */ (Object.entries(load));
  return comparisons.filter((c) => c.metric === metric && known.every(([key, v]) => c.load?.[key] === v));
}

/**
 * All comparisons of a run: what two did at the same moment, and what each did across trials. Where a load has the former, the
 * latter do not answer by the same metric again.
 * @param {{rows: Row[], wholes: Row[], beside: Row[], sideBySide: Pick<SideBySideSummary, 'comparisons' | 'trust'>[]}} run
 * @returns {Comparison[]}
 */
export function comparisonsIn({ rows, wholes, beside, sideBySide }) {
  const alone = [...rows, ...wholes];
  const across = (/** @type {number | null} */ trial) => alone.filter((r) => r.paired === trial);
  const all = [
    ...sideBySide.flatMap((s, i) => [...s.comparisons, ...asTrusted(comparisonsOf(across(i)), s.trust)]),
    ...comparisonsOf(across(null), beside),
  ];
  const idOf = (/** @type {Comparison} */ { a, b, load }) => `${keyOf(load)}\n${[a, b].sort().join('\n')}`;
  const paired = new Set(all.filter((c) => c.paired).map(idOf));
  return all.filter((c) => c.metric !== 'cpu' || !paired.has(idOf(c)));
}

/**
 * Of a run that cannot be trusted nobody is named; a trend, a tie and what is inconclusive name nobody anyway.
 * @param {Comparison[]} comparisons
 * @param {SideBySideSummary['trust']} trust
 * @returns {Comparison[]}
 */
export function asTrusted(comparisons, trust) {
  if (trust === 'held') return comparisons;
  const why = [{ code: `noise_${trust}` }];
  return comparisons.map((c) =>
    winnerOf(c) ? { ...c, why, outcome: 'not comparable' } : { ...c, why: [...c.why, ...why] },
  );
}

/**
 * What must be alike of two rows. The rate of a step that takes a share of a maximum is measured anew in each repeat and
 * run: shares alike of maxima that are as good as alike are one load.
 * @typedef {Pick<Row, 'parity' | 'step' | 'targetPerSec'> & Partial<Pick<Row, 'listed' | 'ratePerSec' | 'status'>>} Conditions
 * @param {Conditions} a
 * @param {Conditions} b
 * @returns {Why[]} one for each that differs; empty means comparable
 */
export function unlikeness(a, b) {
  // What never ran says nothing of its conditions.
  if (a.status === 'FAILED' || b.status === 'FAILED') return [];
  const isShare = a.step.fractionOfKnee !== undefined && a.step.fractionOfKnee === b.step.fractionOfKnee;
  const alike = isShare && apartOf(a.targetPerSec, b.targetPerSec) <= 1 + ACROSS_CONDITIONS;
  const theirs = alike ? { ...b.parity, targetPerSec: a.parity.targetPerSec } : b.parity;
  const keys = keyDifferences(a.parity, theirs);
  // A server that was not started for the load has what earlier ones left, and lists that whole.
  return keys.length > 0 || !mayExplain(a, b)
    ? keys
    : [{ code: 'listed', a: a.listed?.median, b: b.listed?.median }];
}

/** A quarter more to list is less than a tenth more work, where a third of the operations lists all. */
const LISTED = 1.25;
/** So many times further apart than their lists, two systems differ by more than these. */
const BEYOND = 2;

/**
 * @param {Conditions} a
 * @param {Conditions} b
 * @returns {boolean} whether one has so much more to list that this may be why it is slower
 */
function mayExplain(a, b) {
  if (!a.listed || !b.listed) return false;
  const lists = apartOf(a.listed, b.listed);
  return lists > LISTED && !(apartOf(a.ratePerSec, b.ratePerSec) > BEYOND * lists);
}

/**
 * @param {Figure | null | undefined} a
 * @param {Figure | null | undefined} b
 * @returns {number} how many times the smaller one the larger one is; infinite where one is not known
 */
function apartOf(a, b) {
  const [x, y] = [a?.median ?? 0, b?.median ?? 0];
  return x > 0 && y > 0 ? Math.max(x, y) / Math.min(x, y) : Number.POSITIVE_INFINITY;
}

/**
 * @param {Row} a
 * @param {Row} b
 * @returns {boolean} whether they are configurations of one product: by their name, or, of servers by their address, by the
 *   folder that drives both and by what each says that it promises
 */
function isOneProduct(a, b) {
  if (a.system.split('@')[0] === b.system.split('@')[0]) return true;
  const [one, other] = [a.parity, b.parity];
  return (
    one.product !== undefined &&
    one.product === other.product &&
    one.durability !== other.durability &&
    ![one.durability, other.durability].includes('unknown')
  );
}

/**
 * @param {Side} a
 * @param {Side} b
 * @param {Row | null} reference
 * @returns {Parameters<typeof belowFloor>[0]} what was seen of the host and the load generator at that rate
 */
function atRateOf(a, b, reference) {
  const lags = [a, b].map(({ row }) => row?.lagP99Ms?.median ?? null);
  const rates = [reference, a.row, b.row].map((row) => row?.targetPerSec?.median ?? Number.NaN);
  return {
    smallerMs: Math.min(...[a, b].map(({ figure }) => figure?.median ?? 0)),
    lagMs: lags.includes(null) ? null : Math.max(...lags.map(Number)),
    nullMs: reference?.usable ? (reference.responseP99Ms?.median ?? null) : null,
    rateRatio: rates[0] / Math.max(rates[1], rates[2]),
  };
}

/**
 * @param {Pick<import('../types.d.ts').CellRecord, 'system' | 'parity'>[]} cells
 * @returns {string[]} systems that are compared as servers of one product, though nobody said what they promise
 */
export function presumedAlike(cells) {
  const conditions = new Map(cells.map((c) => [c.system, c.parity]));
  return [...conditions].flatMap(([id, own]) =>
    [...conditions].some(([other, theirs]) => other !== id && isPresumed(own, theirs)) ? [id] : [],
  );
}
