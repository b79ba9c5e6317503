import { assignColors } from '../../config/colors.js';
import { declaredOf } from '../declared.js';

/** @import { Plan } from '../../types.d.ts' */

/**
 * @param {Plan} plan
 * @returns {ReadonlyMap<string, string>} colour by system of the run: another one for each of those that did the same work
 */
export function colorsOf(plan) {
  const systems = plan.systems.filter((s) => s.role === 'system');
  return assignColors(
    systems.map(({ id }) => ({ id, color: declaredOf(plan, id).color, workloads: workloadsOf(plan, id) })),
  );
}

/** @param {Plan} plan @param {string} id of a system @returns {string[]} what it did, in cells or side by side with others */
function workloadsOf({ blocks, sideBySide }, id) {
  return [
    ...blocks.filter((b) => b.system === id).map((b) => b.workload),
    ...(sideBySide?.groups ?? []).filter((g) => g.systems.includes(id)).map((g) => g.workload),
  ];
}
