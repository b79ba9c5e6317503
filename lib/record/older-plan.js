/**
 * Plans of earlier runs in today's words: the one place that knows the old ones.
 * @import { Plan } from '../types.d.ts'
 */

/**
 * @param {any} plan as it was written
 * @returns {Plan}
 */
export function currentPlan(plan) {
  return { ...plan, systems: plan.systems?.map(currentSystem) };
}

/** @param {any} system */
function currentSystem({ knobs, ...system }) {
  return knobs === undefined ? system : { ...system, settings: knobs };
}
