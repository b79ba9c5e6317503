import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readPlan, readRecords } from '../record/run-folder.js';
import { writeFileAtomic } from '../store.js';
import { findingsOf } from './view.js';

/**
 * Writes `reports/README.md`: every run, newest first, with its first answer.
 * @param {string} reports folder of runs
 */
export function writeIndex(reports) {
  const rows = readdirSync(reports, { withFileTypes: true })
    .filter((e) => e.isDirectory() && existsSync(join(reports, e.name, 'plan.json')))
    .filter((e) => existsSync(join(reports, e.name, 'environment.json')))
    .map((e) => e.name)
    .sort()
    .reverse()
    .map((name) => rowOf(reports, name));
  const lines = [
    '# Reports',
    '',
    'Newest first. Each folder holds its report, its charts and the files from which both are rendered.',
    '',
    '| run | profile | engine | systems | cells valid / measured | first finding |',
    '|---|---|---|---|---:|---|',
    ...rows,
  ];
  writeFileAtomic(join(reports, 'README.md'), `${lines.join('\n')}\n`);
}

/**
 * @param {string} reports
 * @param {string} name
 * @returns {string} one table row
 */
function rowOf(reports, name) {
  const folder = join(reports, name);
  const plan = readPlan(folder);
  const records = readRecords(folder, plan);
  const { answers, verdicts } = findingsOf({ plan, records });
  const systems = plan.systems.filter((s) => s.role === 'system').map((s) => s.title);
  const cells = [
    `[${name}](${name}/README.md)`,
    plan.profileId,
    plan.engine,
    systems.join('; '),
    `${verdicts.valid} / ${verdicts.total}`,
    answers[0].replaceAll('|', '\\|'),
  ];
  return `| ${cells.join(' | ')} |`;
}
