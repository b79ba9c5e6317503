import { FIRST_LOOK } from '../stats/interval.js';
import { EQUIVALENCE } from './limits.js';

/** @import { Outcome } from '../types.d.ts' */

/**
 * What an interval says of two: the one place that decides it.
 * @param {{mean: number, low: number, high: number, n: number}} interval of ln(a / b), where more is better
 * @param {number} [within] the two are a tie within this share of each other
 * @returns {{outcome: Extract<Outcome, 'winner' | 'tie' | 'inconclusive' | 'too few'>, better: 'a' | 'b'}} `winner`: the
 *   whole interval lies beyond it; `tie`: inside; `too few`: before the first look. `better`: the side that did more, whether
 *   or not that decides anything
 */
export function outcomeOf({ mean, low, high, n }, within = EQUIVALENCE) {
  const edge = Math.log(1 + within);
  const better = mean >= 0 ? 'a' : 'b';
  if (n < FIRST_LOOK) return { outcome: 'too few', better };
  if (low > edge || high < -edge) return { outcome: 'winner', better };
  return { outcome: low >= -edge && high <= edge ? 'tie' : 'inconclusive', better };
}
