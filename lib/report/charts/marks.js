import { colord, extend } from 'colord';
import a11y from 'colord/plugins/a11y';
import { assignColors } from '../../config/colors.js';
import { contenders, declaredOf } from '../systems.js';
import { titleOf } from '../words.js';

/** @import { Plan } from '../../types.d.ts' */

extend([a11y]);

/** A light page and a dark one, and the contrast by which a mark is seen (WCAG 2.2, 1.4.11). */
const [LIGHT, DARK, SEEN] = ['#ffffff', '#0d1117', 3];
/** Of a system that has none, or that may not win. */
const NEUTRAL = '#808080';
/** Of one step towards another brightness. */
const STEP = 0.01;

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
  const able = contenders(plan);
  return (id) => ({
    name: titleOf(plan, id),
    // Of a run that somebody changed a system may have no role, and so no color.
    color: readable((able.includes(id) && colors.get(id)) || NEUTRAL),
    shape: systems.findIndex((s) => s.id === id),
  });
}

/**
 * @param {string} color
 * @returns {string} the same, or as little darker or lighter as it takes to be seen on light and on dark pages
 */
export function readable(color) {
  let shade = colord(color);
  while (shade.contrast(LIGHT) < SEEN) shade = shade.darken(STEP);
  while (shade.contrast(DARK) < SEEN) shade = shade.lighten(STEP);
  return shade.toHex();
}
