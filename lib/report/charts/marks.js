import { assignColors } from '../../config/colors.js';
import { declaredOf } from '../systems.js';
import { titleOf } from '../words.js';

/** @import { Plan } from '../../types.d.ts' */

/** Luminance of a mark of which the contrast to a dark (`#0d1117`) and to a white page is 3:1 (WCAG 2.2, 1.4.11). */
const [LEAST, MOST] = [0.1165, 0.3];
/** Of a system that has none. */
const NEUTRAL = '#808080';
/** Of one step towards another brightness. */
const STEP = 0.04;

/** By what a system is told from others in every chart of a report. @typedef {{name: string, color: string, shape: number}} Mark */

/**
 * @param {Plan} plan
 * @returns {(id: string) => Mark} of a system of the run: another colour and shape for each of those that did the same work
 */
export function marksOf(plan) {
  const systems = plan.systems.filter((s) => s.role === 'system');
  const colors = assignColors(
    systems.map(({ id }) => ({
      ...{ id, color: declaredOf(plan, id).color },
      workloads: plan.trials.filter((t) => t.systems.includes(id)).map((t) => t.workload),
    })),
  );
  return (id) => ({
    name: titleOf(plan, id),
    // Of a run that somebody changed a system may have no role, and so no color.
    color: readable(colors.get(id) ?? NEUTRAL),
    shape: systems.findIndex((s) => s.id === id),
  });
}

/**
 * @param {string} color
 * @returns {string} the same, or as little darker or lighter as it takes to be seen on light and on dark pages
 */
export function readable(color) {
  let parts = partsOf(color);
  while (luminance(hex(parts)) > MOST) parts = parts.map((v) => v * (1 - STEP));
  while (luminance(hex(parts)) < LEAST) parts = parts.map((v) => v + (255 - v) * STEP);
  return hex(parts);
}

/** @param {string} color @returns {number} relative, as WCAG has it, 0 … 1 */
export function luminance(color) {
  const [r, g, b] = partsOf(color).map((v) =>
    v / 255 <= 0.03928 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4,
  );
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/** @param {string} color @returns {number[]} red, green, blue: 0 … 255 */
function partsOf(color) {
  return [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));
}

/** @param {number[]} parts */
function hex(parts) {
  return `#${parts.map((v) => Math.round(v).toString(16).padStart(2, '0')).join('')}`;
}
