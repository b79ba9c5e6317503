import { askedOf, matrixTable } from '../../matrix/index.js';
import { COLUMN, heightOf, SCREEN } from '../../pages.js';
import { linesOfText } from '../../text-width.js';
import { titleOfRun } from '../../words.js';

/**
 * @import { Matrix } from '../../matrix/index.js'
 * @import { Table } from '../../table.js'
 * @import { Section } from '../../view.js'
 * @import { Plan } from '../../../types.d.ts'
 */

/** Rows of a matrix below which it is no matrix; rows in all for which the chart gives way. */
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
 * @param {Section} words that must stand there, too
 * @param {(matrices: Matrix[]) => Section | null} picture of the same questions
 * @returns {{shown: Matrix[], rest: Matrix[], inside: boolean, fits: boolean}} `inside`: whether the picture fits there; `fits`:
 *   whether all of it does, without the picture
 */
export function fitScreen(plan, matrices, words, picture) {
  const title = linesOfText(`**${titleOfRun(plan)}**`, COLUMN / TITLE_SIZE) * TITLE_LINE;
  const room = SCREEN - ABOVE - title - heightOf(words);
  const tablesOf = (/** @type {Matrix[]} */ own) => heightOf({ tables: matrixTables(plan, own, matrices) });
  const withPicture = shrunk(matrices, (own) => {
    const drawn = picture(own);
    return tablesOf(own) + (drawn ? heightOf(drawn) : 0) <= room;
  });
  const rows = withPicture.reduce((n, { questions }) => n + questions.length, 0);
  const all = matrices.reduce((n, { questions }) => n + questions.length, 0);
  const inside = withPicture.length >= comparing(matrices).length && rows >= Math.min(all, ENOUGH_ROWS);
  const shown = inside ? withPicture : shrunk(matrices, (own) => tablesOf(own) <= room);
  const asked = new Set(shown.flatMap(({ questions }) => questions));
  const rest = matrices
    .map((m) => ({ ...m, questions: m.questions.filter((q) => !asked.has(q)) }))
    .filter(({ questions }) => questions.length > 0);
  return { shown, rest, inside, fits: tablesOf(shown) <= room };
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
  const { questions } = matrix;
  const users = new Set(
    questions.map(({ where }) => /, \d+ connections?( × pipeline \d+)?$/.exec(where)?.[0]),
  );
  const [shared] = users;
  if (questions.length < LEAST_ROWS || users.size > 1 || shared === undefined) return matrix;
  return {
    ...matrix,
    title: `${matrix.title}${shared}`,
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
