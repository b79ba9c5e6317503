/** The results table of README.md from reports/index.json. With --check nothing is written: the exit code is 1 where it is not the same. */
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { readJson } from '../lib/store.js';
import { withResults } from './results.js';

const PAGE = new URL('../README.md', import.meta.url);
const INDEX = new URL('../reports/index.json', import.meta.url);
const { values: flags } = parseArgs({ options: { check: { type: 'boolean' } } });
const page = readFileSync(PAGE, 'utf8');
const text = withResults(page, readJson(INDEX));
if (!flags.check) writeFileSync(PAGE, text);
else if (page !== text) {
  console.error('README.md does not have the results of reports/index.json; type: node scripts/results.mjs');
  process.exitCode = 1;
}
