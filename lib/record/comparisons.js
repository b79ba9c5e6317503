import { wholeNumber } from '../format.js';
import { isPresumed, keyDifferences } from '../judge/comparable.js';
import { ACROSS_CONDITIONS, MIN_REPEATS } from '../judge/method.js';
import { isBound } from './figure.js';
import { inverse, ratioOf } from './ratio.js';

/**
 * @import { Outcome } from '../types.d.ts'
 * @import { Figure } from './figure.js'
 * @import { Row } from './figures.js'
 * @import { Ratio } from './ratio.js'
 */

/**
 * Two systems on one operation of one step, from the repeats in which neither is INVALID.
 * @typedef {object} Comparison
 * @property {string} workload
 * @property {string} transport
 * @property {string} stepId
 * @property {string} operation
 * @property {string} a
 * @property {string} b
 * @property {number} pairs
 * @property {Ratio | null} ratio of the throughput, a / b; null where it was refused
 * @property {Ratio | null} p99Ratio of the service time; null, too, where a p99 needs more operations
 * @property {Outcome} outcome
 * @property {'unlike' | 'lists' | 'bound' | 'doubtful' | 'no pair' | null} refusal `unlike`: the conditions differ; `lists`: how
 *   much they list; `bound`: a figure is a bound, and nothing worse
 * @property {string | null} why of the refusal, or of too few repeats
 */

/**
 * Every pair of systems on every operation of every step.
 * @param {Row[]} rows
 * @returns {Comparison[]}
 */
export function comparisonsOf(rows) {
  return rows.flatMap((a, i) =>
    rows.slice(i + 1).flatMap((b) => (isSameCell(a, b) ? [compareRows(a, b)] : [])),
  );
}

/**
 * @param {Row} a
 * @param {Row} b
 * @returns {boolean} whether both are the same operation of the same step, whatever the system
 */
export function isSameCell(a, b) {
  return (
    a.workload === b.workload &&
    a.transport === b.transport &&
    a.step.id === b.step.id &&
    a.operation === b.operation &&
    a.operation !== '' &&
    !a.received
  );
}

/**
 * @param {Row} a
 * @param {Row} b
 * @returns {Comparison}
 */
function compareRows(a, b) {
  const shell = {
    workload: a.workload,
    transport: a.transport,
    stepId: a.step.id,
    operation: a.operation,
    a: a.system,
    b: b.system,
  };
  const refused = (/** @type {Comparison['refusal']} */ refusal, /** @type {string} */ why) =>
    /** @type {Comparison} */ ({
      ...shell,
      pairs: 0,
      ratio: null,
      p99Ratio: null,
      outcome: 'not comparable',
      refusal,
      why,
    });
  const found = refusalOf(a, b);
  if (found) return refused(...found);
  const ratio = ratioOf(a.ratePerSec, b.ratePerSec);
  if (!ratio) return refused('no pair', 'no repeat in which both are valid');
  const { pairs, outcome } = ratio;
  const why = pairs < MIN_REPEATS ? `${pairs} of ${MIN_REPEATS} repeats` : null;
  return {
    ...shell,
    pairs,
    ratio,
    p99Ratio: ratioOf(a.serviceMs.p99, b.serviceMs.p99),
    outcome,
    refusal: null,
    why,
  };
}

/**
 * What must be alike of two rows. The rate of a step that takes a share of a maximum is measured anew in each repeat and
 * run: shares alike of maxima that are as good as alike are one load.
 * @typedef {Pick<Row, 'parity' | 'step' | 'targetPerSec'> & Partial<Pick<Row, 'listed' | 'ratePerSec'>>} Conditions
 * @param {Conditions} a
 * @param {Conditions} b
 * @returns {string[]} `key x ≠ y` for each that differs; empty means comparable
 */
export function differencesOf(a, b) {
  const isShare = a.step.fractionOfKnee !== undefined && a.step.fractionOfKnee === b.step.fractionOfKnee;
  const alike = isShare && apartOf(a.targetPerSec, b.targetPerSec) <= 1 + ACROSS_CONDITIONS;
  return keyDifferences(a.parity, alike ? { ...b.parity, targetPerSec: a.parity.targetPerSec } : b.parity);
}

/**
 * A server that was not started for the load has what earlier ones left, and who lists it whole does more work for more
 * of it.
 * @param {Conditions} a
 * @param {Conditions} b
 * @returns {string[]} `storedBefore x ≠ y`, where that may be why one is slower
 */
export function unlikeLists(a, b) {
  if (!a.listed || !b.listed || !mayExplain(a, b)) return [];
  return [`storedBefore ${wholeNumber(a.listed.median)} ≠ ${wholeNumber(b.listed.median)}`];
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
 * @param {Pick<import('../types.d.ts').CellRecord, 'system' | 'parity'>[]} cells
 * @returns {string[]} systems that are compared as servers of one product, though nobody said what they promise
 */
export function presumedAlike(cells) {
  const conditions = new Map(cells.map((c) => [c.system, c.parity]));
  return [...conditions].flatMap(([id, own]) =>
    [...conditions].some(([other, theirs]) => other !== id && isPresumed(own, theirs)) ? [id] : [],
  );
}

/**
 * @param {Row} a
 * @param {Row} b
 * @returns {['unlike' | 'lists' | 'bound' | 'doubtful', string] | null} why the two may not be compared
 */
export function refusalOf(a, b) {
  // What never ran says nothing of its conditions.
  const differing = [a, b].some((row) => row.status === 'FAILED') ? [] : differencesOf(a, b);
  if (differing.length > 0) return ['unlike', `asymmetric: ${differing.join(', ')}`];
  const lists = unlikeLists(a, b);
  if (lists.length > 0) return ['lists', `asymmetric: ${lists.join(', ')}`];
  const doubtful = [a, b].filter((row) => !row.rankable);
  if (doubtful.length === 0) return null;
  if (doubtful.every((row) => row.quotable)) {
    const codes = [...new Set(doubtful.flatMap((row) => row.why.filter(isBound)))];
    return ['bound', codes.join(', ').replaceAll('_', '-')];
  }
  const [worst] = doubtful.filter((row) => !row.quotable);
  return ['doubtful', `${worst.system} ${worst.why.join(', ') || worst.failure}`];
}

/**
 * The comparison of two systems in the order asked for.
 * @param {Comparison[]} comparisons
 * @param {Pick<Comparison, 'workload' | 'transport' | 'operation'> & {step: {id: string}}} cell
 * @param {string} a
 * @param {string} b
 * @returns {Pick<Comparison, 'ratio' | 'pairs' | 'refusal' | 'why'> | null} throughput of a / throughput of b; null when they never met
 */
export function between(comparisons, cell, a, b) {
  const same = comparisons.filter(
    (c) =>
      c.workload === cell.workload &&
      c.transport === cell.transport &&
      c.stepId === cell.step.id &&
      c.operation === cell.operation,
  );
  const straight = same.find((c) => c.a === a && c.b === b);
  if (straight) return straight;
  const turned = same.find((c) => c.a === b && c.b === a);
  return turned ? { ...turned, ratio: turned.ratio && inverse(turned.ratio) } : null;
}
