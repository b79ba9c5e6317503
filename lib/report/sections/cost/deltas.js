import { compareFigures } from '../../../record/compare.js';

/**
 * @import { Figure } from '../../../record/figure.js'
 * @import { Comparison } from '../../../types.d.ts'
 */

/** @param {number} ratio @returns {string} `+25 %` */
function changeText(ratio) {
  const share = Math.round((ratio - 1) * 1000) / 10 || 0;
  const digits = Math.abs(share) < 10 ? 1 : 0;
  return `${share > 0 ? '+' : ''}${share.toFixed(digits)} %`.replace('-', '−');
}

/**
 * The second system against the first, as a change: `+25 % (+19 % to +31 %)`, in bold when the whole interval lies
 * outside ±5 % and there are enough repeats to say so.
 * @param {Comparison | null} comparison second / first
 * @returns {string | null} null where there is none, or it may not be ranked
 */
export function deltaText(comparison) {
  if (!comparison?.ratio || comparison.why.length > 0) return null;
  const { ratio, n, outcome } = comparison;
  if (n < 2) return `${changeText(ratio.estimate)} (one pair)`;
  const text = `${changeText(ratio.estimate)} (${changeText(ratio.low)} to ${changeText(ratio.high)})`;
  return outcome === 'winner' ? `**${text}**` : text;
}

/**
 * @param {Figure | null | undefined} first
 * @param {Figure | null | undefined} second
 * @returns {string | null} null without a repeat in which both are valid and positive
 */
export function pairedDelta(first, second) {
  return deltaText(compareFigures(second, first, { metric: 'throughput' }));
}

/**
 * @param {number | null | undefined} first
 * @param {number | null | undefined} second
 * @returns {string | null} the change of one number, which has no interval
 */
export function plainDelta(first, second) {
  return first && second ? changeText(second / first) : null;
}
