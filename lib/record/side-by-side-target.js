import { MIN_REPEATS } from '../judge/method.js';
import { judgeTarget } from '../judge/target.js';

/**
 * @import { Interval, SideBySideCell, Target } from '../types.d.ts'
 * @import { SideBySideSummary } from './side-by-side.js'
 */

/**
 * What systems side by side show of a ratio that a manifest promises, in operations per CPU-second.
 * @param {Pick<SideBySideSummary, 'group' | 'comparisons' | 'trusted'>} summary
 * @param {string} system whose promise it is
 * @param {Target} target
 * @returns {{cell: SideBySideCell, ratio: Interval | null, verdict: string} | null} `verdict`: `met`, `not met`, or
 *   `undecided` with why; null where the two did not meet on that load
 */
export function pairedTarget({ group, comparisons, trusted }, system, target) {
  if (group.workload !== target.workload) return null;
  const cell = group.cells.find(
    (c) =>
      c.operation === target.operation &&
      c.connections === target.connections &&
      c.depth === (target.depth ?? 1),
  );
  const own = comparisons.find(
    (c) => c.cell === cell?.id && [c.a, c.b].includes(system) && [c.a, c.b].includes(target.against),
  );
  if (!cell || !own) return null;
  const { better, starts } = own.verdict;
  const known = wholeOf(own.verdict.ratio);
  const ratio = known && (better === 'a' ? own.a : own.b) !== system ? turned(known) : known;
  return { cell, ratio, verdict: verdictOf(ratio, target.ratioAtLeast, starts, trusted) };
}

/**
 * @param {Interval | null} ratio
 * @param {number} least
 * @param {number} starts
 * @param {boolean} trusted
 */
function verdictOf(ratio, least, starts, trusted) {
  if (!trusted) return 'undecided: this run cannot be trusted';
  if (starts < MIN_REPEATS) return `undecided: ${starts} of ${MIN_REPEATS} starts`;
  if (!ratio) return 'undecided: no ratio';
  const verdict = judgeTarget(ratio, least, starts);
  return verdict === 'undecided' ? 'undecided: the interval holds the target' : verdict;
}

/**
 * @param {{estimate: number, low: number | null, high: number | null} | null} ratio
 * @returns {Interval | null} null without an interval
 */
function wholeOf(ratio) {
  if (!ratio || ratio.low === null || ratio.high === null) return null;
  return { estimate: ratio.estimate, low: ratio.low, high: ratio.high };
}

/** @param {Interval} ratio @returns {Interval} */
function turned({ estimate, low, high }) {
  return { estimate: 1 / estimate, low: 1 / high, high: 1 / low };
}
