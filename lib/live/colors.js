import { assignColors } from '../config/colors.js';
import { BOUND } from './points.js';

/** @import { Stack } from '../types.d.ts' */

/**
 * @param {Stack[]} stacks
 * @returns {ReadonlyMap<string, string>} colour by system on the dashboards, as in the reports
 */
export function dashboardColors(stacks) {
  const systems = stacks
    .filter((s) => !s.id.startsWith('_'))
    .map(({ id, base, manifest }) => ({
      id,
      color: id === base ? (manifest.color ?? null) : null,
      workloads: Object.keys(manifest.workloads),
    }));
  return assignColors(systems);
}

/**
 * @param {any} board a dashboard
 * @param {ReadonlyMap<string, string>} colors by system
 * @returns {any} the same, with a rule for each system wherever systems are series, and one for their lower bounds where they
 *   are bars
 */
export function withColors(board, colors) {
  const rules = [...colors].sort(([a], [b]) => (a < b ? -1 : 1)).map(([id, color]) => ruleOf(id, color));
  const panels = board.panels.map((/** @type {any} */ panel) => {
    const overrides = panel.fieldConfig?.overrides ?? [];
    const others = overrides.filter((/** @type {any} */ o) => o.matcher.id !== 'byRegexp');
    if (others.length === overrides.length) return panel;
    // The last rule that fits holds.
    const own = panel.type === 'barchart' ? [...rules, BOUNDS] : rules;
    return { ...panel, fieldConfig: { ...panel.fieldConfig, overrides: [...others, ...own] } };
  });
  return { ...board, panels };
}

const GREY = '#7F7F7F';

/** @param {string} id @param {string} color */
function ruleOf(id, color) {
  return rule(`/^(.* · )?${id}( · .*)?$/`, color);
}

/** Bars that are no figure but a lower bound. */
const BOUNDS = rule(`/${BOUND}$/`, GREY);

/** @param {string} pattern of names of series @param {string} color */
function rule(pattern, color) {
  return {
    matcher: { id: 'byRegexp', options: pattern },
    properties: [{ id: 'color', value: { mode: 'fixed', fixedColor: color } }],
  };
}
