import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { causeOf } from '../errors.js';
import { groupBy } from '../group-by.js';
import { MIN_REPEATS } from '../judge/method.js';
import { ARCHIVE, isPacked, runsIn, withRun } from '../record/archive.js';
import { sha256, writeFileAtomic } from '../store.js';
import { INDEX, indexedIn } from './beside.js';
import { runIn } from './run.js';
import { indexedRun, unmeasured } from './site/runs.js';
import { siteHtml } from './site/site.js';
import { NOBODY, phrase, templateBeside } from './template.js';
import { QUESTIONS } from './words.js';

/** @import { IndexedRun } from '../types.d.ts' */

const write = templateBeside(import.meta.url, 'templates/index.hbs');

/** First line of the index: a file that begins otherwise is someone else's. */
const OURS = '<!-- Written by ladderbench after each run: the list of the runs in this folder. -->';
/** Files of a run that the list is made from. @param {string} file */
const wanted = (file) => /^(plan|environment)\.json$|^results\/[^/]+$/.test(file);
/** What the results site says of itself. */
const MARK = '<meta name="generator" content="ladderbench">';

/**
 * Writes into a folder of runs: `README.md`, the newest answer to each question, who was never measured, and every run;
 * `index.json`, what every run measured; and `index.html`, which shows that. What `index.json` has of an archive that is still
 * the same is taken from there: the list of a hundred runs is made without reading them.
 * @param {string} reports folder of runs
 * @param {(run: string) => boolean} [isAnew] whether a run is read although it did not change: today's code may say more of it
 * @returns {string[]} what to tell the user; a file that is not ours stays as it is
 */
export function writeIndex(reports, isAnew = () => false) {
  const [list, page] = ['README.md', 'index.html'].map((name) => join(reports, name));
  const theirs = [list, page].filter((path) => !isOurs(path));
  const told = theirs.map((path) => `${path} is not ours: the list of runs was not written`);
  if (theirs.length > 1) return told;
  /** @type {string[]} */
  const unreadable = [];
  const before = new Map(indexedIn(reports).map((indexed) => [indexed.run, indexed]));
  const runs = runsIn(reports)
    .reverse()
    .map((name) => {
      const folder = join(reports, name);
      try {
        const archive = sumOfArchive(folder);
        const indexed = isAnew(name) ? undefined : before.get(name);
        if (archive !== null && indexed?.archive === archive) return { name, indexed };
        const read = (/** @type {string} */ data) => indexedRun(name, runIn(data), archive);
        return { name, indexed: withRun(folder, read, { wanted }) };
      } catch (error) {
        // One run that cannot be read spoils its own row and no other.
        unreadable.push(`in the list of runs, ${name} has no figures: ${causeOf(error)}`);
        return { name, indexed: null };
      }
    });
  const indexed = runs.flatMap((run) => run.indexed ?? []);
  const index = { schemaVersion: /** @type {const} */ (2), runs: indexed, unmeasured: unmeasured(indexed) };
  const { text } = write(NOBODY, { runs, questions: questionsIn(indexed), unmeasured: index.unmeasured });
  if (!theirs.includes(list)) writeFileAtomic(list, `${OURS}\n\n${text}\n`);
  if (!theirs.includes(page)) {
    writeFileAtomic(join(reports, INDEX), `${JSON.stringify(index)}\n`);
    writeFileAtomic(page, siteHtml(index).replace('<head>\n', `<head>\n${MARK}\n`));
  }
  return [...told, ...unreadable];
}

/**
 * @param {IndexedRun[]} runs newest first
 * @returns {{question: string, told: IndexedRun[], others: IndexedRun[]}[]} of each question its runs; none of what is about too
 *   much for one answer
 */
function questionsIn(runs) {
  const orderOf = (/** @type {IndexedRun[]} */ [{ question }]) => QUESTIONS.indexOf(question);
  const textOf = (/** @type {IndexedRun} */ run) => phrase('questionText', run);
  const asked = runs.filter(({ question, topic }) => question !== 'ahead' || topic);
  return groupBy(asked, textOf)
    .sort((a, b) => orderOf(a) - orderOf(b))
    .map((own) => {
      const told = answersAmong(own);
      return { question: textOf(own[0]), told, others: own.filter((run) => !told.includes(run)) };
    });
}

/**
 * One that could name a winner says more than a newer one that could not.
 * @param {IndexedRun[]} own runs of one question, newest first
 * @returns {IndexedRun[]} the newest one, and what older ones say of systems that it does not have
 */
function answersAmong(own) {
  const deciding = own.filter(({ trials }) => trials >= MIN_REPEATS);
  const [best, ...older] = deciding.length > 0 ? deciding : own;
  const told = [best];
  const idsOf = (/** @type {IndexedRun} */ { systems }) => systems.map(({ id }) => id);
  for (const run of older) {
    const known = new Set(told.flatMap(idsOf));
    if (idsOf(run).some((id) => !known.has(id))) told.push(run);
  }
  return told;
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
 * @param {string} runFolder
 * @returns {string | null} what no other data have: the SHA-256 of its archive; null of a run whose files lie open
 */
function sumOfArchive(runFolder) {
  const path = join(runFolder, ARCHIVE);
  // A pipe would be waited for without end.
  if (!isPacked(runFolder) || !statSync(path).isFile()) return null;
  return sha256(readFileSync(path));
}
