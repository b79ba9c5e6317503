import { significant } from '../../format.js';

/** @import { Interval } from '../../types.d.ts' */

/**
 * @param {number} ratio
 * @returns {string} `1.84×`, `12.3×`, `215×`
 */
export function times(ratio) {
  return `${end(ratio)}×`;
}

/** @param {Interval} ratio @returns {string} `1.84× (1.17 to 2.72)`: a dash would let a line end within it */
export function timesText({ estimate, low, high }) {
  return `${times(estimate)} (${end(low)}\u00a0to\u00a0${end(high)})`;
}

/** @param {number} ratio */
function end(ratio) {
  return ratio < 10 ? ratio.toFixed(2) : significant(ratio);
}
