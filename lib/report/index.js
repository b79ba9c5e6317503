import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { causeOf } from '../errors.js';
import { groupBy } from '../group-by.js';
import { MIN_REPEATS } from '../judge/method.js';
import { isRun, withRun } from '../record/archive.js';
import { measuredOf } from '../record/changes.js';
import { readLifecycle } from '../record/lifecycle.js';
import { lifecyclesOf } from '../record/lifecycle-figures.js';
import { readEnvironment, readPlan, readRecords } from '../record/run-folder.js';
import { readSideBySide } from '../record/side-by-side.js';
import { writeFileAtomic } from '../store.js';
import { findingsOf } from './run.js';
import { plainlySaid } from './said.js';
import { indexedRun, unmeasured } from './site/runs.js';
import { siteHtml } from './site/site.js';
import { left, linkTo, markdownLine, markdownTable, right, table } from './table.js';
import { counted, QUESTIONS, questionOf, topicOf } from './words.js';

/** @import { IndexedRun, ResultsIndex } from '../types.d.ts' */

/** First line of the index: a file that begins otherwise is someone else's. */
const OURS = '<!-- Written by ladderbench after each run: the list of the runs in this folder. -->';
/** The results site, what it says of itself, and what it is made of. */
const PAGE = 'index.html';
const DATA = 'index.json';
const MARK = '<meta name="generator" content="ladderbench">';

/**
 * Writes into a folder of runs: `README.md`, the newest answer to each question, who was never measured, and every run;
 * `index.json`, what every run measured; and `index.html`, which shows that.
 * @param {string} reports folder of runs
 * @returns {string[]} what to tell the user; a file that is not ours stays as it is
 */
export function writeIndex(reports) {
  const files = ['README.md', PAGE].map((name) => join(reports, name));
  const theirs = files.filter((path) => !isOurs(path));
  if (theirs.length === files.length) return theirs.map(notOurs);
  /** @type {string[]} */
  const unreadable = [];
  const runs = readdirSync(reports, { withFileTypes: true })
    .filter((e) => e.isDirectory() && isRun(join(reports, e.name)))
    .map((e) => e.name)
    .sort()
    .reverse()
    .map((name) => {
      try {
        const row = withRun(join(reports, name), (data) => rowOf(data, name), { wanted: isListed });
        return { name, row };
      } catch (error) {
        // One run that cannot be read spoils its own row and no other.
        unreadable.push(`in the list of runs, ${name} has no figures: ${causeOf(error)}`);
        return { name, row: BROKEN };
      }
    });
  const [list, page] = files;
  const indexed = runs.flatMap(({ row }) => row.indexed ?? []);
  const index = { schemaVersion: /** @type {const} */ (1), runs: indexed, unmeasured: unmeasured(indexed) };
  if (!theirs.includes(list)) writeFileAtomic(list, `${OURS}\n\n${linesOf(runs, index).join('\n')}\n`);
  if (!theirs.includes(page)) {
    writeFileAtomic(join(reports, DATA), `${JSON.stringify(index)}\n`);
    writeFileAtomic(page, siteHtml(index).replace('<head>\n', `<head>\n${MARK}\n`));
  }
  return [...theirs.map(notOurs), ...unreadable];
}

/** @param {string} path */
function notOurs(path) {
  return `${path} is not ours: the list of runs was not written`;
}

/**
 * @param {Listed[]} runs newest first
 * @param {Pick<ResultsIndex, 'unmeasured'>} index
 * @returns {string[]} Markdown
 */
function linesOf(runs, index) {
  return [
    '# Reports',
    '',
    'The newest answer to each question, and older ones of systems that it does not have; every run is in the list below. A run of 5 repeats or starts names a winner, one of fewer shows trends.',
    '',
    ...answersIn(runs),
    ...neverMeasured(index),
    '## Every run, newest first',
    '',
    markdownTable(
      table(runs, [
        left('run', ({ name }) => ({ markdown: linkTo(name, linkOf(name)) })),
        left('profile', ({ row }) => row.profile),
        left('engine', ({ row }) => row.engine),
        left('systems', ({ row }) => row.systems.join('; ')),
        right('cells valid / measured', ({ row }) => row.cells),
      ]),
    ),
  ];
}

/** @param {string} name of a run */
function linkOf(name) {
  return `${name}/README.md`;
}

/** @typedef {{name: string, row: IndexRow}} Listed */

/**
 * @param {Listed[]} runs newest first
 * @returns {string[]} lines: a heading and an answer for each question
 */
function answersIn(runs) {
  const asked = runs.filter(({ row }) => row.question !== null);
  const groups = groupBy(asked, ({ row }) => String(row.question));
  return groups
    .sort(([a], [b]) => placeOf(a) - placeOf(b))
    .flatMap((own) => {
      const told = answersAmong(own);
      const others = own.filter((run) => !told.includes(run));
      return [
        `## ${markdownLine(String(own[0].row.question))}`,
        '',
        ...told.flatMap(({ name, row }) => [
          row.answer,
          '',
          `${linkTo('The report', linkOf(name))} of ${markdownLine(name.slice(0, 10))}: ${markdownLine(row.systems.join(', '))}.`,
          '',
        ]),
        ...(others.length > 0
          ? [`Others: ${others.map((o) => linkTo(o.name.slice(0, 10), linkOf(o.name))).join(', ')}.`, '']
          : []),
      ];
    });
}

/**
 * One that could name a winner says more than a newer one that could not.
 * @param {Listed[]} own runs of one question, newest first
 * @returns {Listed[]} the newest one, and what older ones say of systems that it does not have
 */
function answersAmong(own) {
  const deciding = own.filter((run) => run.row.decides);
  const [best, ...older] = deciding.length > 0 ? deciding : own;
  const told = [best];
  for (const run of older) {
    const known = new Set(told.flatMap(({ row }) => row.ids));
    if (run.row.ids.some((id) => !known.has(id))) told.push(run);
  }
  return told;
}

/**
 * @param {Listed} run that has a question
 * @returns {number} of its question among all that are asked
 */
function placeOf({ row }) {
  return Object.values(QUESTIONS).findIndex((q) => String(row.question).toLowerCase().endsWith(q));
}

/**
 * @param {Pick<ResultsIndex, 'unmeasured'>} index
 * @returns {string[]} lines: which systems of this checkout have no run here, and how to measure them
 */
function neverMeasured({ unmeasured: missing }) {
  if (missing.length === 0) return [];
  return [
    '## Not measured yet',
    '',
    ...missing.map(
      ({ id, title, workloads, endpoint }) =>
        `- **${title}** (${workloads.join(', ')}): \`./run-all.sh systems\` says what it needs; one that runs already is measured with \`--endpoint ${id}=${endpoint}\``,
    ),
    '',
  ];
}

/**
 * @param {string} file of a run
 * @returns {boolean} whether the list is made from it
 */
function isListed(file) {
  return (
    file === 'plan.json' ||
    file === 'environment.json' ||
    /^results\/((starts|lifecycle)\/)?[^/]+$/.test(file)
  );
}

/**
 * @param {string} path of an index
 * @returns {boolean} whether it may be replaced
 */
function isOurs(path) {
  if (!existsSync(path)) return true;
  if (!statSync(path).isFile()) return false;
  const text = readFileSync(path, 'utf8');
  return text.split('\n', 1)[0] === OURS || text.includes(MARK);
}

/**
 * @typedef {object} IndexRow
 * @property {string} profile
 * @property {string} engine
 * @property {string[]} ids of the systems
 * @property {string[]} systems their titles
 * @property {string} cells
 * @property {string | null} question null of a run about too much for one answer
 * @property {string} answer Markdown
 * @property {IndexedRun | null} indexed what the results site has of it
 * @property {boolean} decides whether it had enough repeats or starts to name a winner
 */

/** @type {IndexRow} */
const BROKEN = Object.freeze({
  profile: '–',
  engine: '–',
  ids: [],
  systems: ['its files cannot be read'],
  cells: '–',
  question: null,
  answer: '–',
  indexed: null,
  decides: false,
});

/** @param {string} text */
function capital(text) {
  return text[0].toUpperCase() + text.slice(1);
}

/**
 * @param {string} data folder with the files of the run
 * @param {string} name of the run
 * @returns {IndexRow}
 */
function rowOf(data, name) {
  const plan = plainlySaid(readPlan(data));
  const run = { plan, records: plainlySaid(readRecords(data, plan)), sideBySide: readSideBySide(data, plan) };
  const starts = run.sideBySide.reduce((n, s) => n + s.starts, 0);
  const { verdicts, answers } = findingsOf({
    ...run,
    lifecycle: lifecyclesOf(readLifecycle(data, plan)),
  });
  const systems = plan.systems.filter((s) => s.role === 'system');
  const question = questionOf(plan);
  const topic = topicOf(plan);
  return {
    profile: plan.profileId,
    engine: plan.engine,
    ids: systems.map((s) => s.id),
    systems: systems.map((s) => s.title),
    cells: verdicts.total > 0 ? `${verdicts.valid} / ${verdicts.total}` : counted(starts, 'start'),
    question:
      topic !== null
        ? `${topic}${plan.engine === 'docker' ? ', in containers' : ''}: ${question}`
        : question === QUESTIONS.ahead
          ? null
          : capital(question),
    indexed: indexedRun(name, measuredOf(run), plainlySaid(readEnvironment(data))),
    decides: plan.repeats >= MIN_REPEATS,
    answer: answers.map(markdownLine).join(' '),
  };
}
