import { matrixTable } from '../../matrix/index.js';
import { whereText } from '../../matrix/labels.js';
import { usersText } from '../../steps.js';
import { phrase } from '../../template.js';

/**
 * @import { Lead } from '../../../record/lead.js'
 * @import { Matrix } from '../../matrix/index.js'
 * @import { Answer, Question } from '../../matrix/questions.js'
 * @import { Table } from '../../table.js'
 * @import { Plan } from '../../../types.d.ts'
 */

/** Rows that a reader takes in first. */
const MOST_ROWS = 8;
/** Rows of which a load that all of them have is said once. */
const LEAST_ROWS = 2;
/** How much it matters what became of a question, against how large a difference is and how much it was asked for. */
const OUTCOMES = Object.freeze({
  winner: 3,
  'at least': 3,
  tie: 2,
  inconclusive: 1,
  'too few': 1,
  'not comparable': 0,
});
/** The greatest weight of a question, and a ratio as large as one of two outcomes is above the next. */
const [WEIGHT, TENFOLD] = [10, 10];

/**
 * The rows that matter most, in their order: what is decided, what differs most, what was asked for. Where a question stands
 * in a run says nothing of that.
 * @param {Matrix[]} matrices
 * @returns {{shown: Matrix[], rest: Matrix[]}}
 */
export function firstRows(matrices) {
  matrices = matrices.map(withCores);
  const all = matrices.flatMap(({ questions }) => questions);
  // Each set of systems has a row before one has two.
  const first = new Set(matrices.map(({ questions }) => [...questions].sort(byWorth)[0]));
  const isFirst = (/** @type {Question} */ q) => Number(first.has(q));
  const shown = new Set(
    [...all].sort((a, b) => isFirst(b) - isFirst(a) || byWorth(a, b)).slice(0, MOST_ROWS),
  );
  const those = (/** @type {boolean} */ wanted) =>
    matrices
      .map((m) => ({ ...m, questions: m.questions.filter((q) => shown.has(q) === wanted) }))
      .filter(({ questions }) => questions.length > 0);
  return { shown: those(true), rest: those(false) };
}

/** Operations a second, for which a server has to be bought. */
const ASKED_PER_SEC = 100_000;

/**
 * @param {Matrix} matrix
 * @returns {Matrix} with the CPUs that a load takes, of the last one of which the CPU per operation is known
 */
function withCores(matrix) {
  const priced = matrix.questions.filter(({ dimension }) => ['per CPU', 'CPU'].includes(dimension));
  // A pipeline is not what a server is bought for.
  const last = priced.filter(({ load }) => (load?.depth ?? 1) === 1).at(-1) ?? priced.at(-1);
  if (!last || matrix.systems.length < 2) return matrix;
  const cores = [...last.answers].map(([id, { figure, value = null }]) => {
    const us = figure?.median ?? value;
    const own = us && Number(((us * ASKED_PER_SEC) / 1e6).toPrecision(2));
    return /** @type {[string, Answer]} */ ([id, { figure: null, value: own }]);
  });
  /** @type {Question} */
  const question = {
    ...{ dimension: 'CPU', metric: 'cpu', unit: '', load: null, comparisons: [], leads: [], weight: 9.9 },
    measure: phrase('coresText', { where: whereText(last), perSec: ASKED_PER_SEC }),
    answers: new Map(cores),
  };
  return { ...matrix, questions: [...matrix.questions, question] };
}

/** @param {Question} a @param {Question} b */
function byWorth(a, b) {
  return worthOf(b) - worthOf(a);
}

/** @param {Question} question */
function worthOf({ leads, weight }) {
  const sizeOf = (/** @type {Lead} */ { ratio, outcome }) =>
    ratio && OUTCOMES[outcome] > OUTCOMES.tie ? Math.log(ratio.estimate) / Math.log(TENFOLD) : 0;
  return Math.max(0, ...leads.map((lead) => OUTCOMES[lead.outcome] + sizeOf(lead))) + weight / WEIGHT;
}

/**
 * @param {Plan} plan
 * @param {Matrix[]} own to be shown
 * @param {Matrix[]} all of the run: where there are several, each has its name
 * @returns {Table[]}
 */
export function matrixTables(plan, own, all) {
  if (all.length === 1) return own.map((matrix) => matrixTable(plan, matrix));
  return own.map(withSharedLoad).map((matrix) => ({
    ...matrixTable(plan, matrix),
    caption: `**${matrix.title}**`,
  }));
}

/**
 * @param {Matrix} matrix
 * @returns {Matrix} of which the title tells the users that all its rows have, and no row repeats them
 */
function withSharedLoad(matrix) {
  const { load, questions } = sharedLoadOf(matrix.questions);
  return load === '' ? matrix : { ...matrix, title: `${matrix.title}, ${load}`, questions };
}

/**
 * @param {Matrix['questions']} questions
 * @returns {{load: string, questions: Matrix['questions']}} the users that all of them have, and the questions without it;
 *   empty, and as they were, where they are asked under several
 */
export function sharedLoadOf(questions) {
  const users = new Set(questions.map(({ load }) => (load ? usersText(load) : '')));
  const [shared] = users;
  const isShared = users.size === 1 && shared !== '' && questions.length >= LEAST_ROWS;
  if (!isShared || questions.some(({ load }) => !load?.title && !load?.operation))
    return { load: '', questions };
  return {
    load: shared,
    questions: questions.map((q) => ({ ...q, load: q.load && { ...q.load, users: 0 } })),
  };
}

/** Columns of systems that a table of the page takes. */
const MOST_SYSTEMS = 5;

/**
 * @param {Matrix} matrix
 * @returns {Matrix} of products alone where there are too many systems to read: what a setting costs has a table of its own
 */
export function ofProducts(matrix) {
  const { systems: all, questions } = matrix;
  if (all.length <= MOST_SYSTEMS) return matrix;
  const systems = all.filter((id) => !id.includes('@') || !all.includes(id.split('@')[0]));
  return {
    ...matrix,
    systems,
    questions: questions.map((q) => ({
      ...q,
      leads: q.leads.filter((lead) => lead.systems.every((id) => systems.includes(id))),
    })),
  };
}
