import { MISSING, ratioWithInterval, significant } from '../format.js';
import { MIN_REPEATS } from '../stats/compare.js';
import {
  baseStepOf,
  cellsAt,
  chainOf,
  depthRatioOf,
  grownStepOf,
  levelGrowthOf,
} from './federation-section.js';
import { failuresOf, isUserRung, wholesOf } from './suite-figures.js';
import { degradationOf } from './suite-ratios.js';

/**
 * @import { CellRecord, Interval, Limit, Plan } from '../types.d.ts'
 */

/**
 * What was found for a limit. `doubtful`: a figure of it may not be compared, unless it can only be an `upperBound`.
 * @typedef {{ratio: Interval, pairs: number, doubtful: boolean, upperBound?: boolean}} Found
 */

/**
 * Whether the systems keep to the limits of their manifests.
 * @param {Plan} plan
 * @param {CellRecord[]} measured
 * @returns {{title: string, system: string, atMost: string, measured: string, verdict: string}[]} a row for each limit
 *   whose steps are part of the run
 */
export function limitsOf(plan, measured) {
  return plan.systems.flatMap((system) =>
    (system.limits ?? []).flatMap((limit) => {
      const own = measured.filter((c) => c.system === system.id && c.workload === limit.workload);
      const found = limit.measure === 'failed-operations' ? failed(limit, own) : ratio(plan, limit, own);
      return found
        ? [{ title: limit.title, system: system.title, atMost: String(limit.atMost), ...found }]
        : [];
    }),
  );
}

/**
 * @param {Limit} limit
 * @param {CellRecord[]} own
 */
function failed(limit, own) {
  const cells = own.filter((c) => isUserRung(c) && c.step.vus === limit.users);
  if (cells.length === 0) return null;
  const ran = cells.filter((c) => c.status === 'ok');
  if (ran.length < cells.length)
    return { measured: MISSING, verdict: `undecided: ${cells.length - ran.length} cells without figures` };
  const counts = ran.map(failuresOf);
  const sum = counts.reduce((n, c) => n + c.failed, 0);
  const all = counts.reduce((n, c) => n + c.all, 0);
  const verdict = sum > limit.atMost ? 'not met' : ran.length < MIN_REPEATS ? tooFew(ran.length) : 'met';
  return { measured: `${sum} of ${significant(all)}`, verdict };
}

/**
 * @param {Plan} plan
 * @param {Limit} limit
 * @param {CellRecord[]} own
 */
function ratio(plan, limit, own) {
  const found = limit.measure === 'p95-growth' ? growthUnder(limit, own) : relations(plan, limit, own);
  if (!found) return null;
  if (found === 'no figure') return { measured: MISSING, verdict: 'undecided: no repeat has both figures' };
  const bound = found.doubtful && found.upperBound ? '≤ ' : '';
  return {
    measured: `${bound}${ratioWithInterval(found.ratio, found.pairs)}`,
    verdict: judgeLimit(found, limit.atMost),
  };
}

/**
 * By the whole interval: a median alone would pass every other time by chance.
 * @param {Found} found
 * @param {number} atMost
 * @returns {string}
 */
export function judgeLimit({ ratio: { low, high }, pairs, doubtful, upperBound }, atMost) {
  if (doubtful && !(upperBound && high <= atMost)) return 'undecided: a figure is not to be compared';
  if (pairs < MIN_REPEATS) return tooFew(pairs);
  if (high <= atMost) return 'met';
  return low > atMost ? 'not met' : 'undecided: the interval holds the limit';
}

/** @param {number} repeats */
function tooFew(repeats) {
  return `undecided: ${repeats} of ${MIN_REPEATS} repeats`;
}

/**
 * @param {Limit} limit
 * @param {CellRecord[]} own
 * @returns {Found | 'no figure' | null} null where the run has no such step
 */
function growthUnder(limit, own) {
  const wholes = wholesOf(own);
  const whole = wholes.find((w) => isUserRung(w) && w.step.vus === limit.users);
  if (!whole) return null;
  return degradationOf(wholes, whole) ?? 'no figure';
}

/**
 * @param {Plan} plan
 * @param {Limit} limit
 * @param {CellRecord[]} own
 * @returns {Found | 'no figure' | null}
 */
function relations(plan, limit, own) {
  const facts = plan.workloads.find((w) => w.id === limit.workload);
  const chain = facts && chainOf(facts);
  const base = baseStepOf(own, limit.workload);
  const grown = grownStepOf(own, limit.workload);
  if (!chain || !base || own.length === 0) return null;
  const at = (/** @type {import('../types.d.ts').Step} */ step) =>
    cellsAt(own, limit.workload, own[0].system, step);
  if (limit.measure === 'depth-ratio') return depthRatioOf(at(base), chain) ?? 'no figure';
  return grown ? (levelGrowthOf(at(grown), at(base), chain) ?? 'no figure') : null;
}
