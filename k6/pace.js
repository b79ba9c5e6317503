/**
 * The schedule of the open model. Pure, so that Node tests it.
 * @import { Step } from '../lib/types.d.ts'
 * @import { TimedWindow } from './schedule/by-time.js'
 * @import { Facts } from './schedule/facts.js'
 */

/**
 * What the runner asks for in place of the step's own rate.
 * @typedef {object} Rates
 * @property {number | null} ratePerSec of all operations together
 * @property {Record<string, number>} ratesPerSec by operation; they come first
 */

/**
 * Only what is measured follows the schedule: warming up is always closed.
 * @param {Pick<TimedWindow, 'step' | 'phase'>} window
 * @returns {boolean}
 */
export function isPaced({ step, phase }) {
  return step.model === 'open' && phase === 'measure';
}

/**
 * @param {Step} step
 * @param {string} op
 * @param {Facts} facts
 * @param {Rates} asked
 * @returns {number} operations per second of all virtual users together
 * @throws {Error} where nobody says how many
 */
export function rateOf(step, op, facts, asked) {
  const share = facts.operations[op]?.share ?? 1;
  const all = asked.ratePerSec ?? step.ratePerSec;
  const ratePerSec = asked.ratesPerSec[op] ?? (all ? all * share : null);
  if (!ratePerSec) throw new Error(`the open step "${step.id}" needs -e RATE_PER_SEC=…`);
  return ratePerSec;
}

/**
 * The virtual users take turns in one schedule.
 * @param {Step} step
 * @param {number} ratePerSec of all that the schedule holds
 * @param {number} startMs epoch
 * @param {number} user its number, from 1
 */
export function paceOf(step, ratePerSec, startMs, user) {
  return { ratePerSec, startMs, offset: (user - 1) % step.vus, of: step.vus };
}
