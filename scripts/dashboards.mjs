/** Colours of the dashboards, and names of containers on them, from the manifests. With --check nothing is written: the exit code is 1 where they are not the same. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { assignColors } from '../lib/config/colors.js';
import { servicesIn } from '../lib/config/compose.js';
import { loadStacks } from '../lib/config/stacks.js';
import { BOUND } from '../lib/live/points.js';

/** @import { Stack } from '../lib/types.d.ts' */

/** Bars that are no figure but a bound: of the system's colour, and pale. */
const BOUNDS = {
  matcher: { id: 'byRegexp', options: `/${BOUND}$/` },
  properties: [{ id: 'custom.fillOpacity', value: 20 }],
};

/** A server that does nothing has no id that a reader knows. */
const NULL = {
  id: 'renameByRegex',
  options: { regex: '^(.* · )?_null[\\w-]*(.*)$', renamePattern: '$1server that does nothing$2' },
};

const { values: flags } = parseArgs({ options: { check: { type: 'boolean' } } });
const { stacks } = loadStacks();
const colors = dashboardColors(stacks);
const names = shortNames(stacks);
for (const name of ['live-run', 'compare']) {
  const file = new URL(`../stacks/_shared/grafana/dashboards/${name}.json`, import.meta.url);
  const board = JSON.parse(readFileSync(file, 'utf8'));
  const wanted = withNames(withColors(board, colors), names);
  if (JSON.stringify(board) === JSON.stringify(wanted)) continue;
  if (!flags.check) writeFileSync(file, `${JSON.stringify(wanted, null, 2)}\n`);
  else {
    console.error(
      `${name}.json: its colours or names are not those of the manifests; type: node scripts/dashboards.mjs && npm run fmt`,
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

/**
 * What is left of a container's name: Compose puts that of the run before the service, and a number behind it.
 * @param {Stack[]} stacks
 * @returns {object[]} transformations of Grafana
 */
function shortNames(stacks) {
  const files = stacks.map((s) => join(s.folder, 'compose.yml')).filter((file) => existsSync(file));
  const services = files.flatMap((file) => Object.keys(servicesIn(readFileSync(file, 'utf8'))));
  const dashed = [...new Set(services.filter((name) => name.includes('-')))].sort();
  const rename = (/** @type {string} */ regex, /** @type {string} */ renamePattern) => ({
    ...{ id: 'renameByRegex', options: { regex: `^(.* · )?ladderbench-.*?-${regex}-\\d+$`, renamePattern } },
  });
  return [
    rename('side-(s\\d)-(.*)', '$1$3 · container $2'),
    rename(`(${[...dashed, '\\w+'].join('|')})`, '$1$2'),
  ];
}

/** @param {any} board a dashboard @param {object[]} transformations of names of containers */
function withNames(board, transformations) {
  const panels = board.panels.map((/** @type {any} */ panel) => {
    if (panel.datasource?.uid === 'ladderbench-cadvisor') return { ...panel, transformations };
    const namesSystems = panel.targets?.some((/** @type {any} */ t) => t.alias?.includes('$tag_system'));
    return namesSystems ? { ...panel, transformations: [NULL] } : panel;
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
