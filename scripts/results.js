import { groupBy } from '../lib/group-by.js';
import { MIN_REPEATS } from '../lib/judge/method.js';
import { linkTo, markdownTable, table } from '../lib/report/table.js';
import { phrase } from '../lib/report/template.js';

/** @import { IndexedRun, ResultsIndex } from '../lib/types.d.ts' */

/** Rows of the table: a reader who wants more has the list of all reports. */
const MOST = 8;
/** What decides: who wins, or that nobody does. */
const DECIDED = new Set(['winner', 'at least', 'tie']);
/** Between these two lines of README.md it stands. */
const BLOCK =
  /(<!-- results: written by node scripts\/results\.mjs -->\n)[\s\S]*?(<!-- end of results -->\n)/;

/**
 * A run for each job: one that decides something, of most systems, the newest of these. What most products were measured
 * for stands first.
 * @param {ResultsIndex} index
 * @returns {IndexedRun[]}
 */
export function resultsAmong({ runs }) {
  const jobs = groupBy(runs.filter(isDecided), jobOf).map(
    (own) => own.sort((a, b) => weightOf(b) - weightOf(a))[0],
  );
  return jobs.sort((a, b) => productsOf(b) - productsOf(a)).slice(0, MOST);
}

/** @param {IndexedRun} run @returns {string} what it is about, or asks */
function jobOf({ topic, question }) {
  const asked = phrase('questionText', { topic: null, question });
  return question === 'ahead' ? String(topic) : asked[0].toUpperCase() + asked.slice(1);
}

/** @param {IndexedRun} run @returns {string} its job; what compares no products says so first */
function titleOf(run) {
  return productsOf(run) > 0 ? jobOf(run) : `${jobOf(run)} (our own servers, no products)`;
}

/** @param {IndexedRun} run */
function isDecided({ question, topic, trials, loads, losses = [] }) {
  if (question === 'kill') return losses.length > 0;
  const isOne = question === 'ahead' && topic !== null && trials >= MIN_REPEATS;
  const all = loads.flatMap(({ metrics }) => Object.values(metrics));
  return isOne && all.some(({ outcome }) => DECIDED.has(outcome));
}

/** @param {IndexedRun} run @returns {number} a system in a container is one more step away from what it can do */
function weightOf({ engine, systems }) {
  return systems.length - (engine === 'docker' ? 0.5 : 0);
}

/** @param {IndexedRun} run @returns {number} each counts once, whatever its settings */
function productsOf({ systems }) {
  return new Set(systems.filter((s) => !s.ours).map(({ id }) => id.split('@')[0])).size;
}

/** @param {IndexedRun} run @returns {string} Markdown */
function linkOf({ date, run }) {
  return linkTo(date, `reports/${run}/README.md`);
}

/**
 * @param {IndexedRun} own
 * @param {ResultsIndex} index
 * @returns {string[]} Markdown: other runs of the same job, with the products that only they have
 */
function alsoOf(own, { runs }) {
  const known = new Set(own.systems.map(({ id }) => id.split('@')[0]));
  return runs
    .filter((run) => isDecided(run) && jobOf(run) === jobOf(own))
    .flatMap((run) => {
      const others = run.systems.filter(({ id, ours }) => !ours && !id.includes('@') && !known.has(id));
      for (const { id } of others) known.add(id);
      return others.length > 0 ? [`${others.map(({ title }) => title).join(', ')}: ${linkOf(run)}`] : [];
    });
}

/**
 * @param {string} readme
 * @param {ResultsIndex} index
 * @returns {string} the README with its table of results as the index has them
 */
export function withResults(readme, index) {
  if (!BLOCK.test(readme)) throw new Error('README.md has no lines between which its results stand');
  const rows = table(
    ['job', 'result', 'report'],
    resultsAmong(index).map((own) => [
      titleOf(own),
      { markdown: own.answer },
      { markdown: [linkOf(own), ...alsoOf(own, index)].join(' · ') },
    ]),
  );
  return readme.replace(BLOCK, (_, begin, end) => `${begin}\n${markdownTable(rows)}\n\n${end}`);
}
