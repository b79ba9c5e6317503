import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readPlan, readRecords } from '../record/run-folder.js';
import { writeFileAtomic } from '../store.js';
import { findingsOf } from './run.js';
import { left, markdownTable, right, table } from './table.js';

/** First line of the index: a file that begins otherwise is someone else's. */
const OURS = '<!-- Written by ladderbench after each run: the list of the runs in this folder. -->';
/** How it began before that line was. */
const OURS_BEFORE =
  '# Reports\n\nNewest first. Each folder holds its report, its charts and the files from which both are rendered.\n';

/**
 * Writes `README.md` in a folder of runs: every run, newest first, with its first answer.
 * @param {string} reports folder of runs
 * @returns {string[]} what to tell the user; a README.md that is not ours stays as it is
 */
export function writeIndex(reports) {
  const path = join(reports, 'README.md');
  if (!isOurs(path)) return [`${path} is not ours: the list of runs was not written`];
  const runs = readdirSync(reports, { withFileTypes: true })
    .filter((e) => e.isDirectory() && existsSync(join(reports, e.name, 'plan.json')))
    .filter((e) => existsSync(join(reports, e.name, 'environment.json')))
    .map((e) => e.name)
    .sort()
    .reverse()
    .map((name) => {
      const folder = join(reports, name);
      const plan = readPlan(folder);
      return { name, plan, ...findingsOf({ plan, records: readRecords(folder, plan) }) };
    });
  const lines = [
    OURS,
    '',
    '# Reports',
    '',
    'Newest first. Each folder holds its report, its charts and the files from which both are rendered.',
    '',
    markdownTable(
      table(runs, [
        left('run', ({ name }) => ({ markdown: `[${name}](${name}/README.md)` })),
        left('profile', ({ plan }) => plan.profileId),
        left('engine', ({ plan }) => plan.engine),
        left('systems', ({ plan }) =>
          plan.systems
            .filter((s) => s.role === 'system')
            .map((s) => s.title)
            .join('; '),
        ),
        right('cells valid / measured', ({ verdicts }) => `${verdicts.valid} / ${verdicts.total}`),
        left('first finding', ({ answers }) => ({ markdown: answers[0] })),
      ]),
    ),
  ];
  writeFileAtomic(path, `${lines.join('\n')}\n`);
  return [];
}

/**
 * @param {string} path of an index
 * @returns {boolean} whether it may be replaced
 */
function isOurs(path) {
  if (!existsSync(path)) return true;
  const text = readFileSync(path, 'utf8');
  return text.split('\n', 1)[0] === OURS || text.startsWith(OURS_BEFORE);
}
