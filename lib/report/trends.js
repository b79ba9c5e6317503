import { groupBy } from '../group-by.js';
import { between } from '../record/compare.js';
import { marksOf } from './charts/marks.js';
import { questionText } from './matrix/labels.js';
import { titleOf } from './words.js';

/**
 * @import { Plan } from '../types.d.ts'
 * @import { Model, Point, Series } from './charts/draw.js'
 * @import { Mark } from './charts/marks.js'
 * @import { Matrix } from './matrix/index.js'
 * @import { Question } from './matrix/questions.js'
 */

/** How the headline of a question went over the runs that can stand beside each other. */

/**
 * One question of a run, as a trend takes it up. `where`: what must be alike in two runs for both to be in one.
 * @typedef {object} Headline
 * @property {string} text of the question
 * @property {string} unit
 * @property {string} where
 * @property {{mark: Mark, figure: Point}[]} points by system
 */

/** Runs of which there is a trend at all. */
const LEAST_RUNS = 2;

/**
 * @param {Plan} plan
 * @param {any} environment
 * @param {Matrix[]} matrices
 * @returns {Headline[][]} of each matrix its questions, the one that tells most first
 */
export function headlinesOf(plan, environment, matrices) {
  const { cpuModel, cores, memoryBytes } = environment.host;
  const markOf = marksOf(plan);
  // Another machine, engine, profile or method measures something else.
  const where = [
    cpuModel,
    cores,
    memoryBytes,
    plan.engine,
    environment.cluster ? JSON.stringify(environment.cluster) : '',
    plan.profileId,
    plan.methodVersion,
  ].join('\n');
  return matrices.map(({ systems, questions }) =>
    [...questions]
      .sort((a, b) => b.weight - a.weight)
      .flatMap((question) => {
        const points = systems.flatMap((id) => {
          const figure = question.answers.get(id)?.figure ?? besideFirst(question, id, systems[0]);
          return figure ? [{ mark: markOf(id), figure }] : [];
        });
        const isRatio = question.metric === 'efficiency';
        const base = isRatio ? `, times ${titleOf(plan, systems[0])}` : '';
        return points.length > 0
          ? [{ text: `${questionText(question)}${base}`, unit: isRatio ? '×' : question.unit, where, points }]
          : [];
      }),
  );
}

/**
 * @param {Question} question of systems side by side, whose figures are ratios
 * @param {string} id
 * @param {string} base
 * @returns {Point | null} how many times the first one
 */
function besideFirst({ comparisons }, id, base) {
  const own = id === base ? null : between([...comparisons], id, base);
  return own?.ratio ? { ...own.ratio, median: own.ratio.estimate, n: own.n } : null;
}

/**
 * @param {{name: string, headlines: Headline[][]}[]} runs of one question, newest first
 * @returns {Model[]} one for each matrix of the newest run whose headline other runs have, too
 */
export function trendsOf(runs) {
  const [newest] = runs;
  return (newest?.headlines ?? []).flatMap((questions) => {
    const found = questions
      .map((headline) => ({ headline, own: runs.filter((run) => sameIn(run, headline)) }))
      .find(({ own }) => own.length >= LEAST_RUNS);
    return found ? [modelOf(found.headline, [...found.own].reverse())] : [];
  });
}

/**
 * @param {{headlines: Headline[][]}} run
 * @param {Headline} headline
 * @returns {Headline | undefined} the same question, where it can be compared
 */
function sameIn({ headlines }, { text, where }) {
  return headlines.flat().find((h) => h.text === text && h.where === where);
}

/**
 * @param {Headline} headline
 * @param {{name: string, headlines: Headline[][]}[]} runs oldest first
 * @returns {Model}
 */
function modelOf(headline, runs) {
  const points = runs.flatMap((run, i) => (sameIn(run, headline)?.points ?? []).map((p) => ({ ...p, i })));
  return {
    ...{ kind: 'lines', title: `${headline.text}: run by run`, unit: headline.unit, log: false },
    ...{ places: dates(runs.map(({ name }) => name)), name: '' },
    series: groupBy(points, (p) => p.mark.name).map((own) => ({
      ...own[own.length - 1].mark,
      points: runs.map((_, i) => own.find((p) => p.i === i)?.figure ?? null),
    })),
  };
}

/**
 * @param {string[]} names of runs, `2026-11-23T16-33-54Z-counters`
 * @returns {string[]} their days, and the time where a day has several
 */
function dates(names) {
  return names.map((name) => {
    const day = name.slice(0, 10);
    const several = names.filter((other) => other.startsWith(day)).length > 1;
    return several ? `${day} ${name.slice(11, 16).replace('-', ':')}` : day;
  });
}
