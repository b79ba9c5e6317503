import { declaredOf } from '../declared.js';
import { PALETTE } from './svg.js';

/** @import { Plan } from '../../types.d.ts' */

/**
 * One colour for each system of a run: the one that its manifest declares, so that it is the same in every report;
 * for others the first that nobody has. A variant takes a free one.
 * @param {Plan} plan
 * @returns {ReadonlyMap<string, string>} by system
 */
export function colorsOf(plan) {
  const systems = plan.systems.filter((s) => s.role === 'system');
  /** @type {Map<string, string>} */
  const colors = new Map();
  for (const { id } of systems) {
    const { color } = declaredOf(plan, id);
    if (color && ![...colors.values()].includes(color)) colors.set(id, color);
  }
  for (const [i, { id }] of systems.entries()) {
    if (colors.has(id)) continue;
    const free = PALETTE.find((c) => ![...colors.values()].includes(c));
    colors.set(id, free ?? PALETTE[i % PALETTE.length]);
  }
  return colors;
}
