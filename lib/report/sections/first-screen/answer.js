import { groupBy } from '../../../group-by.js';
import { MIN_REPEATS } from '../../../judge/method.js';
import { beatenText, fieldOf, spanText, WORDS, wonText } from '../../matrix/lead-words.js';
import { times } from '../../matrix/times.js';
import { counted, listed, shareText, titleOf } from '../../words.js';

/**
 * @import { Lead } from '../../../record/lead.js'
 * @import { Matrix } from '../../matrix/index.js'
 * @import { Question } from '../../matrix/questions.js'
 * @import { Plan } from '../../../types.d.ts'
 */

/** Leads of one system that the sentence names. */
const NAMED = 3;

/**
 * The answer before its evidence.
 * @param {Plan} plan
 * @param {Matrix[]} matrices
 * @returns {string[]} Markdown, one sentence for each set of systems
 */
export function answerOf(plan, matrices) {
  const compared = matrices.filter(({ systems }) => systems.length > 1);
  const paired = compared.filter(isPaired);
  // Who was compared side by side is ahead, or not, there: the rest of the run adds what it decides and no more.
  const isSaid = (/** @type {Matrix} */ matrix) =>
    !isPaired(matrix) && paired.some(({ systems }) => matrix.systems.every((id) => systems.includes(id)));
  const trends = compared.filter(hasTrendsOnly);
  const together = trends.length > 1 ? trends : [];
  return [
    ...(together.length > 0 ? [trendsAnswer(plan, together)] : []),
    ...compared
      .filter((matrix) => !together.includes(matrix))
      .filter(
        (matrix) => !isSaid(matrix) || matrix.systems.some((id) => wonBy(matrix.questions, id).length > 0),
      )
      .map((matrix) => matrixAnswer(plan, matrix, { several: matrices.length > 1, rest: !isSaid(matrix) })),
    ...matrices.filter(({ systems }) => systems.length === 1).map((m) => aloneAnswer(plan, m)),
  ].filter(Boolean);
}

/**
 * @param {Question[]} questions
 * @returns {{question: Question, lead: Lead}[]} those with a winner, the largest lead first, each dimension before
 *   one comes twice
 */
export function wonBy(questions, /** @type {string} */ id) {
  const all = questions
    .flatMap((question) =>
      question.leads
        .filter((lead) => lead.winner === id && lead.outcome !== 'too few')
        .map((lead) => ({ question, lead })),
    )
    .sort((a, b) => (b.lead.ratio?.estimate ?? 0) - (a.lead.ratio?.estimate ?? 0));
  const seen = new Set();
  const first = all.filter(({ question: { dimension } }) => !seen.has(dimension) && seen.add(dimension));
  return [...first, ...all.filter((x) => !first.includes(x))];
}

/** @param {Matrix} matrix @returns {boolean} whether it names nobody because of too few repeats */
function hasTrendsOnly({ questions }) {
  const leads = questions.flatMap((q) => q.leads);
  return (
    leads.some(({ outcome }) => outcome === 'too few') &&
    leads.every(({ outcome }) => ['too few', 'not comparable'].includes(outcome))
  );
}

/**
 * @param {Plan} plan
 * @param {Matrix[]} matrices with trends only
 * @returns {string}
 */
function trendsAnswer({ repeats }, matrices) {
  const works = new Set(matrices.map(({ work }) => work).filter((work) => work !== ''));
  const of = works.size > 0 ? ` (${[...works].join(', ')})` : '';
  return `**No winners**: ${counted(repeats, 'repeat')}, and a winner needs ${MIN_REPEATS}${of}.`;
}

/** @param {Pick<Matrix, 'questions'>} matrix @returns {boolean} whether its systems were loaded at the same moment */
function isPaired({ questions }) {
  return questions.some(isLoad);
}

/** @param {Pick<Question, 'dimension'>} question @returns {boolean} whether it is asked of systems side by side under a load */
function isLoad({ dimension }) {
  return dimension === 'per CPU';
}

/**
 * @param {Plan} plan
 * @param {Matrix} matrix
 * @param {{several: boolean, rest: boolean}} options `several`: whether other matrices have sentences too; `rest`: whether
 *   what names nobody is said
 */
function matrixAnswer(plan, { title, systems, questions }, { several, rest: hasRest }) {
  const asked = questions.filter((q) => q.leads.length > 0);
  const winners = systems
    .map((id) => ({ id, won: wonBy(asked, id) }))
    .filter(({ won }) => won.length > 0)
    .sort((a, b) => b.won.length - a.won.length);
  // Beside loads, what else is asked has a winner to be named, or its row alone.
  const main = isPaired({ questions: asked }) ? asked.filter(isLoad) : asked;
  const leads = main.flatMap((q) => q.leads).filter((l) => l.winner === null || l.outcome === 'too few');
  const ties = tiesOf(plan, main);
  const said = winners.map(({ id, won }, i) => {
    const groups = groupBy(won, ({ question }) => question.dimension);
    const beaten = [...new Set(won.flatMap(({ lead }) => lead.beaten))];
    const whom = beatenText(plan, beaten, Math.max(...won.map(({ question }) => fieldOf(question))));
    const name = `**${titleOf(plan, id)}**`;
    // What was said of the one before needs no second time.
    if (i > 0 && isOfOneKind(won, winners[i - 1].won))
      return `, ${name}${whom ? ` over ${whom}` : ''} with ${spanText(won.map(({ lead }) => lead))} on ${won.length}`;
    const named = groups.slice(0, NAMED).map((own) => wonTogether(plan, own, asked));
    return `${i > 0 ? '; ' : ''}${name} wins${whom ? ` over ${whom}` : ''}: ${named.join(', ')}`;
  });
  const last = lastOf(plan, main);
  const rest = restText(
    leads.filter(({ outcome }) => ties.length === 0 || outcome !== 'tie'),
    winners.length === 0 && ties.length === 0,
    nounOf(main),
  );
  const others = [...ties, ...(last ? [last] : []), ...(rest ? [rest] : [])];
  const text = [...(said.length > 0 ? [said.join('')] : []), ...(hasRest ? others : [])].join('; ');
  return `${several ? `${title}: ` : ''}${text}.`.replace(/^\*\*n/, '**N');
}

/**
 * @param {{question: Question}[]} won by one system
 * @param {{question: Question}[]} first by the one that is named before
 * @returns {boolean} whether both are several questions of one and the same dimension
 */
function isOfOneKind(won, first) {
  const dimensions = new Set([...won, ...first].map(({ question }) => question.dimension));
  return dimensions.size === 1 && won.length > 1 && first.length > 1;
}

/**
 * @param {Plan} plan
 * @param {{question: Question, lead: Lead}[]} own leads of one dimension, of one system
 * @param {Question[]} asked
 * @returns {string} `2.1× the throughput (set, 50 connections)`, `1.1× to 2.1× the throughput on 3 of 4 questions`, `… on all 4 loads`
 */
function wonTogether(plan, own, asked) {
  const [{ question, lead }] = own;
  if (own.length === 1) return wonText(plan, { ...question, values: new Map() }, lead);
  const { dimension } = question;
  const of = asked.filter((q) => q.dimension === dimension).length;
  return `${spanText(own.map((x) => x.lead))} ${WORDS[dimension]} ${shareText(own.length, of, nounOf([question]))}`;
}

/**
 * @param {Plan} plan
 * @param {Question[]} questions
 * @returns {string[]} `**A and B tie** on 4 of 6 loads`: pairs that do on half of them, or else the most frequent ones
 */
function tiesOf(plan, questions) {
  // Of a run that cannot be trusted nothing is said of pairs.
  const pairs = questions.map(({ leads, pairs }) =>
    pairs && leads.some(({ outcome }) => outcome !== 'not comparable')
      ? tiedIn(pairs)
      : leads.flatMap(tiedBy),
  );
  const counts = new Map();
  for (const id of pairs.flat()) counts.set(id, (counts.get(id) ?? 0) + 1);
  const all = [...counts].sort(([, a], [, b]) => b - a);
  // Beside a pair that ties on most, one that does so here and there is for the table.
  const often = all.filter(([, n]) => 2 * n >= questions.length);
  return (often.length > 0 ? often : all).slice(0, NAMED).map(([id, n]) => {
    const names = id.split('\n').map((/** @type {string} */ system) => titleOf(plan, system));
    return `**${listed(names)} tie** ${shareText(n, questions.length, nounOf(questions))}`;
  });
}

/**
 * @param {Plan} plan
 * @param {Question[]} questions
 * @returns {string | null} `**A** is last on 3 of 4 loads (1.2× to 2.7× behind the next)`: whom all its rivals lead, of those
 *   the most frequent one
 */
function lastOf(plan, questions) {
  const behind = questions.flatMap(({ leads }) => leads.flatMap(({ last }) => last ?? []));
  const [most] = groupBy(behind, ({ system }) => system).sort((a, b) => b.length - a.length);
  if (!most) return null;
  const by = most.map((last) => last.behind);
  const [least, worst] = [Math.min(...by), Math.max(...by)].map(times);
  return `**${titleOf(plan, most[0].system)}** is last ${shareText(most.length, questions.length, nounOf(questions))} (${least === worst ? least : `${least} to ${worst}`} behind the next)`;
}

/** @param {NonNullable<Question['pairs']>} pairs @returns {string[]} those that tie among rivals */
function tiedIn(pairs) {
  return pairs
    .filter(({ kind, verdict }) => kind === 'rivals' && verdict.outcome === 'tie')
    .map(({ a, b }) => `${a}\n${b}`);
}

/** @param {Lead} lead @returns {string[]} */
function tiedBy({ outcome, systems }) {
  return outcome === 'tie' ? [systems.join('\n')] : [];
}

/**
 * @param {Question[]} questions
 * @returns {string} what they are called: side by side each is a load
 */
function nounOf(questions) {
  return isPaired({ questions }) ? 'load' : 'question';
}

/**
 * @param {Lead[]} leads without a winner
 * @param {boolean} alone whether nobody leads on anything
 * @param {string} noun what a question is called
 * @returns {string | null} what is not decided
 */
function restText(leads, alone, noun) {
  const count = (/** @type {Lead['outcome']} */ outcome) => leads.filter((l) => l.outcome === outcome).length;
  const parts = [
    [count('tie'), 'a tie'],
    [count('inconclusive'), 'inconclusive'],
    [count('too few'), 'too few repeats'],
    [count('not comparable'), 'not comparable'],
  ].flatMap(([n, word]) => (Number(n) > 0 ? [`${word} on ${counted(Number(n), noun)}`] : []));
  if (parts.length === 0) return alone ? '**nothing to compare**' : null;
  return alone ? `**no winner**: ${parts.join(', ')}` : parts.join(', ');
}

/**
 * @param {Plan} plan
 * @param {Matrix} matrix of one system
 * @returns {string} '' where all that it completed stands beside failures, which are said before
 */
function aloneAnswer(plan, { systems: [id], questions: all }) {
  const questions = all.filter((q) => !q.figures.get(id)?.why.includes('errors'));
  const name = `**${titleOf(plan, id)}**, measured alone`;
  const medianOf = (/** @type {Question} */ { figures }) => figures.get(id)?.median ?? 0;
  const [most] = questions
    .filter((q) => q.dimension === 'throughput' && q.where && medianOf(q) > 0)
    .sort((a, b) => medianOf(b) - medianOf(a));
  if (most) {
    const latency = questions.find((q) => q.dimension === 'latency' && q.where === most.where);
    const own = [most, ...(latency ? [latency] : [])].map((q) => figureIn(q, id));
    return `${name}: ${own.join(', ')} (${most.where}).`;
  }
  const figures = questions
    .filter((q) => q.dimension === 'throughput' || q.dimension === 'latency')
    .slice(0, 3)
    .map((q) => `${figureIn(q, id)} (${q.where})`);
  if (figures.length === 0 && questions.length < all.length) return '';
  if (figures.length === 0) return `${name}, has no figure that may be used; the tables say why.`;
  return `${name}: ${figures.join(', ')}.`;
}

/** @param {Question} question @param {string} id @returns {string} `p99 15.9 ms`, `809 op/s` */
function figureIn({ values, text, where }, id) {
  const unit = text.slice(where.length + 2);
  const [name, of] = unit.split(', ');
  return of ? `${name} ${values.get(id)} ${of}` : `${values.get(id)} ${unit}`;
}
