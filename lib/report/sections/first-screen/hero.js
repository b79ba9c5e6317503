import { between, inverse } from '../../../record/compare.js';
import { METRICS } from '../../../record/metrics.js';
import { marksOf } from '../../charts/marks.js';
import { declaredOf } from '../../declared.js';
import { isOurs } from '../../matrix/contenders.js';
import { labelsOf } from '../../matrix/labels.js';
import { titleOf } from '../../words.js';
import { sharedLoadOf } from './fit.js';

/**
 * @import { Chart } from '../../charts/ladder.js'
 * @import { Point } from '../../charts/draw.js'
 * @import { Matrix } from '../../matrix/index.js'
 * @import { Question } from '../../matrix/questions.js'
 * @import { Plan } from '../../../types.d.ts'
 */

const FILE = 'first-screen.svg';
const MOST_ROWS = 12;
/** One ratio is told by the matrix. */
const LEAST_ROWS = 2;
/** What ratios are of, where all of them are of the same. */
const OF = Object.freeze({
  efficiency: METRICS.efficiency.title,
  throughput: 'Throughput',
  latency: 'Latency',
  cpu: METRICS.cpu.title,
});

/**
 * How each system stands against one that a reader knows, question by question: right of 1 is better, whatever was asked.
 * @param {Plan} plan
 * @param {Matrix[]} matrices
 * @returns {Chart | null} of the first matrix in which two systems can be compared on several questions
 */
export function heroOf(plan, matrices) {
  const markOf = marksOf(plan);
  for (const matrix of matrices) {
    // Beside what was compared at the same moment, the rest has its table.
    const paired = matrix.questions.filter(({ dimension }) => dimension === 'efficiency');
    const { load, questions } = sharedLoadOf(paired.length > 0 ? paired : matrix.questions);
    const { head, what: operation, labelOf } = labelsOf(questions);
    const [found] = inFamiliarOrder(
      plan,
      matrix.systems
        .map((base) => dividedBy(base, { ...matrix, questions }))
        .filter(({ all }) => all.length >= LEAST_ROWS),
    );
    if (!found) continue;
    const { base, others, all } = found;
    const dimensions = new Set(all.map(({ question }) => question.dimension));
    const [dimension] = dimensions;
    const what = dimensions.size === 1 ? /** @type {Record<string, string>} */ (OF)[dimension] : undefined;
    const of = [what && operation, load].filter(Boolean).join(', ');
    // Who is never divided by it has no place in the picture.
    const drawn = others.filter((_, i) => all.some(({ points }) => points[i]));
    return {
      file: FILE,
      model: {
        kind: 'ratios',
        title: `${what ?? (head || 'All questions')}, compared with ${titleOf(plan, base)}${of ? ` (${of})` : ''}`,
        unit: `${titleOf(plan, base)} = 1×`,
        log: true,
        name: '',
        places: all.map(({ question }) => labelOf(question)),
        series: drawn.map((id) => ({
          ...markOf(id),
          points: all.map(({ points }) => points[others.indexOf(id)]),
        })),
      },
    };
  }
  return null;
}

/**
 * A product before a server of ours, a system before its variants, one that does more of the suite's jobs before others; of
 * servers of ours the slowest, so that most of what is told of the others is how much faster they are.
 * @param {Plan} plan
 * @param {ReturnType<typeof dividedBy>[]} bases
 */
function inFamiliarOrder(plan, bases) {
  const keysOf = (/** @type {ReturnType<typeof dividedBy>} */ { base, all }) => {
    const others = all.flatMap(({ points }) => points.flatMap((p) => (p ? [Math.log(p.median)] : [])));
    return [
      Number(isOurs(plan, base)),
      Number(base.includes('@')),
      -declaredOf(plan, base).jobs,
      -all.length,
      // Of what nobody knows more of than its figures the slowest.
      isOurs(plan, base) || declaredOf(plan, base).jobs === 0
        ? -others.reduce((sum, v) => sum + v, 0) / others.length
        : 0,
    ];
  };
  const compare = (/** @type {number[]} */ a, /** @type {number[]} */ b) =>
    a.map((v, i) => v - b[i]).find((difference) => difference !== 0) ?? 0;
  return [...bases].sort((a, b) => compare(keysOf(a), keysOf(b)));
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
function pointOf({ comparisons, metric }, id, base) {
  const own = between([...comparisons], id, base);
  if (!own?.ratio || own.outcome === 'not comparable') return null;
  const isMore = METRICS[/** @type {import('../../../types.d.ts').MetricName} */ (metric)].moreIsBetter;
  const { estimate, low, high } = isMore ? own.ratio : inverse(own.ratio);
  if (own.n > 1) return { median: estimate, low, high, n: own.n };
  // What has no interval ranks nobody.
  return { median: estimate, low: estimate, high: estimate, n: own.n, rankable: false };
}
