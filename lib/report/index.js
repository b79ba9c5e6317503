import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { causeOf } from '../errors.js';
import { isRun, withRun } from '../record/archive.js';
import { readPlan, readRecords } from '../record/run-folder.js';
import { readSideBySide } from '../record/side-by-side.js';
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
  /** @type {string[]} */
  const unreadable = [];
  const runs = readdirSync(reports, { withFileTypes: true })
    .filter((e) => e.isDirectory() && isRun(join(reports, e.name)))
    .map((e) => e.name)
    .sort()
    .reverse()
    .map((name) => {
      try {
        return { name, row: withRun(join(reports, name), rowOf, { wanted: isListed }) };
      } catch (error) {
        // One run that cannot be read spoils its own row and no other.
        unreadable.push(`in the list of runs, ${name} has no figures: ${causeOf(error)}`);
        return { name, row: BROKEN };
      }
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
        left('profile', ({ row }) => row.profile),
        left('engine', ({ row }) => row.engine),
        left('systems', ({ row }) => row.systems),
        right('cells valid / measured', ({ row }) => row.cells),
        left('first finding', ({ row }) => ({ markdown: row.finding })),
      ]),
    ),
  ];
  writeFileAtomic(path, `${lines.join('\n')}\n`);
  return unreadable;
}

/**
 * @param {string} file of a run
 * @returns {boolean} whether the list is made from it
 */
function isListed(file) {
  return file === 'plan.json' || /^results\/(starts\/)?[^/]+$/.test(file);
}

/**
 * @param {string} path of an index
 * @returns {boolean} whether it may be replaced
 */
function isOurs(path) {
  if (!existsSync(path)) return true;
  if (!statSync(path).isFile()) return false;
  const text = readFileSync(path, 'utf8');
  return text.split('\n', 1)[0] === OURS || text.startsWith(OURS_BEFORE);
}

/** @typedef {{profile: string, engine: string, systems: string, cells: string, finding: string}} IndexRow */

/** @type {IndexRow} */
const BROKEN = Object.freeze({
  profile: '–',
  engine: '–',
  systems: '–',
  cells: '–',
  finding: 'its files cannot be read',
});

/**
 * @param {string} data folder with the files of the run
 * @returns {IndexRow}
 */
function rowOf(data) {
  const plan = readPlan(data);
  const { verdicts, answers } = findingsOf({
    plan,
    records: readRecords(data, plan),
    sideBySide: readSideBySide(data, plan),
  });
  const systems = plan.systems.filter((s) => s.role === 'system').map((s) => s.title);
  return {
    profile: plan.profileId,
    engine: plan.engine,
    systems: systems.join('; '),
    cells: `${verdicts.valid} / ${verdicts.total}`,
    finding: answers[0],
  };
}
