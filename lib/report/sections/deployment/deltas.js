import { EQUIVALENCE, MIN_REPEATS } from '../../../judge/compare.js';
import { verdictOf } from '../../../judge/verdict.js';
import { pairedRatio, unpairedRatio } from '../../../stats/summary.js';

/**
 * @import { CellRecord, Interval } from '../../../types.d.ts'
 * @import { Row } from '../../rows.js'
 */

/**
 * The second system against the first, as a change: `+25 % (+19 % to +31 %)`, in bold when the whole interval lies
 * outside ±5 % and there are enough repeats to say so.
 * @param {Interval} ratio second / first
 * @param {number} n pairs, or readings on each side
 * @returns {string}
 */
export function deltaText({ estimate, low, high }, n) {
  const change = (/** @type {number} */ v) => {
    const share = Math.round((v - 1) * 1000) / 10 || 0;
    const digits = Math.abs(share) < 10 ? 1 : 0;
    return `${share > 0 ? '+' : ''}${share.toFixed(digits)} %`.replace('-', '−');
  };
  if (n < 2) return `${change(estimate)} (one pair)`;
  const text = `${change(estimate)} (${change(low)} to ${change(high)})`;
  const apart = low > 1 + EQUIVALENCE || high < 1 / (1 + EQUIVALENCE);
  return apart && n >= MIN_REPEATS ? `**${text}**` : text;
}

/**
 * @param {Row} first
 * @param {Row} second
 * @param {(cell: CellRecord) => number | null | undefined} read
 * @returns {string | null} null without a repeat in which both are valid and positive
 */
export function pairedDelta(first, second, read) {
  const pairs = first.cells.flatMap((cell) => {
    const other = second.cells.find((c) => c.repeat === cell.repeat);
    if (!other || [cell, other].some((c) => verdictOf(c, first.operation) !== 'VALID')) return [];
    const [b, a] = [read(cell), read(other)];
    return a && b ? [{ a, b }] : [];
  });
  return pairs.length > 0 ? deltaText(pairedRatio(pairs), pairs.length) : null;
}

/**
 * @param {number[]} first readings that are no pairs
 * @param {number[]} second
 * @returns {string | null}
 */
export function unpairedDelta(first, second) {
  if (first.length === 0 || second.length === 0) return null;
  const n = Math.min(first.length, second.length);
  return deltaText(unpairedRatio(second, first), n);
}

/**
 * @param {number | null | undefined} first
 * @param {number | null | undefined} second
 * @returns {string | null} the change of one number, which has no interval
 */
export function plainDelta(first, second) {
  if (!first || !second) return null;
  const ratio = second / first;
  return deltaText({ estimate: ratio, low: ratio, high: ratio }, 0).replace(' (one pair)', '');
}
