import { significant } from '../format.js';
import { winnerOf } from '../record/compare.js';
import { METRICS } from '../record/metrics.js';
import { UNITS } from '../record/script-rows.js';
import { loadText } from './changes.js';
import { csvText } from './csv.js';
import { junitXml } from './junit.js';

/**
 * @import { Measured } from '../record/changes.js'
 * @import { Figure } from '../record/figure.js'
 * @import { Comparison, MetricName } from '../types.d.ts'
 */

/** The figures of a run for other programs: one line, object or case for each load. */

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
    run,
    profile,
    loads: loads.map(({ figures, failure, isTime, keys: _keys, sideBySide: _sideBySide, ...load }) => ({
      ...load,
      failure,
      figures: Object.entries(figures).flatMap(([metric, figure]) =>
        figure ? [{ metric, unit: unitOf(metric, isTime), ...numbersOf(figure) }] : [],
      ),
    })),
    comparisons,
  };
}

/** @param {string} metric @param {boolean} [isTime] of a script's own: whether its values are ms @returns {string} */
function unitOf(metric, isTime) {
  if (isTime === undefined) return METRICS[/** @type {MetricName} */ (metric)].unit;
  return UNITS[metric] ?? (isTime ? 'ms' : '');
}

/** @param {Figure} figure */
function numbersOf({ median, low, high, n, bound, rankable, why }) {
  return { median, low, high, n, bound, rankable, why };
}

/** @param {RunFigures} figures @returns {string} a line for each load and metric, then one for each comparison */
export function figuresCsv({ run, loads, comparisons }) {
  const heads = [
    ...['run', 'system', 'workload', 'transport', 'step', 'operation', 'connections', 'depth'],
    ...['metric', 'unit', 'median', 'low', 'high', 'n', 'bound', 'rankable', 'why'],
    ...['against', 'ratio', 'ratio_low', 'ratio_high', 'outcome', 'winner'],
  ];
  const own = loads.flatMap((l) => {
    const load = [run, l.system, l.workload, l.transport, l.step, l.operation, l.connections, l.depth];
    const none = Array(6).fill(null);
    if (l.failure) return [[...load, '', '', null, null, null, 0, '', false, l.failure, ...none]];
    return Object.entries(l.figures).flatMap(([metric, f]) =>
      f
        ? [
            [
              ...[...load, metric, unitOf(metric, l.isTime), f.median, f.low, f.high],
              ...[f.n, f.bound, f.rankable, f.why.join(' '), ...none],
            ],
          ]
        : [],
    );
  });
  const ofTwo = comparisons.map((comparison) => {
    const { a, b, load, metric, ratio, n, bound, outcome, why } = comparison;
    const at = loads.find((l) => l.step === load?.step && l.workload === load.workload);
    return [
      ...[run, a, load?.workload, load?.transport, load?.step, load?.operation, at?.connections, at?.depth],
      ...[
        metric,
        METRICS[metric].unit,
        null,
        null,
        null,
        n,
        bound,
        null,
        why.map(({ code }) => code).join(' '),
      ],
      ...[b, ratio?.estimate, ...(n > 1 ? [ratio?.low, ratio?.high] : [null, null]), outcome],
      winnerOf(comparison),
    ];
  });
  return csvText(heads, [...own, ...ofTwo]);
}

/**
 * @param {RunFigures} figures
 * @returns {{name: string, metric: string, unit: string, figure: Figure}[]} one for each load and metric that has a figure
 */
function namedFigures({ loads }) {
  return loads.flatMap((load) =>
    Object.entries(load.figures).flatMap(([metric, figure]) =>
      figure
        ? [{ name: `${load.system}: ${loadText(load)}`, metric, unit: unitOf(metric, load.isTime), figure }]
        : [],
    ),
  );
}

/**
 * Bencher Metric Format: a benchmark for each load, a measure for each metric, its interval as lower and upper value.
 * @param {RunFigures} figures
 * @returns {Record<string, Record<string, {value: number, lower_value?: number, upper_value?: number}>>}
 */
export function figuresBmf(figures) {
  /** @type {ReturnType<typeof figuresBmf>} */
  const all = {};
  for (const { name, metric, figure } of namedFigures(figures)) {
    const { median, low, high, n } = figure;
    const interval = n > 1 ? { lower_value: low, upper_value: high } : {};
    all[name] = { ...all[name], [metric]: { value: median, ...interval } };
  }
  return all;
}

/**
 * `customSmallerIsBetter` of github-action-benchmark, which takes one direction alone: throughput is in the other formats.
 * @param {RunFigures} figures
 * @returns {{name: string, unit: string, value: number, range?: string}[]}
 */
export function figuresActionBenchmark(figures) {
  return namedFigures(figures)
    .filter(({ metric }) => METRICS[metric]?.moreIsBetter === false)
    .map(({ name, metric, unit, figure: { median, low, high, n } }) => ({
      ...{ name: `${name}: ${METRICS[metric].title}`, unit, value: median },
      ...(n > 1 ? { range: `${significant(low)} – ${significant(high)}` } : {}),
    }));
}

/** @param {RunFigures} figures @returns {string} a case for each load: it fails where there is no figure */
export function figuresJunit({ run, profile, loads }) {
  const cases = loads.map((load) => ({
    classname: `${load.workload}.${load.system}`,
    name: loadText(load),
    ...(load.failure ? { failure: { message: load.failure } } : {}),
    out: Object.entries(load.figures)
      .flatMap(([metric, f]) =>
        f
          ? [
              `${METRICS[/** @type {MetricName} */ (metric)]?.title ?? metric}, ${unitOf(metric, load.isTime)}: ${significant(f.median)} (${f.n > 1 ? `${significant(f.low)} – ${significant(f.high)}, ` : ''}n ${f.n})`,
            ]
          : [],
      )
      .join('\n'),
  }));
  return junitXml(run, cases, { profile });
}
