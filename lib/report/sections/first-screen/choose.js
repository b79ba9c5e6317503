import { declaredOf } from '../../declared.js';
import { wonText } from '../../matrix/lead-words.js';
import { titleOf } from '../../words.js';
import { wonBy } from './answer.js';

/**
 * @import { Matrix } from '../../matrix/index.js'
 * @import { Plan } from '../../../types.d.ts'
 */

/**
 * The largest lead of each dimension: where it was stands in the answer and in the matrix.
 * @param {ReturnType<typeof wonBy>} won
 */
function oncePerDimension(won) {
  return won.filter(
    ({ question }, i) => won.findIndex((other) => other.question.dimension === question.dimension) === i,
  );
}

/**
 * @param {Matrix['questions']} questions
 * @param {string} dimension
 * @returns {boolean} whether one system is ahead here and another one there
 */
function isContested(questions, dimension) {
  const own = questions.filter((q) => q.dimension === dimension).flatMap(({ leads }) => leads);
  return (
    new Set(own.flatMap(({ winner, outcome }) => (winner && outcome !== 'too few' ? [winner] : []))).size > 1
  );
}

/** Reasons for a system that a reader takes in. */
const NAMED = 4;

/**
 * When to use which: from what was decided, each with its figure, then what the manifests say and nobody measured.
 * @param {Plan} plan
 * @param {Matrix[]} matrices
 * @returns {string[]} Markdown, one paragraph or none
 */
export function chooseOf(plan, matrices) {
  const compared = matrices.filter(({ systems }) => systems.length > 1);
  const ids = [...new Set(compared.flatMap(({ systems }) => systems))];
  const reasonsOf = (/** @type {string} */ id) => {
    const reasons = compared.flatMap(({ questions }) =>
      oncePerDimension(wonBy(questions, id)).map(({ question, lead }) =>
        wonText(
          plan,
          isContested(questions, question.dimension) ? question : { ...question, where: '' },
          lead,
        ),
      ),
    );
    return reasons.slice(0, NAMED);
  };
  const fitsOf = (/** @type {string} */ id) =>
    declaredOf(plan, id).fits.map((text) => `${text} *(not measured)*`);
  const lines = ids.flatMap((id) => {
    const reasons = [...reasonsOf(id), ...fitsOf(id)];
    return reasons.length > 0 ? [`**${titleOf(plan, id)}** for ${reasons.join(', ')}`] : [];
  });
  return lines.length > 0 ? [`**Choose:** ${lines.join('; ')}.`] : [];
}
