import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { causeOf } from '../errors.js';
import { measuredOf } from '../figures/changes.js';
import { MISSING } from '../format.js';
import { groupBy } from '../group-by.js';
import { MIN_REPEATS } from '../judge/method.js';
import { isRun, withRun } from '../record/archive.js';
import { writeFileAtomic } from '../store.js';
import { indexedLosses } from './known-losses.js';
import { runIn } from './run.js';
import { indexedRun, unmeasured } from './site/runs.js';
import { siteHtml } from './site/site.js';
import { markdownLine } from './table.js';
import { NOBODY, phrase, templateBeside } from './template.js';
import { counted, QUESTIONS, questionOf, topicOf } from './words.js';

/** @import { IndexedRun } from '../types.d.ts' */

/** Sentences of an answer: the report has the rest. */
const SENTENCES = 2;

const write = templateBeside(import.meta.url, 'templates/index.hbs');

/** First line of the index: a file that begins otherwise is someone else's. */
const OURS = '<!-- Written by ladderbench after each run: the list of the runs in this folder. -->';
/** Files of a run that the list is made from. */
const LISTED = /^(plan|environment)\.json$|^results\/[^/]+$/;
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
        return withRun(join(reports, name), (data) => rowOf(data, name), {
          wanted: (file) => LISTED.test(file),
        });
      } catch (error) {
        // One run that cannot be read spoils its own row and no other.
        unreadable.push(`in the list of runs, ${name} has no figures: ${causeOf(error)}`);
        return { name, cells: MISSING, titles: [], indexed: null };
      }
    });
  const [list, page] = files;
  const indexed = runs.flatMap((run) => run.indexed ?? []);
  const index = { schemaVersion: /** @type {const} */ (1), runs: indexed, unmeasured: unmeasured(indexed) };
  const { text } = write(NOBODY, { runs, questions: questionsIn(runs), unmeasured: index.unmeasured });
  if (!theirs.includes(list)) writeFileAtomic(list, `${OURS}\n\n${text}\n`);
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
 * `name`: of the run; `cells`: how many of its measurements are valid; `titles`: of its systems; `indexed`: what the results site
 * has of it, null where its files cannot be read.
 * @typedef {{name: string, cells: string, titles: string[], indexed: IndexedRun | null}} Listed
 */

/**
 * @param {Listed[]} runs newest first
 * @returns {{question: string, told: Listed[], others: Listed[]}[]} of each question its runs; none of what is about too much
 *   for one answer
 */
function questionsIn(runs) {
  const orderOf = (/** @type {Listed[]} */ [{ indexed }]) => QUESTIONS.indexOf(indexed?.question ?? 'ahead');
  const textOf = (/** @type {Listed} */ { indexed }) => phrase('questionText', indexed);
  const asked = runs.filter(({ indexed }) => indexed && (indexed.question !== 'ahead' || indexed.topic));
  return groupBy(asked, textOf)
    .sort((a, b) => orderOf(a) - orderOf(b))
    .map((own) => {
      const told = answersAmong(own);
      return { question: textOf(own[0]), told, others: own.filter((run) => !told.includes(run)) };
    });
}

/**
 * One that could name a winner says more than a newer one that could not.
 * @param {Listed[]} own runs of one question, newest first
 * @returns {Listed[]} the newest one, and what older ones say of systems that it does not have
 */
function answersAmong(own) {
  const deciding = own.filter(({ indexed }) => Number(indexed?.trials) >= MIN_REPEATS);
  const [best, ...older] = deciding.length > 0 ? deciding : own;
  const told = [best];
  for (const run of older) {
    const known = new Set(told.flatMap(idsOf));
    if (idsOf(run).some((id) => !known.has(id))) told.push(run);
  }
  return told;
}

/** @param {Listed} run @returns {string[]} ids of its systems */
function idsOf({ indexed }) {
  return indexed?.systems.map(({ id }) => id) ?? [];
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
 * @param {string} data folder with the files of the run
 * @param {string} name of the run
 * @returns {Listed}
 */
function rowOf(data, name) {
  const run = runIn(data);
  const { plan, verdicts, answers } = run;
  const starts = run.sideBySide.reduce((n, s) => n + s.starts, 0);
  const indexed = {
    ...indexedRun(name, measuredOf(run), run.environment),
    ...{ topic: topicOf(plan), question: questionOf(plan), losses: indexedLosses(run) },
    answer: answers.slice(0, SENTENCES).map(markdownLine).join(' '),
  };
  return {
    ...{ name, indexed, titles: indexed.systems.map(({ title }) => title) },
    cells: verdicts.total > 0 ? `${verdicts.valid} / ${verdicts.total}` : counted(starts, 'start'),
  };
}
