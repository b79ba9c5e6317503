import { MISSING } from '../../../format.js';
import { groupBy } from '../../../group-by.js';
import { matrixTable } from '../../matrix/index.js';
import { answerText, labelsOf, whereText } from '../../matrix/labels.js';
import { asQuestion } from '../../matrix/questions.js';
import { contenders, declaredOf, versionOf } from '../../systems.js';
import { plainText } from '../../table.js';
import { phrase } from '../../template.js';
import { indexedLosses } from '../losses/answer.js';

/**
 * @import { Lead } from '../../../figures/lead.js'
 * @import { Matrix } from '../../matrix/index.js'
 * @import { Answer, Question } from '../../matrix/questions.js'
 * @import { Table } from '../../table.js'
 * @import { Plan } from '../../../types.d.ts'
 * @import { Run } from '../../run.js'
 */

/** Rows that a reader takes in first, the px that they may take of a screen, and what a note takes of these. */
const [MOST_ROWS, MOST_PX, NOTE_PX] = [8, 290, 20];
/** How a page sets a row: characters of a line of its name and of its outcome, px of a line, and of what stands around it. */
const SET = Object.freeze({ name: 27, outcome: 38, linePx: 24, aroundPx: 13 });
/** Columns of systems that a table of the page takes, and what more of them leave of name and outcome. */
const [MOST_SYSTEMS, CROWDED] = [5, 0.45];
/** Rows that say the same of one operation and metric: the strongest, and the weakest. */
const MOST_ALIKE = 2;
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
 * @param {Run} run
 * @param {number} [px] that they may take of a screen
 * @returns {{all: Matrix[], shown: Matrix[], rest: Matrix[], losses: Losses | null}} the rows of the first screen, and those
 *   that it leaves out; `all`: with servers of this project
 */
export function rowsOf(run, px = MOST_PX - (run.note ? NOTE_PX : 0)) {
  const all = run.matrices.map(ofProducts);
  // Servers of this project have one sentence beside products.
  const matrices = all.map((m) => ({ ...m, systems: contenders(run.plan, m.systems) }));
  const losses = lossesOf(run, matrices);
  return { all, ...firstRows(run.plan, matrices, losses?.question, px), losses };
}

/**
 * @param {Plan} plan
 * @param {Question} question
 * @param {Pick<Matrix, 'systems' | 'questions'>} matrix in which it stands
 * @returns {number} px that its row takes, of which name or outcome may need several lines
 */
function pxOf(plan, question, { systems, questions }) {
  const name = labelsOf(questions).labelOf(question);
  const [, outcome] = matrixTable(plan, { systems, questions: [question] }).rows[0].map(plainText);
  const part = systems.length > MOST_SYSTEMS ? CROWDED : 1;
  const lines = Math.max(
    Math.ceil(name.length / (SET.name * part)),
    question.leads.length > 0 ? Math.ceil(outcome.length / (SET.outcome * part)) : 1,
  );
  return SET.aroundPx + lines * SET.linePx;
}

/**
 * What a kill and a power cut take, of this run or of others that measured it. `runs`: those others; `ids`: whom to measure, none
 * of a run that kills; `question`: a row of the table, null where nothing is known.
 * @typedef {{runs: {run: string, date: string}[], ids: string[], question: Question | null}} Losses
 */

/**
 * @param {Run} run
 * @param {Matrix[]} matrices
 * @returns {Losses | null} null where systems are neither compared nor killed
 */
function lossesOf({ kills = [], faults = [], knownLosses = [], ...run }, matrices) {
  const isKilling = kills.length > 0;
  const asked = matrices.find(isCompared) ?? (isKilling ? matrices[0] : undefined);
  if (!asked || faults.length > 0) return null;
  const known = isKilling
    ? indexedLosses({ ...run, kills })
    : knownLosses.filter((loss) => loss.version === versionOf(run, loss.system));
  const lossOf = (/** @type {string} */ id) => known.find(({ system }) => system === id) ?? null;
  const found = asked.systems.map(lossOf);
  const measured = knownLosses.filter((loss) => found.includes(loss));
  const noteOf = (/** @type {string} */ id) => ({ figure: null, note: phrase('lossText', lossOf(id)) });
  const measure = phrase('lostText', new Set(run.plan.trials.map((t) => t.transport)).size > 1);
  const what = { metric: /** @type {const} */ ('failures'), measure, weight: 0 };
  return {
    runs: groupBy(measured, (loss) => loss.run).map(([loss]) => loss),
    ids: isKilling ? [] : asked.systems,
    question: found.some((loss) => loss !== null) ? asQuestion(run.plan, what, asked.systems, noteOf) : null,
  };
}

/**
 * The rows that matter most, in their order: what is decided, what differs most, what was asked for. Where a question stands
 * in a run says nothing of that.
 * @param {Plan} plan
 * @param {Matrix[]} all
 * @param {Question | null} [lost] what each system loses, which is always shown
 * @param {number} [px] that they may take
 * @returns {{shown: Matrix[], rest: Matrix[]}}
 */
export function firstRows(plan, all, lost = null, px = Number.POSITIVE_INFINITY) {
  const losing = all.find(isCompared) ?? all[0];
  const matrices = all.map((matrix) => {
    const own = withCores(plan, matrix);
    return lost && matrix === losing ? { ...own, questions: [...own.questions, lost] } : own;
  });
  // What a system did alone has its chapters, wherever others are compared.
  const compared = matrices.filter(isCompared);
  const telling = (compared.length > 0 ? compared : matrices).flatMap(tellingRows);
  // Each set of systems has a row before one has two.
  const own = matrices.map((matrix) => tellingRows(matrix).sort(byWorth));
  const first = new Set([lost, ...own.map(([strongest]) => strongest)]);
  const turned = new Set(own.map(turnedOf));
  const rankOf = (/** @type {Question} */ q) => 2 * Number(first.has(q)) + Number(turned.has(q));
  const sorted = telling.sort((a, b) => rankOf(b) - rankOf(a) || byWorth(a, b)).slice(0, MOST_ROWS);
  let left = px;
  const shown = new Set(
    sorted.filter((q) => {
      const matrix = /** @type {Matrix} */ (matrices.find(({ questions }) => questions.includes(q)));
      const own = pxOf(plan, q, matrix);
      const fits = first.has(q) || own <= left;
      if (fits) left -= own;
      return fits;
    }),
  );
  return { shown: asking(matrices, (q) => shown.has(q)), rest: asking(matrices, (q) => !shown.has(q)) };
}

/** @param {Matrix[]} matrices @param {(question: Question) => boolean} isKept @returns {Matrix[]} with these rows alone */
export function asking(matrices, isKept) {
  return matrices
    .map((m) => ({ ...m, questions: m.questions.filter(isKept) }))
    .filter(({ questions }) => questions.length > 0);
}

/**
 * @param {Question[]} rows the strongest first
 * @returns {Question | undefined} the strongest by whose metric another one wins, on another load
 */
function turnedOf([strongest, ...others]) {
  const winnersOf = (/** @type {Question} */ q) => q.leads.flatMap(({ winner }) => winner ?? []);
  const [winner] = strongest ? winnersOf(strongest) : [];
  return others.find(
    (q) => winner && q.metric === strongest.metric && winnersOf(q).some((id) => id !== winner),
  );
}

/** @param {Matrix} matrix */
function isCompared({ systems }) {
  return systems.length > 1;
}

/**
 * @param {Matrix} matrix
 * @returns {Question[]} its questions without those that say again what a stronger and a weaker one say
 */
function tellingRows({ questions }) {
  return groupBy(questions, sayingOf).flatMap((own) => {
    const [strongest, ...others] = [...own].sort(byWorth);
    return [strongest, ...others.slice(1 - MOST_ALIKE)];
  });
}

/** @param {Question} question @returns {string} what it says, but for how much */
function sayingOf({ metric, measure, load, leads }) {
  const outcomes = leads.map(({ outcome, winner, beaten }) => [outcome, winner, ...[...beaten].sort()]);
  return JSON.stringify([metric, measure, load?.title, load?.operation, outcomes]);
}

/** Operations a second, for which a server has to be bought. */
const ASKED_PER_SEC = 100_000;

/**
 * @param {Plan} plan
 * @param {Matrix} matrix
 * @returns {Matrix} with the CPUs that a load takes: of the last one by which somebody wins or ties, else of the last one
 */
function withCores(plan, matrix) {
  const priced = matrix.questions.filter(({ dimension }) => ['efficiency', 'cpu'].includes(dimension));
  // A pipeline is not what a server is bought for.
  const plain = priced.filter(({ load }) => load?.depth === 1);
  const told = plain.filter(({ leads }) => leads.some(({ outcome }) => OUTCOMES[outcome] >= OUTCOMES.tie));
  const last = [...priced, ...plain, ...told].at(-1);
  if (!last || matrix.systems.length < 2) return matrix;
  const coresOf = (/** @type {string} */ id) => {
    const { figure, value } = /** @type {Answer} */ (last.answers.get(id));
    const us = figure?.median ?? value;
    return { figure: null, value: us && Number(((us * ASKED_PER_SEC) / 1e6).toPrecision(2)) };
  };
  const measure = phrase('coresText', { where: whereText(last), perSec: ASKED_PER_SEC });
  const what = /** @type {const} */ ({ metric: 'cpu', measure, unit: '', weight: 9.9 });
  const cores = asQuestion(plan, what, last.answers.keys(), coresOf);
  return { ...matrix, questions: [...matrix.questions, cores] };
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
  return own.map((matrix) => {
    // The users that all its rows have are told by the title, and no row repeats them.
    const labels = labelsOf(matrix.questions, { apart: true });
    const caption = `**${[matrix.title, labels.users].filter(Boolean).join(', ')}**`;
    return { ...matrixTable(plan, matrix, labels), caption };
  });
}

/**
 * @param {Plan} plan
 * @param {Matrix[]} matrices with all systems
 * @param {Matrix[]} shown rows of them
 * @returns {{system: string, question: Question, where: string, standsInFor: string | null} | null} what a server of this
 *   project, or a substitute, which is no choice, answers to the row that says most; null where there is none beside others
 */
export function referenceOf(plan, matrices, shown) {
  const rows = shown.flatMap(({ questions }) => questions).sort(byWorth);
  for (const { systems } of matrices) {
    const system = systems.find((id) => !contenders(plan, systems).includes(id));
    const question = system && rows.find((q) => q.load && answerText(q, system) !== MISSING);
    if (system && question)
      return { ...declaredOf(plan, system), system, question, where: whereText(question) };
  }
  return null;
}

/**
 * @param {Matrix[]} shown
 * @returns {string[]} systems that stand beside others, and are compared with none of them
 */
export function apartIn(shown) {
  return shown.flatMap(({ systems, questions }) => {
    const compared = questions.flatMap(({ leads }) => leads.flatMap((lead) => lead.systems));
    return compared.length === 0 ? [] : systems.filter((id) => !compared.includes(id));
  });
}

/**
 * @param {Matrix} matrix
 * @returns {Matrix} of products alone where there are too many systems to read: what a setting costs has a table of its own
 */
function ofProducts(matrix) {
  const { systems: all, questions } = matrix;
  if (all.length <= MOST_SYSTEMS) return matrix;
  const systems = all.filter((id) => !id.includes('@') || !all.includes(id.split('@')[0]));
  const isOfThese = (/** @type {Lead} */ lead) => lead.systems.every((id) => systems.includes(id));
  const own = questions.map((q) => ({ ...q, leads: q.leads.filter(isOfThese) }));
  return { ...matrix, systems, questions: own };
}
