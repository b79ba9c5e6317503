/**
 * One colour for each system on the dashboards, that of its manifest, as in the reports.
 * @import { Stack } from '../types.d.ts'
 */

/** For variants, which have none of their own: the first that no system has with which they are compared. */
const FREE = ['#56B4E9', '#333333', '#009E73', '#E69F00', '#0072B2', '#D55E00', '#CC79A7'];

/**
 * @param {Stack[]} stacks
 * @returns {Map<string, string>} by system
 */
export function coloursOf(stacks) {
  const systems = stacks.filter((s) => !s.id.startsWith('_'));
  /** @type {Map<string, string>} */
  const colours = new Map();
  const rivalsOf = (/** @type {Stack} */ { id, manifest }) =>
    systems.filter(
      (s) => s.id !== id && Object.keys(s.manifest.workloads).some((w) => w in manifest.workloads),
    );
  for (const { id, base, manifest } of systems)
    if (id === base && manifest.color) colours.set(id, manifest.color);
  for (const stack of systems) {
    if (colours.has(stack.id)) continue;
    const taken = new Set(rivalsOf(stack).map((s) => colours.get(s.id)));
    colours.set(stack.id, FREE.find((colour) => !taken.has(colour)) ?? FREE[0]);
  }
  return colours;
}

/**
 * @param {any} board a dashboard
 * @param {Map<string, string>} colours by system
 * @returns {any} the same, with a rule for each system wherever systems are series
 */
export function withColours(board, colours) {
  const rules = [...colours].sort(([a], [b]) => (a < b ? -1 : 1)).map(([id, colour]) => ruleOf(id, colour));
  const panels = board.panels.map((/** @type {any} */ panel) => {
    const overrides = panel.fieldConfig?.overrides ?? [];
    const others = overrides.filter((/** @type {any} */ o) => o.matcher.id !== 'byRegexp');
    if (others.length === overrides.length) return panel;
    return { ...panel, fieldConfig: { ...panel.fieldConfig, overrides: [...others, ...rules] } };
  });
  return { ...board, panels };
}

/** @param {string} id @param {string} colour */
function ruleOf(id, colour) {
  return {
    matcher: { id: 'byRegexp', options: `/^(.* · )?${id}( · .*)?$/` },
    properties: [{ id: 'color', value: { mode: 'fixed', fixedColor: colour } }],
  };
}
