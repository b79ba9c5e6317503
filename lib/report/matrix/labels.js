import { shapeText } from '../../config/step-text.js';
import { figureText, MISSING, mebibytes, significant } from '../../format.js';

/** @import { Question } from './questions.js' */

/** @param {Question} question @returns {string} `counters, increment`: what is done, without by how many */
function whatText({ load }) {
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

/**
 * What all of them have in common stands once, in the head: what is measured, and then what is done.
 * @param {Question[]} questions
 * @returns {{head: string, what: string, labelOf: (question: Question) => string}} `what` is done, where that is one thing
 */
export function labelsOf(questions) {
  const loads = questions.filter((q) => q.load);
  const measures = new Set(loads.map(measureText));
  const whats = new Set(loads.map(whatText));
  const [[measure = ''], [what = '']] = [measures, whats];
  // Beside efficiency, what is no load's tells its unit itself.
  const isOfLoads = loads.length === questions.length || loads.some((q) => q.dimension === 'efficiency');
  const hasMeasure = measures.size === 1 && isOfLoads;
  const hasWhat = whats.size === 1 && what !== '' && loads.length > 1;
  const shapeOf = (/** @type {Question} */ q) => (q.load ? shapeText(q.load) : '');
  return {
    what: hasWhat ? what : '',
    head: [...(hasWhat ? [what] : []), ...(hasMeasure ? [measure] : [])].join(': '),
    labelOf: (q) => {
      if (!q.load) return measureText(q);
      const own = hasWhat ? shapeOf(q) : whereText(q);
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
  if (metric === 'failures' && value !== null) return String(value);
  if (note !== undefined) return note;
  if (figure) return `${figureText(figure, unit === 'MiB' ? mebibytes : significant)}${said}`;
  return value === null ? said || MISSING : significant(value);
}
