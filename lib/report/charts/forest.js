import { THEME } from './svg.js';

/** Points with their intervals against a line at 1, as an SVG that reads on light and on dark pages. */

/** `n`: pairs of repeats, or starts. @typedef {{estimate: number, low: number | null, high: number | null, n?: number}} Point */

/** @typedef {{label: string, points: (Point | null)[]}} ForestRow by series */

const WIDTH = 900;
const LABEL = 330;
const RIGHT = 28;
/** It stands on a first screen, among much else: no line of it is empty. */
const TOP = 34;
const LEGEND_LINE = 20;
const ROW = 11;
const GAP = 7;
const BOTTOM = 26;
/** Of a character of the title and of the legend, px. */
const TITLE_CHARACTER = 9.2;
const CHARACTER = 7;
/** Ratios that may be written on the axis. */
const TICKS = [
  ...[0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 0.8, 0.9, 0.95],
  ...[1, 1.05, 1.1, 1.25, 1.5, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000],
];
/** Ratios that are written where the others leave an axis empty. */
const BETWEEN = [0.3, 0.4, 0.6, 0.7, 2.5, 4, 7];
/** Of the middles of two ticks, px: no nearer; and what is empty. */
const APART = 34;
const EMPTY = 60;
const TIE = [0.95, 1.05];

/**
 * @param {{title: string, axis: string, series: {name: string, color: string}[], rows: ForestRow[]}} chart
 * @returns {string} the same bytes for the same input
 */
export function drawForest({ title, axis, series, rows }) {
  const ends = rows
    .flatMap((r) => r.points)
    .flatMap((p) => (p ? [p.low ?? p.estimate, p.high ?? p.estimate] : []));
  const least = Math.min(0.9, ...ends) / 1.05;
  const most = Math.max(1.15, ...ends) * 1.05;
  const plot = WIDTH - LABEL - RIGHT;
  const x = (/** @type {number} */ v) =>
    LABEL + ((Math.log(v) - Math.log(least)) / (Math.log(most) - Math.log(least))) * plot;
  const rowHeight = series.length * ROW + GAP;
  // Whose points they are stands beside the title where there is room.
  const titleEnd = 16 + title.length * TITLE_CHARACTER + 24;
  const beside = titleEnd + widthOf(series) <= WIDTH;
  const first = TOP + (beside ? 0 : LEGEND_LINE);
  const bottom = first + rows.length * rowHeight;
  const height = bottom + BOTTOM;
  const parts = [
    text(16, 22, title, 'font-size="15" font-weight="600"'),
    ...(beside ? legend(series, WIDTH - 16 - widthOf(series), 22) : legend(series, 16, 44)),
    rect(
      x(Math.max(least, TIE[0])),
      first,
      x(Math.min(most, TIE[1])) - x(Math.max(least, TIE[0])),
      bottom - first,
      'class="tie"',
    ),
    ...ticksOf(least, most, x).flatMap((t) => [
      line(x(t), first, x(t), bottom, `class="grid" stroke-width="${t === 1 ? 2 : 1}"`),
      text(x(t), bottom + 18, `${t}×`, 'font-size="12" text-anchor="middle"'),
    ]),
    text(LABEL - 12, bottom + 18, axis, 'font-size="12" text-anchor="end"'),
    ...rows.flatMap(({ label, points }, r) => {
      const top = first + r * rowHeight + GAP / 2;
      return [
        text(LABEL - 12, top + (series.length * ROW) / 2 + 4, label, 'font-size="12.5" text-anchor="end"'),
        ...points.flatMap((p, s) => (p ? pointOf(p, x, top + s * ROW + ROW / 2, series[s].color) : [])),
      ];
    }),
  ];
  const name = rows
    .map((row) => {
      const said = row.points.flatMap((p, s) => (p ? [`${series[s].name} ${p.estimate.toFixed(2)}`] : []));
      return `${row.label}: ${said.join(', ')}`;
    })
    .join('. ');
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-label="${escaped(`${title}. ${name}.`)}" font-family="system-ui, sans-serif">
<style>text{fill:${THEME.text[0]}}.back{fill:${THEME.back[0]}}.grid{stroke:${THEME.line[0]}}.tie{fill:${THEME.line[0]};opacity:.5}@media (prefers-color-scheme: dark){text{fill:${THEME.text[1]}}.back{fill:${THEME.back[1]}}.grid{stroke:${THEME.line[1]}}.tie{fill:${THEME.line[1]}}}</style>
<rect class="back" width="${WIDTH}" height="${height}"/>
${parts.join('\n')}
</svg>
`;
}

/** @param {{name: string}[]} series @returns {number} px that its legend takes */
function widthOf(series) {
  return series.reduce((sum, { name }) => sum + 34 + name.length * CHARACTER, 0);
}

/**
 * @param {{name: string, color: string}[]} series
 * @param {number} left px
 * @param {number} y of its line
 * @returns {string[]}
 */
function legend(series, left, y) {
  return series.flatMap(({ name, color }, i) => {
    const from = left + widthOf(series.slice(0, i));
    return [circle(from + 5, y - 4, color), text(from + 16, y, name, 'font-size="12.5"')];
  });
}

/**
 * @param {Point} point
 * @param {(v: number) => number} x
 * @param {number} y
 * @param {string} color
 * @returns {string[]} hollow without an interval
 */
function pointOf({ estimate, low, high }, x, y, color) {
  if (low === null || high === null)
    return [
      `<circle cx="${n(x(estimate))}" cy="${n(y)}" r="4" class="back" stroke="${color}" stroke-width="2"/>`,
    ];
  const stroke = `stroke="${color}" stroke-width="2"`;
  return [
    line(x(low), y, x(high), y, stroke),
    line(x(low), y - 3, x(low), y + 3, stroke),
    line(x(high), y - 3, x(high), y + 3, stroke),
    circle(x(estimate), y, color),
  ];
}

/**
 * @param {number} least
 * @param {number} most
 * @param {(v: number) => number} x
 * @returns {number[]} ticks far enough from each other, 1 among them
 */
function ticksOf(least, most, x) {
  const isInside = (/** @type {number} */ t) => t >= least && t <= most;
  const inside = TICKS.filter(isInside);
  const ticks = inside.filter((t) => t === 1 || (Math.abs(x(t) - x(1)) > APART && isApart(inside, t, x)));
  for (const t of BETWEEN.filter(isInside))
    if (ticks.every((other) => Math.abs(x(t) - x(other)) > EMPTY)) ticks.push(t);
  return ticks;
}

/** @param {number[]} all @param {number} tick @param {(v: number) => number} x */
function isApart(all, tick, x) {
  const nearer = all.filter((t) => (tick > 1 ? t > 1 && t < tick : t < 1 && t > tick));
  return nearer.every((t) => Math.abs(x(t) - x(tick)) > APART);
}

/** @param {number} v @returns {string} */
function n(v) {
  return v.toFixed(1);
}

/** @param {number} x1 @param {number} y1 @param {number} x2 @param {number} y2 @param {string} more */
function line(x1, y1, x2, y2, more) {
  return `<line x1="${n(x1)}" y1="${n(y1)}" x2="${n(x2)}" y2="${n(y2)}" ${more}/>`;
}

/** @param {number} x @param {number} y @param {number} width @param {number} height @param {string} more */
function rect(x, y, width, height, more) {
  return `<rect x="${n(x)}" y="${n(y)}" width="${n(width)}" height="${n(height)}" ${more}/>`;
}

/** @param {number} x @param {number} y @param {string} color */
function circle(x, y, color) {
  return `<circle cx="${n(x)}" cy="${n(y)}" r="4.5" fill="${color}"/>`;
}

/** @param {number} x @param {number} y @param {string} words @param {string} more */
function text(x, y, words, more) {
  return `<text x="${n(x)}" y="${n(y)}" ${more}>${escaped(words)}</text>`;
}

/** @param {string} words */
function escaped(words) {
  return words.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
