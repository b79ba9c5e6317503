import { askedOf, matrixTable } from '../../matrix/index.js';
import { COLUMN, heightOf, SCREEN } from '../../pages.js';
import { linesOfText } from '../../text-width.js';
import { titleOfRun } from '../../words.js';

/**
 * @import { Chart } from '../../charts/ladder.js'
 * @import { Matrix } from '../../matrix/index.js'
 * @import { Table } from '../../table.js'
 * @import { Section } from '../../view.js'
 * @import { Plan } from '../../../types.d.ts'
 */

/** Rows of a matrix below which it is no matrix; rows in all that a picture has to leave, but for one that it may take. */
const LEAST_ROWS = 2;
const ENOUGH_ROWS = 3;
/** Of GitHub's page, px: what stands above its first line and a little to spare, and a line of the title, whose type is twice as large. */
const ABOVE = 70;
const TITLE_LINE = 40;
const TITLE_SIZE = 2;

/**
 * What a reader sees without scrolling, and what comes after.
 * @param {Plan} plan
 * @param {Matrix[]} matrices
 * @param {{above: Section, below: Section}} words that must stand there, too
 * @param {(matrices: Matrix[]) => Chart | null} picture of the same questions, beside the words below
 * @returns {{shown: Matrix[], rest: Matrix[], hero: Chart | null, fits: boolean}} `hero`: the picture, if it fits there; `fits`:
 *   whether all of it does, without the picture
 */
export function fitScreen(plan, matrices, { above, below }, picture) {
  const title = linesOfText(`**${titleOfRun(plan)}**`, COLUMN / TITLE_SIZE) * TITLE_LINE;
  const room = SCREEN - ABOVE - title - heightOf(above);
  const fits = (/** @type {Matrix[]} */ own, /** @type {Chart | null} */ beside) =>
    heightOf({ parts: [{ tables: matrixTables(plan, own, matrices) }, { ...below, beside }] }) <= room;
  const plain = shrunk(matrices, (own) => fits(own, null));
  const beside = shrunk(matrices, (own) => fits(own, picture(own)));
  const hero = picture(beside);
  const isWorth = beside.length >= plain.length && rowsOf(beside) >= Math.min(rowsOf(plain) - 1, ENOUGH_ROWS);
  const isInside = hero !== null && isWorth && fits(beside, hero);
  const shown = isInside ? beside : plain;
  const asked = new Set(shown.flatMap(({ questions }) => questions));
  const rest = matrices
    .map((m) => ({ ...m, questions: m.questions.filter((q) => !asked.has(q)) }))
    .filter(({ questions }) => questions.length > 0);
  return { shown, rest, hero: isInside ? hero : null, fits: fits(shown, null) };
}

/** @param {Matrix[]} matrices @returns {number} */
export function rowsOf(matrices) {
  return matrices.reduce((n, { questions }) => n + questions.length, 0);
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
  const users = new Set(
    questions.map(({ where }) => /, \d+ connections?( × pipeline \d+)?$/.exec(where)?.[0]),
  );
  const [shared] = users;
  if (questions.length < LEAST_ROWS || users.size > 1 || shared === undefined) return { load: '', questions };
  return {
    load: shared.slice(2),
    questions: questions.map((q) => askedOf(q, q.where.slice(0, -shared.length))),
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

/** @param {Matrix[]} matrices @returns {Matrix[]} those that compare somebody; all where none does */
function comparing(matrices) {
  const own = matrices.filter(({ questions }) => questions.some((q) => q.leads.length > 0));
  return own.length > 0 ? own : matrices;
}

/**
 * Leaves out what compares nobody, then the question of least weight of the largest matrix, then the last matrix, until the
 * rest fits; what there is room for after all comes back, the weightiest first.
 * @param {Matrix[]} matrices
 * @param {(matrices: Matrix[]) => boolean} fits
 * @returns {Matrix[]} at least the first one
 */
function shrunk(matrices, fits) {
  let own = fits(matrices) ? matrices : comparing(matrices);
  while (!fits(own)) {
    const largest = own.reduce((a, b) => (b.questions.length > a.questions.length ? b : a), own[0]);
    if (largest && largest.questions.length > LEAST_ROWS) {
      const least = largest.questions.reduce((a, b) => (b.weight <= a.weight ? b : a));
      own = own.map((m) => (m === largest ? { ...m, questions: m.questions.filter((q) => q !== least) } : m));
    } else if (own.length > 1) own = own.slice(0, -1);
    else break;
  }
  const left = own.flatMap(({ title, systems, questions }) => {
    const all = matrices.find((m) => m.title === title && m.systems === systems)?.questions ?? [];
    return all.filter((q) => !questions.includes(q));
  });
  for (const question of left.sort((a, b) => b.weight - a.weight)) {
    const more = own.map((m) => withQuestion(m, question, matrices));
    if (fits(more)) own = more;
  }
  return own;
}

/**
 * @param {Matrix} matrix
 * @param {Matrix['questions'][number]} question
 * @param {Matrix[]} matrices as they were
 * @returns {Matrix} with the question in its place, if it is one of this matrix
 */
function withQuestion(matrix, question, matrices) {
  const whole = matrices.find((m) => m.title === matrix.title && m.systems === matrix.systems);
  if (!whole?.questions.includes(question)) return matrix;
  const shown = new Set([...matrix.questions, question]);
  return { ...matrix, questions: whole.questions.filter((q) => shown.has(q)) };
}
