import { assignColors } from '../../config/colors.js';
import { declaredOf } from '../declared.js';

/** @import { Plan } from '../../types.d.ts' */

/**
 * @param {Plan} plan
 * @returns {ReadonlyMap<string, string>} colour by system of the run
 */
export function colorsOf(plan) {
  const systems = plan.systems.filter((s) => s.role === 'system');
  return assignColors(systems.map(({ id }) => ({ id, color: declaredOf(plan, id).color })));
}
