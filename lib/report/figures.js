import { winnerOf } from '../figures/compare.js';
import { METRICS } from '../figures/metrics.js';
import { UNITS } from '../figures/script-rows.js';
import { significant } from '../format.js';
import { caseOf, LOAD, loadText } from './changes.js';
import { csvText } from './csv.js';
import { junitXml } from './junit.js';

/**
 * @import { Measured } from '../figures/changes.js'
 * @import { Comparison } from '../types.d.ts'
 */

/** The figures of a run for other programs: one line, object or case for each load. */

/** Metrics by any name: a script's own have no title. @type {Readonly<Record<string, import('../figures/metrics.js').Metric | undefined>>} */
const KNOWN = METRICS;

/**
 * @typedef {object} RunFigures
 * @property {string} run its name
 * @property {string} profile
 * @property {Measured[]} loads
 * @property {Comparison[]} comparisons of every two systems
 */

/**
 * @param {RunFigures} figures
 * @returns {object} as lib/schema/figures.schema.json has it
 */
export function figuresJson({ run, profile, loads, comparisons }) {
  return {
    schemaVersion: 2,
    ...{ run, profile },
    loads: loads.map((measured) => {
      const { figures: _, failure, isTime, keys: _keys, sideBySide: _sideBySide, ...load } = measured;
      return { ...load, failure, figures: figuresIn(measured) };
    }),
    comparisons,
  };
}

/** @param {Measured} load @returns those of its figures that it has, each with its metric and unit */
function figuresIn({ figures, isTime }) {
  return Object.entries(figures).flatMap(([metric, figure]) => {
    if (!figure) return [];
    const { median, low, high, n, bound, rankable, why } = figure;
    const known = isTime === undefined ? KNOWN[metric]?.unit : undefined;
    const unit = known ?? UNITS[metric] ?? (isTime ? 'ms' : '');
    return [{ metric, unit, median, low, high, n, bound, rankable, why }];
  });
}

const COLUMNS = Object.freeze([
  ...['run', ...LOAD, 'metric', 'unit', 'median', 'low', 'high', 'n', 'bound', 'rankable', 'why'],
  ...['against', 'ratio', 'ratio_low', 'ratio_high', 'outcome', 'winner'],
]);

/** @param {RunFigures} figures @returns {string} a line for each load and metric, then one for each comparison */
export function figuresCsv({ run, loads, comparisons }) {
  const own = loads.flatMap((load) =>
    load.failure
      ? [{ ...load, run, n: 0, rankable: false, why: load.failure }]
      : figuresIn(load).map((figure) => ({ ...load, run, ...figure, why: figure.why.join(' ') })),
  );
  const ofTwo = comparisons.map((comparison) => {
    const { a, b, load, metric, ratio, n, why } = comparison;
    const at = loads.find((l) => l.step === load?.step && l.workload === load.workload);
    return {
      ...{ ...comparison, ...load, run, connections: at?.connections, depth: at?.depth },
      ...{ system: a, against: b, winner: winnerOf(comparison), unit: METRICS[metric].unit },
      ...{ ratio: ratio?.estimate, why: why.map(({ code }) => code).join(' ') },
      ...(n > 1 ? { ratio_low: ratio?.low, ratio_high: ratio?.high } : {}),
    };
  });
  return csvText(COLUMNS, [...own, ...ofTwo]);
}

/** @param {Measured} load @returns {string} which of a run it is */
function nameOf(load) {
  return `${load.system}: ${loadText(load)}`;
}

/**
 * Bencher Metric Format: a benchmark for each load, a measure for each metric, its interval as lower and upper value.
 * @param {RunFigures} figures
 * @returns {Record<string, Record<string, {value: number, lower_value?: number, upper_value?: number}>>}
 */
export function figuresBmf({ loads }) {
  /** @type {ReturnType<typeof figuresBmf>} */
  const all = {};
  for (const load of loads)
    for (const { metric, median, low, high, n } of figuresIn(load)) {
      const interval = n > 1 ? { lower_value: low, upper_value: high } : {};
      all[nameOf(load)] = { ...all[nameOf(load)], [metric]: { value: median, ...interval } };
    }
  return all;
}

/**
 * `customSmallerIsBetter` of github-action-benchmark, which takes one direction alone: throughput is in the other formats.
 * @param {RunFigures} figures
 * @returns {{name: string, unit: string, value: number, range?: string}[]}
 */
export function figuresActionBenchmark({ loads }) {
  return loads.flatMap((load) =>
    figuresIn(load)
      .filter(({ metric }) => KNOWN[metric]?.moreIsBetter === false)
      .map(({ metric, unit, median, low, high, n }) => ({
        ...{ name: `${nameOf(load)}: ${KNOWN[metric]?.title}`, unit, value: median },
        ...(n > 1 ? { range: `${significant(low)} – ${significant(high)}` } : {}),
      })),
  );
}

/** @param {RunFigures} figures @returns {string} a case for each load: it fails where there is no figure */
export function figuresJunit({ run, profile, loads }) {
  const cases = loads.map((load) => ({
    ...caseOf(load),
    ...(load.failure ? { failure: { message: load.failure } } : {}),
    out: figuresIn(load)
      .map(({ metric, unit, median, low, high, n }) => {
        const interval = n > 1 ? `${significant(low)} – ${significant(high)}, ` : '';
        return `${KNOWN[metric]?.title ?? metric}, ${unit}: ${significant(median)} (${interval}n ${n})`;
      })
      .join('\n'),
  }));
  return junitXml(run, cases, { profile });
}
