import { MISSING, ratioWithInterval, significant } from '../../../format.js';
import { right } from '../../table.js';

/**
 * @import { Interval, Plan } from '../../../types.d.ts'
 * @import { Cell, Column } from '../../table.js'
 * @import { Suite } from './section.js'
 */

/** After a figure that may be shown and is not ranked. */
export const DOUBTFUL = ' †';

/**
 * @param {{plan: Plan}} run
 * @param {string} id
 * @returns {string} a system's title, and whose it is where the user gave it by its address
 */
export function headOf({ plan }, id) {
  const system = plan.systems.find((s) => s.id === id);
  if (!system) return id;
  const says = system.title.includes('by its address');
  return system.engine === 'external' && !says
    ? `${system.title} (${system.origin}, by its address)`
    : system.title;
}

/** @param {number} users */
export function usersText(users) {
  return users === 1 ? '1 user' : `${users} users`;
}

/**
 * @param {Interval | null} interval
 * @param {{doubtful?: boolean, several?: boolean}} [marks]
 * @returns {string} `5.3 (5.1 – 5.6)`
 */
export function withInterval(interval, { doubtful = false, several = true } = {}) {
  if (!interval) return MISSING;
  const range =
    several && interval.high > interval.low
      ? ` (${significant(interval.low)} – ${significant(interval.high)})`
      : '';
  return `${significant(interval.estimate)}${range}${doubtful ? DOUBTFUL : ''}`;
}

/**
 * A column for each system.
 * @template R
 * @param {Suite} suite
 * @param {(row: R, id: string) => Cell} cell
 * @returns {Column<R>[]}
 */
export function across(suite, cell) {
  return suite.systems.map((id) => right(headOf(suite, id), (/** @type {R} */ row) => cell(row, id)));
}

/**
 * @param {{ratio: Interval, pairs: number, doubtful: boolean} | null} found
 * @returns {string} `1.83 (1.70 – 1.91) †`
 */
export function ownRatioText(found) {
  if (!found) return MISSING;
  return `${ratioWithInterval(found.ratio, found.pairs)}${found.doubtful ? DOUBTFUL : ''}`;
}

/** @param {{codes: string[]}} whole @returns {string} before a rate that is a lower bound */
export function boundText({ codes }) {
  return codes.includes('generator_bound') ? '≥ ' : '';
}
