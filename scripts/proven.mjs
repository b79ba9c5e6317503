/** docs/proven.md from proven.json of each stack. With --check nothing is written: the exit code is 1 where it is not the same. */
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { provenOf } from '../lib/config/proven.js';
import { loadStacks } from '../lib/config/stacks.js';
import { provenPage } from './proven.js';

const PAGE = new URL('../docs/proven.md', import.meta.url);
const { values: flags } = parseArgs({ options: { check: { type: 'boolean' } } });
const systems = loadStacks().stacks.filter((s) => s.id === s.base && !s.id.startsWith('_'));
const text = provenPage(systems.map((s) => ({ id: s.id, proven: provenOf(s) })));
if (!flags.check) writeFileSync(PAGE, text);
else if (readFileSync(PAGE, 'utf8') !== text) {
  console.error('docs/proven.md is not what the stacks say; type: node scripts/proven.mjs');
  process.exitCode = 1;
}
