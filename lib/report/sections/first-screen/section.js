import { lossTable } from '../losses/answer.js';
import { soakTables } from '../time/soak.js';
import { neverMeasured } from './absent.js';
import { chooseOf } from './choose.js';
import { firstRows, matrixTables, ofProducts } from './fit.js';
import { heroOf } from './hero.js';
import { machineOf } from './machine.js';
import { trustOf } from './trust.js';

/**
 * @import { Run } from '../../run.js'
 * @import { Section } from '../../view.js'
 */

/**
 * What a person who has to choose reads first: who is ahead, on what, by how much, when to use which, whether to believe it,
 * and how to measure it again; always in this order, and of the rows those that matter most. What is left over comes next.
 * @param {Run} run
 * @returns {Section[]}
 */
export function section(run) {
  const { plan } = run;
  const matrices = run.matrices.map(ofProducts);
  const summary = summaryOf(run.answers);
  const above = { ...summary, intro: [...partialOf(run), ...(summary.intro ?? [])] };
  const { shown, rest } = firstRows(matrices);
  // What is asked of a load stands in the chapters of loads.
  const others = rest
    .map((m) => ({ ...m, questions: m.questions.filter((q) => q.where === '') }))
    .filter(({ questions }) => questions.length > 0);
  // Times until a whole second was as before are too coarse to be divided in a picture.
  const hero = run.faults.length > 0 ? null : heroOf(plan, matrices);
  const tables = run.asksOfTime ? soakTables(run.soaks) : matrixTables(plan, shown, matrices);
  const kills = tables.length === 0 && run.kills.length > 0 ? lossTable(run) : null;
  // What manifests say of a use is no answer to what a fault costs.
  const choose = run.faults.length > 0 ? [] : chooseOf(plan, run.matrices);
  const below = { intro: [...choose, trustOf(run), ...machineOf(run), ...neverMeasured(plan)] };
  return [
    { ...above, parts: [{ tables, charts: hero ? [hero] : [] }, kills, below] },
    ...(others.length > 0
      ? [
          {
            title: 'Cost and failures beside the loads',
            folded: true,
            tables: matrixTables(plan, others, matrices),
          },
        ]
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
  const title = '**Result:**';
  return answers.length > SENTENCES
    ? { intro: [title], notes: answers }
    : { intro: [`${title} ${answers.join(' ')}`] };
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
    `> **Partial run**: ${finished} of ${planned} cells were measured. \`./run-all.sh ${['--resume', plan.runId, plan.options.again?.resume].filter(Boolean).join(' ')}\` measures the rest.`,
  ];
}
