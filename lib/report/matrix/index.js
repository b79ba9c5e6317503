import { MISSING } from '../../format.js';
import { contenders, declaredOf } from '../systems.js';
import { templateBeside } from '../template.js';
import { familiesOf } from './families.js';
import { faultMatrices } from './faults.js';
import { answerText, labelsOf } from './labels.js';
import { leadsText, unlikeText } from './lead-words.js';
import { questionsOf } from './questions.js';

/**
 * @import { Table } from '../table.js'
 * @import { Plan } from '../../types.d.ts'
 * @import { Run } from '../run.js'
 * @import { Question } from './questions.js'
 */

const write = templateBeside(import.meta.url, 'matrix.hbs');

/**
 * What a chooser asks, and what each system answers.
 * @typedef {object} Matrix
 * @property {string} title
 * @property {string[]} systems
 * @property {Question[]} questions
 */

/**
 * The first screen of a run, and the end of it in a terminal.
 * @param {import('./questions.js').Asked & Partial<Pick<Run, 'faults'>>} run
 * @returns {Matrix[]} one for each set of systems that did the same; of a run of faults, what these cost
 */
export function matricesOf(run) {
  const { plan, faults = [] } = run;
  if (faults.length > 0) return faultMatrices(plan, faults);
  const families = familiesOf(run);
  return families
    .map((family) => {
      const over = [...new Set(family.loads.map(({ transport }) => transport))].join(' and ');
      // What the same workload did over another transport has a name of its own.
      const isOne = families.filter(({ title }) => title === family.title).length === 1;
      return {
        title: isOne ? family.title : `${family.title} over ${over}`,
        systems: family.systems,
        questions: questionsOf(run, family),
      };
    })
    .filter(({ questions }) => questions.length > 0);
}

/**
 * @param {Plan} plan
 * @param {Pick<Matrix, 'systems' | 'questions'>} matrix
 * @param {ReturnType<typeof labelsOf>} [labels]
 * @returns {Table}
 */
export function matrixTable(plan, { systems: all, questions }, { head, labelOf } = labelsOf(questions)) {
  const isKnown = (/** @type {Question} */ q) => (/** @type {string} */ id) => answerText(q, id) !== MISSING;
  // Who has no rival here, and so no figure, has a column where its own figures are.
  const systems = all.filter((id) => questions.some((q) => isKnown(q)(id)));
  const able = contenders(plan, systems);
  const ours = systems.filter((id) => !able.includes(id));
  const rows = questions.map((question) => ({
    label: labelOf(question),
    outcome:
      question.leads.length > 0
        ? leadsText(plan, question.leads, able.filter(isKnown(question)).length)
        : unlikeText(question.comparisons),
    answers: [...able, ...ours].map((system) => ({
      ...{ ...declaredOf(plan, system), system, said: answerText(question, system) },
      ours: ours.includes(system),
      won: question.leads.some(({ best }) => best?.some((own) => own.system === system)),
    })),
  }));
  return write(plan, { head, ranked: able.length > 1, rows }).tables[0];
}
