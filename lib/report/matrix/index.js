import { MISSING } from '../../format.js';
import { groupBy } from '../../group-by.js';
import { left, right, table } from '../table.js';
import { titleOf } from '../words.js';
import { contenders } from './contenders.js';
import { familiesOf } from './families.js';
import { faultMatrices } from './faults.js';
import { leadsText, unlikeText } from './lead-words.js';
import { questionsOf } from './questions.js';
import { pairedQuestions, titleOfGroup } from './side-by-side.js';

/**
 * @import { Table } from '../table.js'
 * @import { Plan } from '../../types.d.ts'
 * @import { Run } from '../run.js'
 * @import { Question } from './questions.js'
 */

/**
 * What a chooser asks, and what each system answers.
 * @typedef {object} Matrix
 * @property {string} title
 * @property {string} work that the systems did; empty where it is several
 * @property {string[]} systems
 * @property {Question[]} questions
 */

/** A matrix before it has a title. @typedef {Omit<Matrix, 'title'> & {how: string}} Untitled `how` it was measured, where that is told */

/**
 * The first screen of a run, and the end of it in a terminal.
 * @param {Pick<Run, 'plan' | 'rows' | 'wholes' | 'lifecycle' | 'kills' | 'sideBySide' | 'beside'> & Partial<Pick<Run, 'faults'>>} run
 * @returns {Matrix[]} one for each set of systems that did the same; of a run of faults, what these cost
 */
export function matricesOf(run) {
  const { plan, sideBySide, faults = [] } = run;
  if (faults.length > 0) return faultMatrices(plan, faults);
  const paired = pairedMatrices(plan, sideBySide);
  const families = familiesOf(run);
  const titles = families.map(({ title }) => title);
  const all = [
    ...paired,
    ...families.map((family) => ({
      // What the same workload did over another transport has a name of its own.
      work:
        titles.indexOf(family.title) < titles.lastIndexOf(family.title) || isBesideOthers(family, sideBySide)
          ? `${family.title}${overText(family)}`
          : family.title,
      how: paired.length > 0 ? 'one system after another' : '',
      systems: family.systems,
      questions: questionsOf(run, family),
    })),
  ].filter(({ questions }) => questions.length > 0);
  return titled(all);
}

/**
 * @param {Untitled[]} matrices
 * @returns {Matrix[]} named by their work and how it was measured; where all of them are of the same work, by the latter
 *   alone: the page is named after the work
 */
export function titled(matrices) {
  const works = new Set(matrices.map(({ work }) => work).filter((work) => work !== ''));
  const isOneWork = matrices.length > 1 && works.size < 2 && matrices.every(({ how }) => how !== '');
  return matrices.map(({ how, ...matrix }) => {
    if (isOneWork || matrix.work === '') return { ...matrix, title: how[0].toUpperCase() + how.slice(1) };
    return { ...matrix, title: how === '' ? matrix.work : `${matrix.work}, ${how}` };
  });
}

/**
 * @param {Plan} plan
 * @param {Run['sideBySide']} sideBySide
 * @returns {Untitled[]} one for each set of systems: what the same ones did on several workloads is one matrix
 */
function pairedMatrices(plan, sideBySide) {
  const done = sideBySide.filter(({ starts, comparisons }) => starts > 0 && comparisons.length > 0);
  return groupBy(done, ({ group }) => group.systems.join('\n')).map((own) => {
    const [{ group }] = own;
    return {
      work: own.length > 1 ? '' : titleOfGroup(plan, sideBySide, group),
      how: 'side by side',
      systems: [...group.systems],
      questions: own.flatMap((summary) =>
        pairedQuestions(plan, summary).map((q) =>
          own.length > 1 ? among(q, titleOfGroup(plan, sideBySide, summary.group)) : q,
        ),
      ),
    };
  });
}

/**
 * @param {import('./families.js').Family} family
 * @param {Run['sideBySide']} sideBySide
 * @returns {boolean} whether its workloads were compared side by side over a transport that is none of its own
 */
function isBesideOthers({ loads }, sideBySide) {
  return sideBySide.some(
    ({ group, starts }) =>
      starts > 0 &&
      loads.some((l) => l.facts.id === group.workload) &&
      loads.every((l) => l.transport !== group.transport),
  );
}

/** @param {import('./families.js').Family} family @returns {string} ` over resp and http` */
function overText({ loads }) {
  return ` over ${[...new Set(loads.map(({ transport }) => transport))].join(' and ')}`;
}

/**
 * @param {Question} question
 * @param {string} title of its workload
 * @returns {Question} as it is asked among those of others
 */
function among(question, title) {
  return askedOf(question, `${title}, ${question.where.replace(/^mix, /, '')}`);
}

/**
 * @param {Question} question of a load
 * @param {string} where the load's other name
 * @returns {Question} the same of it by that name
 */
export function askedOf(question, where) {
  return { ...question, where, text: where + question.text.slice(question.where.length) };
}

/**
 * What all of them have in common stands once, in the head: the unit, and then the operation.
 * @param {Question[]} questions
 * @returns {{head: string, labelOf: (question: Question) => string}}
 */
export function labelsOf(questions) {
  const loads = questions.filter((q) => q.where);
  const units = new Set(loads.map(({ text, where }) => text.slice(where.length + 2)));
  // Beside loads that were compared side by side, what is no load's tells its unit itself.
  const isOfLoads = loads.length === questions.length || loads.some((q) => q.dimension === 'per CPU');
  if (units.size !== 1 || !isOfLoads) {
    const [first, ...others] = new Set(loads.map(({ where }) => where.split(', ', 1)[0]));
    if (first === undefined || others.length > 0 || loads.length < 2)
      return { head: '', labelOf: (q) => q.text };
    return { head: first, labelOf: (q) => (q.where ? q.text.slice(first.length + 2) : q.text) };
  }
  const [unit] = units;
  const operations = new Set(loads.map(({ where }) => where.split(', ', 1)[0]));
  const [operation] = operations;
  const labelled = (/** @type {(where: string) => string} */ label) => (/** @type {Question} */ q) =>
    q.where ? label(q.where) : q.text;
  return operations.size === 1 && loads.length > 1
    ? { head: `${operation}: ${unit}`, labelOf: labelled((where) => where.slice(operation.length + 2)) }
    : { head: unit, labelOf: labelled((where) => where) };
}

/** @param {Question[]} questions */
function isUnranked(questions) {
  return questions.every(
    ({ dimension, leads }) => dimension === 'recovery' && leads.every(({ outcome }) => outcome === 'too few'),
  );
}

/**
 * @param {Plan} plan
 * @param {Pick<Matrix, 'systems' | 'questions'>} matrix
 * @returns {Table}
 */
export function matrixTable(plan, { systems: all, questions }) {
  const { head, labelOf } = labelsOf(questions);
  // Who has no rival here, and so no figure, has a column where its own figures are.
  const systems = all.filter((id) => questions.some((q) => (q.values.get(id) ?? MISSING) !== MISSING));
  const able = contenders(plan, systems);
  const ours = systems.filter((id) => !able.includes(id));
  return table(questions, [
    left(head, labelOf),
    // Too few repeats, or unlike promises, rank nobody: of what faults cost the column would say so in each row.
    ...(able.length > 1 && !isUnranked(questions)
      ? [
          left('outcome (95 % CI)', (/** @type {Question} */ question) => ({
            markdown:
              question.leads.length > 0
                ? leadsText(plan, question.leads, fieldAmong(question, able))
                : unlikeText(question),
          })),
        ]
      : []),
    ...able.map((id) =>
      right(titleOf(plan, id), (/** @type {Question} */ { values, leads }) => {
        const text = values.get(id) ?? '–';
        return leads.some((l) => l.winner === id && l.outcome !== 'too few') ? { strong: text } : text;
      }),
    ),
    ...ours.map((id) =>
      right(`${titleOf(plan, id)}, no product`, (/** @type {Question} */ { values }) => ({
        markdown: `*${values.get(id) ?? '–'}*`,
      })),
    ),
  ]);
}

/** @param {Question} question @param {string[]} able @returns {number} of them that have a figure */
function fieldAmong({ values }, able) {
  return able.filter((id) => (values.get(id) ?? MISSING) !== MISSING).length;
}
