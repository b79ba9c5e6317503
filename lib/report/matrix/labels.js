import { shapeText, usersText } from '../../config/step-text.js';
import { figureText, MISSING, mebibytes, significant, wholeNumber } from '../../format.js';

/** @import { Question } from './questions.js' */

/** @param {Pick<Question, 'load'>} question @returns {string} `counters, increment`: what is done, without by how many */
export function whatText({ load }) {
  return load ? [load.title, load.operation].filter(Boolean).join(', ') : '';
}

/** @param {Question} question @returns {string} `increment, 100 users`; '' of what is no load's */
export function whereText({ load }) {
  return load ? [load.title, load.operation, shapeText(load)].filter(Boolean).join(', ') : '';
}

/** @param {Question} question @returns {string} `p99, ms`, `op/s` */
function measureText({ measure, unit }) {
  return [measure, unit].filter(Boolean).join(', ');
}

/** Rows of which a load that all of them have is said once. */
const LEAST_ROWS = 2;

/**
 * What all of them have in common stands once, in the head: what is measured, and then what is done; `apart` from the table
 * the users, where a row says something without them.
 * @param {Question[]} questions
 * @param {{apart?: boolean}} [options]
 * @returns {{head: string, what: string, users: string, labelOf: (question: Question) => string}} `what` is done, where that is
 *   one thing; `users`: those that stand apart
 */
export function labelsOf(questions, { apart = false } = {}) {
  const loads = questions.filter((q) => q.load);
  const measures = new Set(loads.map(measureText));
  const whats = new Set(loads.map(whatText));
  const allUsers = new Set(questions.map(({ load }) => (load ? usersText(load) : '')));
  const [[measure = ''], [what = ''], [users]] = [measures, whats, allUsers];
  // Beside efficiency, what is no load's tells its unit itself.
  const isOfLoads = loads.length === questions.length || loads.some((q) => q.dimension === 'efficiency');
  const hasMeasure = measures.size === 1 && isOfLoads;
  const hasWhat = whats.size === 1 && what !== '' && loads.length > 1;
  const areApart =
    apart && allUsers.size === 1 && questions.length >= LEAST_ROWS && questions.every(whatText);
  return {
    what: hasWhat ? what : '',
    users: areApart ? users : '',
    head: [...(hasWhat ? [what] : []), ...(hasMeasure ? [measure] : [])].join(': '),
    labelOf: (q) => {
      if (!q.load) return measureText(q);
      const shape = shapeText(areApart ? { ...q.load, users: 0 } : q.load);
      const own = hasWhat ? shape : [whatText(q), shape].filter(Boolean).join(', ');
      return [own, ...(hasMeasure ? [] : [measureText(q)])].filter(Boolean).join(', ');
    },
  };
}

/**
 * @param {Question} question
 * @param {string} id
 * @returns {string} what the system answers, as printed
 */
export function answerText({ answers, unit, metric }, id) {
  const { figure = null, value = null, state, note } = answers.get(id) ?? {};
  const said = state === 'failing' ? ' beside failures' : (state ?? '');
  if (metric === 'failures' && value !== null) return wholeNumber(value);
  if (note !== undefined) return note;
  if (figure) return `${figureText(figure, unit === 'MiB' ? mebibytes : significant)}${said}`;
  return value === null ? said || MISSING : significant(value);
}
