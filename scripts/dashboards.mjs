/** Colours of the dashboards from the manifests. With --check nothing is written: the exit code is 1 where they are not the same. */
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { loadStacks } from '../lib/config/stacks.js';
import { dashboardColors, withColors } from '../lib/live/colors.js';

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
