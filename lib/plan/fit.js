import { windowGroups } from '../../k6/schedule/facts.js';
import { RULES } from '../judge/method.js';
import { failedOf } from '../judge/schedule.js';
import { FITS, isProlonged } from './estimate.js';

/**
 * A window fits its load: where too little has ended in it, or what ended took too long for it, the load runs again for longer.
 * @import { CellPlan, CellRecord, OperationResult, Plan, WorkloadFacts } from '../types.d.ts'
 */

/**
 * @param {CellPlan} cell as it was loaded
 * @param {Pick<CellRecord, 'status' | 'operations'>} record
 * @param {Plan} plan
 * @returns {number} ms that each of its windows lasts to fit; 0 where they do, or are as long as they may be
 */
export function fittingMs(cell, { status, operations }, plan) {
  if (status !== 'ok' || !isProlonged(cell, plan)) return 0;
  const results = Object.values(operations);
  const now = Math.max(0, ...results.map((o) => o.durationMs));
  const wanted = Math.max(0, ...results.map(wantedOf));
  return wanted > now ? wanted : 0;
}

/**
 * @param {OperationResult} result
 * @returns {number} ms; 0 where its window is not what is wrong
 */
function wantedOf({ durationMs, count, errors, serviceMs, verdict: { reasons } }) {
  // Failures end as answers do: of a system that gives only them a longer window tells nothing more.
  if (failedOf({ errors }) > count) return 0;
  const factors = reasons.map(({ code, measured, limit }) => {
    // Of what is under way at its edges a window that is short for its latency counts too much or too little.
    if (code === 'littles_law' && serviceMs) return (FITS.turns * serviceMs.mean) / durationMs;
    // A longer window mends it as far as what was measured is from the limit.
    return RULES[code].ofWindow ? Number(limit) / Number(measured) : 0;
  });
  const most = Math.max(0, ...factors);
  return most > 1 ? longerMs(durationMs, most) : 0;
}

/**
 * @param {number} windowMs that was too short
 * @param {number} factor by which; not all of it is believed at once
 * @returns {number} ms that it lasts next time
 */
export function longerMs(windowMs, factor) {
  return Math.min(FITS.mostMs, Math.ceil(windowMs * Math.min(FITS.unseen, factor * FITS.margin)));
}

/**
 * @template {CellPlan} C
 * @param {C} cell
 * @param {WorkloadFacts} workload
 * @param {number} windowMs that each of its windows lasts at least; 0: as planned
 * @returns {C}
 */
export function fitted(cell, workload, windowMs) {
  if (windowMs === 0) return cell;
  const durationSec = (windowGroups(workload, cell.step).length * windowMs) / 1000;
  return { ...cell, step: { ...cell.step, durationSec: Math.max(durationSec, cell.step.durationSec ?? 0) } };
}
