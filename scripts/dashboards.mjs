/** Colours of the dashboards from the manifests. With --check nothing is written: the exit code is 1 where they are not the same. */
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { assignColors } from '../lib/config/colors.js';
import { loadStacks } from '../lib/config/stacks.js';
import { BOUND } from '../lib/live/points.js';

/** @import { Stack } from '../lib/types.d.ts' */

/** Bars that are no figure but a bound: of the system's colour, and pale. */
const BOUNDS = {
  matcher: { id: 'byRegexp', options: `/${BOUND}$/` },
  properties: [{ id: 'custom.fillOpacity', value: 20 }],
};

const { values: flags } = parseArgs({ options: { check: { type: 'boolean' } } });
const colors = dashboardColors(loadStacks().stacks);
for (const name of ['live-run', 'compare']) {
  const file = new URL(`../stacks/_shared/grafana/dashboards/${name}.json`, import.meta.url);
  const board = JSON.parse(readFileSync(file, 'utf8'));
  const wanted = withColors(board, colors);
  if (JSON.stringify(board) === JSON.stringify(wanted)) continue;
  if (!flags.check) writeFileSync(file, `${JSON.stringify(wanted, null, 2)}\n`);
  else {
    console.error(
      `${name}.json: its colours are not those of the manifests; type: node scripts/dashboards.mjs && npm run fmt`,
    );
    process.exitCode = 1;
  }
}

/**
 * @param {Stack[]} stacks
 * @returns {ReadonlyMap<string, string>} colour by system on the dashboards, as in the reports
 */
function dashboardColors(stacks) {
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
 * @returns {any} the same, with a rule for each system wherever systems are series, and one for their bounds where they
 *   are bars
 */
function withColors(board, colors) {
  const rules = [...colors]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([id, color]) => rule(`/^(.* · )?${id}( · .*)?$/`, color));
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

/** @param {string} pattern of names of series @param {string} color */
function rule(pattern, color) {
  return {
    matcher: { id: 'byRegexp', options: pattern },
    properties: [{ id: 'color', value: { mode: 'fixed', fixedColor: color } }],
  };
}
