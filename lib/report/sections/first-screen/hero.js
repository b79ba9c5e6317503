import { between, inverse } from '../../../figures/compare.js';
import { METRICS } from '../../../figures/metrics.js';
import { chartsOf } from '../../charts/ladder.js';
import { labelsOf } from '../../matrix/labels.js';
import { contenders, declaredOf, isOurs } from '../../systems.js';
import { phrase } from '../../template.js';
import { titleOf } from '../../words.js';

/**
 * @import { Chart } from '../../charts/ladder.js'
 * @import { Point } from '../../charts/draw.js'
 * @import { Matrix } from '../../matrix/index.js'
 * @import { Question } from '../../matrix/questions.js'
 * @import { Plan } from '../../../types.d.ts'
 */

const MOST_ROWS = 12;
/** One ratio is told by the matrix. */
const LEAST_ROWS = 2;

/**
 * How each system stands against one that a reader knows, question by question: right of 1 is better, whatever was asked.
 * @param {Plan} plan
 * @param {Matrix[]} matrices
 * @returns {Chart | null} of the first matrix in which two systems can be compared on several questions
 */
export function heroOf(plan, matrices) {
  for (const matrix of matrices) {
    // Beside what was compared at the same moment, the rest has its table.
    const paired = matrix.questions.filter(({ dimension }) => dimension === 'efficiency');
    const questions = paired.length > 0 ? paired : matrix.questions;
    const labels = labelsOf(questions, { apart: true });
    const bases = contenders(plan, matrix.systems).map((base) => dividedBy(base, { ...matrix, questions }));
    const several = bases.filter(({ all }) => all.length >= LEAST_ROWS);
    const [found] = inFamiliarOrder(plan, several);
    if (!found) continue;
    const { base, others, all } = found;
    const dimension = all.every((q) => q.dimension === all[0].dimension) ? all[0].dimension : null;
    return chartsOf(
      plan,
      {
        ...{ kind: 'ratios', file: ['first-screen'], log: true, name: '', places: all.map(labels.labelOf) },
        title: phrase('heroTitle', { ...labels, dimension, base }, plan),
        unit: `${titleOf(plan, base)} = 1×`,
        // Who is never divided by it has no place in the picture.
        systems: [...new Set([...contenders(plan, others), ...others])].filter((id) =>
          all.some((question) => pointOf(question, id, base)),
        ),
      },
      (id, place) => pointOf(all[place], id, base),
    )[0];
  }
  return null;
}

/**
 * A system before its variants, one that does more of the suite's jobs before others; of servers of ours the slowest, so
 * that most of what is told of the others is how much faster they are.
 * @param {Plan} plan
 * @param {ReturnType<typeof dividedBy>[]} bases
 */
function inFamiliarOrder(plan, bases) {
  const keysOf = (/** @type {ReturnType<typeof dividedBy>} */ { base, others, all }) => {
    const points = all.flatMap((question) => others.flatMap((id) => pointOf(question, id, base) ?? []));
    const { jobs } = declaredOf(plan, base);
    // Of what nobody knows more of than its figures the slowest.
    const speed = points.reduce((sum, { median }) => sum - Math.log(median), 0) / points.length;
    const slowness = isOurs(plan, base) || jobs === 0 ? speed : 0;
    return [Number(base.includes('@')), -jobs, -all.length, slowness];
  };
  const compare = (/** @type {number[]} */ a, /** @type {number[]} */ b) =>
    a.map((v, i) => v - b[i]).find((difference) => difference !== 0) ?? 0;
  return [...bases].sort((a, b) => compare(keysOf(a), keysOf(b)));
}

/**
 * @param {string} base
 * @param {Matrix} matrix
 * @returns {{base: string, others: string[], all: Question[]}} `all`: questions on which another one can be compared with it
 */
function dividedBy(base, { systems, questions }) {
  const others = systems.filter((id) => id !== base);
  const all = questions.filter((question) => others.some((id) => pointOf(question, id, base)));
  return { base, others, all: all.slice(0, MOST_ROWS) };
}

/**
 * @param {Question} question
 * @param {string} id
 * @param {string} base
 * @returns {Point | null} how many times better than the base
 */
function pointOf({ comparisons, metric }, id, base) {
  const own = between([...comparisons], id, base);
  if (!own?.ratio || own.outcome === 'not comparable') return null;
  const isMore = METRICS[/** @type {import('../../../types.d.ts').MetricName} */ (metric)].moreIsBetter;
  const { estimate, low, high } = isMore ? own.ratio : inverse(own.ratio);
  if (own.n > 1) return { median: estimate, low, high, n: own.n };
  // What has no interval ranks nobody.
  return { median: estimate, low: estimate, high: estimate, n: own.n, rankable: false };
}
