import { MISSING, significant } from '../../../format.js';

/** @import { Interval, Plan } from '../../../types.d.ts' */

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
  return system.engine === 'external' ? `${system.title} (${system.origin}, by its address)` : system.title;
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
