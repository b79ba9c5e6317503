import { heightOf, SCREEN } from '../../pages.js';
import { soakTables } from '../soak/table.js';
import { neverMeasured } from './absent.js';
import { chooseOf } from './choose.js';
import { fitScreen, matrixTables, ofProducts, rowsOf } from './fit.js';
import { heroOf } from './hero.js';
import { killsBySystem, killsTable } from './kills.js';
import { machineOf } from './machine.js';
import { trustOf } from './trust.js';

/**
 * @import { Matrix } from '../../matrix/index.js'
 * @import { Run } from '../../run.js'
 * @import { Section } from '../../view.js'
 */

/**
 * What a person who has to choose reads first: who is ahead, on what, by how much, whether to believe it, when to
 * use which, and how to measure it again. All of it is seen at once; what is left over comes next.
 * @param {Run} run
 * @returns {Section[]}
 */
export function section(run) {
  const { plan, answers } = run;
  const matrices = run.matrices.map(ofProducts);
  const summary = summaryOf(answers);
  const above = { ...summary, intro: [...partialOf(run), ...(summary.intro ?? [])] };
  // What manifests say of a use is no answer to what a fault costs.
  const { measured, declared, all } = chooseOf(plan, run.faults.length > 0 ? [] : run.matrices);
  const belowWith = (/** @type {string[]} */ choose, hasAbsent = true) => ({
    intro: [trustOf(run), ...choose, ...machineOf(run, hasAbsent)],
  });
  if (run.asksOfTime) return [{ ...above, parts: [{ tables: soakTables(run.soaks) }, belowWith(all)] }];
  if (matrices.length === 0) return withKills(run, above, belowWith(all));
  // Times until a whole second was as before are too coarse to be divided in a picture.
  const picture = (/** @type {Matrix[]} */ own, isBeside = true) =>
    run.faults.length > 0 ? null : heroOf(plan, own, isBeside);
  const fitting = (/** @type {import('../../view.js').Section} */ below) => ({
    ...fitScreen(plan, matrices, { above, below }, picture),
    below,
  });
  // Where all of it is too much, what nobody measured comes next: answers and the picture are worth more.
  const whole = fitting(belowWith(all));
  const shorter = fitting(belowWith(measured, false));
  const hasRoom =
    shorter.hero === null
      ? whole.hero !== null || whole.fits
      : whole.hero !== null && rowsOf(whole.shown) >= rowsOf(shorter.shown);
  const { shown, rest, hero, below } = hasRoom ? whole : shorter;
  const wide = hero ? null : picture(matrices, false);
  const more = {
    intro: hasRoom ? [] : [...declared, ...neverMeasured(plan)],
    charts: wide ? [wide] : [],
    tables: matrixTables(plan, rest, matrices),
  };
  return [
    {
      ...above,
      parts: [{ tables: matrixTables(plan, shown, matrices) }, { ...below, beside: hero }],
    },
    ...(rest.length + more.charts.length + more.intro.length > 0
      ? [{ title: titleOfRest(rest, more.charts), ...more }]
      : []),
  ];
}

/**
 * @param {Matrix[]} rest questions that come after the first screen
 * @param {object[]} charts
 */
function titleOfRest(rest, charts) {
  if (rest.length > 0) return 'The other questions';
  return charts.length > 0 ? 'How much better, with intervals' : 'What nobody measured here';
}

/** Sentences that a paragraph holds; more of them are a list. */
const SENTENCES = 2;

/**
 * @param {string[]} answers Markdown
 * @returns {Pick<Section, 'intro' | 'notes'>}
 */
function summaryOf(answers) {
  const title = '**Executive summary**';
  return answers.length > SENTENCES
    ? { intro: [title], notes: answers }
    : { intro: [`${title} ${answers.join(' ')}`] };
}

/**
 * Of a run that only kills: its table is what the matrix is to others.
 * @param {Run} run
 * @param {Section} above
 * @param {Section} below
 * @returns {Section[]}
 */
function withKills(run, above, below) {
  const kills = killsTable(run, []);
  if (!kills) return [{ ...above, parts: [below] }];
  const whole = { ...above, parts: [kills, below] };
  return heightOf(whole) <= SCREEN
    ? [whole]
    : [
        { ...above, parts: [below] },
        { title: 'What each of them lost', ...killsBySystem(run) },
      ];
}

/**
 * @param {Run} run
 * @returns {string[]} how much of a run that was broken off is there
 */
function partialOf({ plan, measured }) {
  const planned = plan.blocks.filter((b) => b.role === 'system').reduce((n, b) => n + b.cells.length, 0);
  const finished = measured.filter((r) => r.status !== 'aborted').length;
  if (finished >= planned) return [];
  return [
    `> **Partial run**: ${finished} of ${planned} cells were measured. \`./run-all.sh --resume ${plan.runId}\` measures the rest.`,
  ];
}
