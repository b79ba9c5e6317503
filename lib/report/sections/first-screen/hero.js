import { inverse, ratioOf } from '../../../record/ratio.js';
import { colorsOf } from '../../charts/colors.js';
import { drawForest } from '../../charts/forest.js';
import { forestModel } from '../../charts/model.js';
import { labelsOf } from '../../matrix/index.js';
import { titleOf } from '../../words.js';
import { sharedLoadOf } from './fit.js';

/**
 * @import { Chart } from '../../charts/ladder.js'
 * @import { Point } from '../../charts/forest.js'
 * @import { Matrix } from '../../matrix/index.js'
 * @import { Question } from '../../matrix/questions.js'
 * @import { Plan } from '../../../types.d.ts'
 */

const FILE = 'first-screen.svg';
const MOST_ROWS = 12;
/** One ratio is told by the matrix. */
const LEAST_ROWS = 2;

/**
 * How each system stands against the first one that has a rival, question by question: right of 1 is better, whatever was asked.
 * @param {Plan} plan
 * @param {Matrix[]} matrices
 * @param {boolean} [beside] whether it stands beside words
 * @returns {Chart | null} of the first matrix in which two systems can be compared on several questions
 */
export function heroOf(plan, matrices, beside = false) {
  const colors = colorsOf(plan);
  for (const matrix of matrices) {
    const { load, questions } = sharedLoadOf(matrix.questions);
    const { head, labelOf } = labelsOf(questions);
    // Who has no rival is nobody's base.
    const [found] = matrix.systems
      .map((base) => dividedBy(base, { ...matrix, questions }))
      .filter(({ all }) => all.length >= LEAST_ROWS);
    if (!found) continue;
    const { base, others, all } = found;
    // Who is never divided by it has no place in the picture.
    const drawn = others.filter((_, i) => all.some(({ points }) => points[i]));
    const rows = all.map(({ question, points }) => ({
      label: labelOf(question),
      points: points.filter((_, i) => drawn.includes(others[i])),
    }));
    const title = [`How much better than ${titleOf(plan, base)}`, head, load].filter(Boolean).join(', ');
    const series = drawn.map((id) => ({ name: titleOf(plan, id), color: String(colors.get(id)) }));
    const axis = 'times as good, log; right is better; grey: tie';
    return {
      file: FILE,
      alt: `${title}, with intervals`,
      wide: true,
      svg: drawForest({ title, axis, series, rows, beside }),
      model: forestModel({ title, base: titleOf(plan, base), series, rows }),
    };
  }
  return null;
}

/**
 * @param {string} base
 * @param {Matrix} matrix
 * @returns {{base: string, others: string[], all: {question: Question, points: (Point | null)[]}[]}} `all`: questions with a
 *   point at least, one for each other system
 */
function dividedBy(base, { systems, questions }) {
  const others = systems.filter((id) => id !== base);
  const all = questions
    .map((question) => ({ question, points: others.map((id) => pointOf(question, id, base)) }))
    .filter(({ points }) => points.some((p) => p))
    .slice(0, MOST_ROWS);
  return { base, others, all };
}

/**
 * @param {Question} question
 * @param {string} id
 * @param {string} base
 * @returns {Point | null} how many times better than the base
 */
function pointOf({ figures, better, pairs = [], leads }, id, base) {
  const pair = pairs.find((c) => [c.a, c.b].includes(id) && [c.a, c.b].includes(base) && c.kind === 'rivals');
  if (pair?.verdict.ratio) {
    const { estimate, low, high } = pair.verdict.ratio;
    const first = pair.verdict.better === 'a' ? pair.a : pair.b;
    const { starts } = pair.verdict;
    if (first === id) return { estimate, low, high, n: starts };
    return { estimate: 1 / estimate, low: high && 1 / high, high: low && 1 / low, n: starts };
  }
  if (!leads.some((l) => l.ratio && l.systems.includes(id) && l.systems.includes(base))) return null;
  const ratio = ratioOf(figures.get(id), figures.get(base));
  if (!ratio) return null;
  const { estimate, low, high, pairs: n } = better === 'more' ? ratio : inverse(ratio);
  return n > 1 ? { estimate, low, high, n } : { estimate, low: null, high: null, n };
}
