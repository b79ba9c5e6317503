import { errorRatio } from '../../../figures/rows.js';
import { groupBy } from '../../../group-by.js';
import { whereText } from '../../matrix/labels.js';
import { phrase } from '../../template.js';

/**
 * @import { Lead } from '../../../figures/lead.js'
 * @import { Row } from '../../../figures/rows.js'
 * @import { Matrix } from '../../matrix/index.js'
 * @import { Question } from '../../matrix/questions.js'
 * @import { Comparison, Plan } from '../../../types.d.ts'
 */

/** Sentences on one set of systems. */
const SENTENCES = 2;

/**
 * The answer before its evidence: what was decided, the largest first.
 * @param {Plan} plan
 * @param {Matrix[]} matrices
 * @returns {string[]} Markdown
 */
export function answerOf(plan, matrices) {
  const compared = matrices.filter(({ systems }) => systems.length > 1);
  const trends = compared.filter(hasTrendsOnly);
  const works = [...new Set(trends.map(({ title }) => title).filter(Boolean))];
  const few = { of: 'few', works };
  const decided = compared.filter((matrix) => !trends.includes(matrix));
  const most = Math.max(1, SENTENCES - Math.max(0, decided.length - 1));
  return [
    ...(trends.length > 0 && decided.length === 0 ? [phrase('verdictAnswer', few, plan)] : []),
    ...decided.flatMap((matrix) => {
      const title = decided.length > 1 ? matrix.title : null;
      return verdictsOf(matrix)
        .slice(0, most)
        .map((fields) => phrase('verdictAnswer', { ...fields, title }, plan));
    }),
    ...matrices.filter(({ systems }) => systems.length === 1).flatMap((matrix) => aloneOf(plan, matrix)),
  ];
}

/**
 * @param {Matrix} matrix
 * @returns {object[]} fields of its sentences: who wins by most on each dimension, ties, and what was not decided
 */
function verdictsOf({ systems, questions: all }) {
  const questions = all.filter((q) => q.leads.length > 0);
  const wins = groupBy(
    systems.flatMap((id) => wonBy(questions, id)),
    ({ winner, dimension, beaten }) => [winner, dimension, ...[...beaten].sort()].join('\n'),
  ).map((own) => {
    const [most] = [...own].sort((a, b) => b.factor - a.factor);
    const asked = questions.filter((q) => q.dimension === most.dimension).length;
    // Of two the other one has a name.
    const isAll = systems.length > 2 && most.beaten.length >= systems.length - 1;
    // What a load shows tells more than what a system is like at rest.
    const worth = Math.log(most.factor) + own.length / asked / 2 + Number(most.where !== '') / 2;
    return { ...most, of: 'won', isAll, count: own.length, asked, worth };
  });
  // Of one system its largest lead first; the second sentence is another's, or of another kind.
  const sorted = [...wins].sort((a, b) => b.worth - a.worth);
  const [first] = sorted;
  // Who ties is told of what the first sentence is about.
  const loads = questions.filter(({ load }) => load !== null);
  const kinds = [first?.dimension, 'efficiency'].map((kind) => loads.filter((q) => q.dimension === kind));
  const asked = [...kinds, loads].find((own) => own.length > 0) ?? questions;
  const tied = groupBy(asked.flatMap(tiesOf), (pair) => pair.join('\n')).map((own) => ({
    ...{ of: 'tie', systems: own[0], count: own.length, asked: asked.length },
    dimension: kinds.includes(asked) ? asked[0].dimension : null,
  }));
  const ties = tied.filter(({ count }) => 2 * count >= asked.length).sort((a, b) => b.count - a.count);
  // That another one wins by the same metric on other loads matters more than by what else somebody wins.
  const turned = sorted.find((w) => w.winner !== first.winner && w.dimension === first.dimension);
  const second = turned ?? sorted.find((w) => w.winner !== first.winner || w.dimension !== first.dimension);
  const said = [...(first ? [first] : []), ...ties.slice(0, 1), ...(second ? [second] : [])];
  return said.length > 0 ? said : [{ of: 'none', outcomes: outcomesOf(all) }];
}

/**
 * @param {Question} question
 * @returns {string[][]} pairs of rivals that tie on it
 */
function tiesOf({ leads, comparisons }) {
  if (!comparisons.some((c) => c.paired))
    return leads.filter(({ outcome }) => outcome === 'tie').map(({ systems }) => systems);
  // Of a run that cannot be trusted nothing is said of pairs.
  if (leads.every(({ outcome }) => outcome === 'not comparable')) return [];
  return comparisons
    .filter(({ outcome }) => outcome === 'tie')
    .map(({ a, b }) => [a, b])
    .filter((pair) => leads.some(({ systems }) => pair.every((id) => systems.includes(id))));
}

/** @param {Question[]} questions @returns {Comparison[][]} what names nobody, by its outcome */
function outcomesOf(questions) {
  const leads = questions.flatMap((q) => q.leads);
  const refused = questions.flatMap((q) => q.comparisons.filter((c) => c.outcome === 'not comparable'));
  return groupBy(leads.length > 0 ? leads : refused, ({ outcome }) => outcome);
}

/** @param {Question[]} questions @param {string} id @returns what the system wins by, the largest lead first */
export function wonBy(questions, id) {
  return questions
    .flatMap((question) =>
      question.leads
        .filter((lead) => lead.winner === id && lead.outcome !== 'too few')
        .map((lead) => {
          const atLeast = lead.outcome === 'at least';
          const factor = lead.ratio?.[atLeast ? 'low' : 'estimate'] ?? 1;
          const { dimension } = question;
          return { ...lead, dimension, where: whereText(question), factor, atLeast, count: 1 };
        }),
    )
    .sort((a, b) => b.factor - a.factor);
}

/** @param {Matrix} matrix @returns {boolean} whether it names nobody because of too few repeats */
function hasTrendsOnly({ questions }) {
  const outcomes = questions.flatMap((q) => q.leads.map(({ outcome }) => outcome));
  return outcomes.includes('too few') && outcomes.every((o) => ['too few', 'not comparable'].includes(o));
}

/**
 * @param {Plan} plan
 * @param {Matrix} matrix of one system
 * @returns {string[]} none where all that it completed stands beside failures, which are said before
 */
function aloneOf(plan, { systems: [id], questions: all }) {
  const questions = all.filter((q) => q.answers.get(id)?.state !== 'failing');
  const medianOf = (/** @type {Question} */ { answers }) => answers.get(id)?.figure?.median ?? 0;
  const [most = null] = questions
    .filter((q) => q.dimension === 'throughput' && q.load && medianOf(q) > 0)
    .sort((a, b) => medianOf(b) - medianOf(a));
  const latency = questions.find(
    (q) => q.dimension === 'latency' && (!most || whereText(q) === whereText(most)),
  );
  if (!most && !latency && questions.length < all.length) return [];
  const asked = most ?? latency;
  const fields = { of: 'alone', system: id, most, latency, where: asked && whereText(asked) };
  return [phrase('verdictAnswer', fields, plan)];
}

/** Names of failures in a sentence. */
const NAMED = 2;

/**
 * A system that fails is a result, and stands before whatever it completed.
 * @param {Plan} plan
 * @param {Row[]} rows
 * @returns {string[]} Markdown: each system of which more failed than is tolerated, by its worst load; who has no figure at all
 */
export function failedAnswers(plan, rows) {
  const failing = rows.filter((r) => r.codes.includes('errors') && r.tried.failed > 0);
  const failed = groupBy(failing, (r) => r.system).map((own) => {
    const [worst] = own.sort((a, b) => errorRatio(b) - errorRatio(a));
    const kinds = worst.tried.kinds.slice(0, NAMED).map(([kind]) => kind.replaceAll('`', "'"));
    return phrase('failingAnswer', { of: 'failing', ...worst, share: errorRatio(worst), kinds }, plan);
  });
  const without = groupBy(rows, (r) => r.system).filter(
    (own) =>
      own.every((r) => r.status === 'FAILED') &&
      plan.systems.some((s) => s.id === own[0].system && s.role === 'system'),
  );
  return [...failed, ...without.map(([row]) => phrase('failingAnswer', { of: 'nothing', ...row }, plan))];
}
