/**
 * The list of runs in reports/, every entry made anew, and the results table of README.md from it. With --check nothing is
 * written: the exit code is 1 where the table is not that of reports/index.json.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ROOT } from '../lib/paths.js';
import { INDEX } from '../lib/report/beside.js';
import { writeIndex } from '../lib/report/index.js';
import { readJson } from '../lib/store.js';
import { withResults } from './results.js';

const PAGE = join(ROOT, 'README.md');
const REPORTS = join(ROOT, 'reports');
const { values: flags } = parseArgs({ options: { check: { type: 'boolean' } } });
if (!flags.check) for (const line of writeIndex(REPORTS, () => true)) console.error(line);
const page = readFileSync(PAGE, 'utf8');
const text = withResults(page, readJson(join(REPORTS, INDEX)));
if (!flags.check) writeFileSync(PAGE, text);
else if (page !== text) {
  console.error('README.md does not have the results of reports/index.json; type: node scripts/results.mjs');
  process.exitCode = 1;
}
