import { significant } from '../../format.js';
import { times } from '../matrix/times.js';

/**
 * @import { Figure } from '../../record/figure.js'
 * @import { Model, ModelPoint } from '../html/chart.js'
 */

/** What an interactive chart is drawn from: the points of the picture beside it, each with its words. */

/** @typedef {Pick<Figure, 'median' | 'low' | 'high'> & Partial<Pick<Figure, 'n' | 'bound' | 'rankable'>>} Shown */

/**
 * @param {Shown} figure
 * @param {string} what `Alpha, 20 users`
 * @param {string} unit
 * @returns {ModelPoint}
 */
function figurePoint({ median, low, high, n = 1, bound = null, rankable = true }, what, unit) {
  const interval = high > low ? ` (95 % interval ${significant(low)} – ${significant(high)})` : '';
  const standing = bound ? '; a bound' : rankable ? '' : '; not ranked';
  return {
    value: median,
    low,
    high,
    hollow: bound !== null || !rankable,
    words: `${what}: ${bound === 'lower' ? '≥ ' : ''}${significant(median)} ${unit}${interval}, n = ${n}${standing}`,
  };
}

/**
 * Lines over steps of users, or points of categories.
 * @param {{title: string, unit: string, log: boolean, joined: boolean, categories: string[], name: string,
 *   series: {name: string, color: string, figures: (Shown | null)[]}[]}} chart `name`: of the categories
 * @returns {Model}
 */
export function figuresModel({ unit, categories, name, series, ...rest }) {
  return {
    ...rest,
    unit,
    categories,
    name,
    across: false,
    series: series.map((s) => ({
      name: s.name,
      color: s.color,
      points: s.figures.map((f, i) =>
        f ? figurePoint(f, `${s.name}, ${categories[i]}${name ? ` ${name}` : ''}`, unit) : null,
      ),
    })),
  };
}

/**
 * Lines as `drawLines` draws them.
 * @param {{title: string, unit: string, log: boolean, name: string, series: import('./lines.js').LineSeries[]}} chart
 *   `name`: of what runs along
 * @returns {Model}
 */
export function linesModel({ series, ...chart }) {
  const places = [...new Set(series.flatMap((s) => s.points.map((p) => p.x)))].sort((a, b) => a - b);
  return figuresModel({
    ...chart,
    ...{ joined: true, categories: places.map(String) },
    series: series.map(({ name, color, points }) => ({
      name,
      color,
      figures: places.map((x) => points.find((p) => p.x === x)?.figure ?? null),
    })),
  });
}

/**
 * Ratios with their intervals against a line at 1.
 * @param {{title: string, base: string, series: {name: string, color: string}[], rows: import('./forest.js').ForestRow[]}} chart
 * @returns {Model}
 */
export function forestModel({ title, base, series, rows }) {
  return {
    title,
    unit: `times ${base}; right is better; grey: tie (±5 %)`,
    log: true,
    joined: false,
    across: true,
    name: '',
    categories: rows.map((r) => r.label),
    series: series.map(({ name, color }, s) => ({
      name,
      color,
      points: rows.map(({ label, points }) => {
        const p = points[s];
        if (!p) return null;
        const known = p.low !== null && p.high !== null;
        const interval = known ? ` (95 % interval ${times(Number(p.low))} – ${times(Number(p.high))})` : '';
        return {
          value: p.estimate,
          low: p.low ?? p.estimate,
          high: p.high ?? p.estimate,
          hollow: !known,
          words: `${name}, ${label}: ${times(p.estimate)} ${base}${interval}${p.n ? `, n = ${p.n}` : ''}`,
        };
      }),
    })),
  };
}
