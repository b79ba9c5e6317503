import { heightOf, SCREEN } from '../../pages.js';
import { soakTables } from '../soak/table.js';
import { chooseOf } from './choose.js';
import { fitScreen, matrixTables, ofProducts } from './fit.js';
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
  const belowWith = (/** @type {string[]} */ choose) => ({
    intro: [trustOf(run), ...choose, ...machineOf(run)],
  });
  if (run.asksOfTime) return [{ ...above, parts: [{ tables: soakTables(run.soaks) }, belowWith(all)] }];
  if (matrices.length === 0) return withKills(run, above, belowWith(all));
  const picture = (/** @type {Matrix[]} */ own) => {
    // Times until a whole second was as before are too coarse to be divided in a picture.
    const hero = run.faults.length > 0 ? null : heroOf(plan, own);
    return hero ? { charts: [hero] } : null;
  };
  const fitting = (/** @type {string[]} */ choose) =>
    fitScreen(plan, matrices, { parts: [above, belowWith(choose)] }, picture);
  // Where all of it is too much, what nobody measured comes next: the picture is worth more.
  const whole = fitting(all);
  const shorter = fitting(measured);
  const hasRoom = whole.inside || (whole.fits && !shorter.inside);
  const below = belowWith(hasRoom ? all : measured);
  const { shown, rest, inside } = hasRoom ? whole : shorter;
  const hero = inside ? picture(shown) : null;
  const more = {
    intro: hasRoom ? [] : declared,
    ...(hero ? {} : picture(matrices)),
    tables: matrixTables(plan, rest, matrices),
  };
  return [
    {
      ...above,
      parts: [{ tables: matrixTables(plan, shown, matrices) }, hero, below],
    },
    ...(rest.length > 0
      ? [{ title: 'The other questions', ...more }]
      : more.charts || more.intro.length > 0
        ? [{ title: 'How much better, with intervals', ...more }]
        : []),
  ];
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
