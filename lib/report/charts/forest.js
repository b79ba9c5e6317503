import { THEME } from './svg.js';

/** Points with their intervals against a line at 1, as an SVG that reads on light and on dark pages. */

/** `n`: pairs of repeats, or starts. @typedef {{estimate: number, low: number | null, high: number | null, n?: number}} Point */

/** @typedef {{label: string, points: (Point | null)[]}} ForestRow by series */

/**
 * Across the page, or beside the words of a first screen, among much else: no line of it is empty.
 * @typedef {object} Shape
 * @property {number} width px
 * @property {number} most px of the column of labels
 * @property {number} titleSize px of its type
 * @property {number} size of all other type
 */
/** @type {Shape} */
const ACROSS = { width: 900, most: 330, titleSize: 15, size: 12.5 };
/** @type {Shape} */
const BESIDE = { width: 430, most: 220, titleSize: 13, size: 12 };
const EDGE = 16;
/** Between a label and the plot. */
const LABEL_GAP = 12;
const RIGHT = 28;
const ROW = 11;
const GAP = 7;
/** Of a character for each px of its type: of the title, which is bold, and of the rest. */
const TITLE_EM = 0.61;
const EM = 0.56;
/** Between two lines, for each px of type. */
const LEADING = 1.4;
/** Ratios that may be written on the axis, the roundest first. */
const TICKS = [
  ...[1, 2, 0.5, 5, 0.2, 10, 0.1, 20, 0.05, 50, 0.02, 100, 0.01, 200, 500, 1000],
  ...[1.5, 0.7, 3, 0.3, 1.25, 0.8, 1.1, 0.9, 1.05, 0.95, 0.6, 0.4, 2.5, 4, 7],
];
/** Of the middles of two ticks, px: no nearer. */
const APART = 44;
const TIE = [0.95, 1.05];

/**
 * @param {{title: string, axis: string, series: {name: string, color: string}[], rows: ForestRow[], beside?: boolean}} chart
 *   `beside`: whether it stands beside words
 * @returns {string} the same bytes for the same input
 */
export function drawForest({ title, axis, series, rows, beside = false }) {
  const shape = beside ? BESIDE : ACROSS;
  const { width, titleSize, size } = shape;
  const ends = rows
    .flatMap((r) => r.points)
    .flatMap((p) => (p ? [p.low ?? p.estimate, p.high ?? p.estimate] : []));
  const least = Math.min(0.9, ...ends) / 1.05;
  const most = Math.max(1.15, ...ends) * 1.05;
  const longest = Math.max(...rows.map(({ label }) => label.length)) * size * EM;
  const labels = beside ? Math.min(shape.most, EDGE + longest + LABEL_GAP) : shape.most;
  const plot = width - labels - RIGHT;
  const x = (/** @type {number} */ v) =>
    labels + ((Math.log(v) - Math.log(least)) / (Math.log(most) - Math.log(least))) * plot;
  const rowHeight = series.length * ROW + GAP;
  const titles = linesOf(title, (width - 2 * EDGE) / (titleSize * TITLE_EM));
  const heads = titles.map((words, i) =>
    text(EDGE, (i + 1) * titleSize * LEADING, words, `font-size="${titleSize}" font-weight="600"`),
  );
  // Whose points they are stands beside the title where there is room.
  const isOneLine =
    titles.length === 1 && EDGE + title.length * titleSize * TITLE_EM + 24 + widthOf(series, size) <= width;
  const named = isOneLine
    ? [legend(series, width - EDGE - widthOf(series, size), titleSize * LEADING, size)]
    : besideEachOther(series, width - EDGE, size).map((own, i) =>
        legend(own, EDGE, titles.length * titleSize * LEADING + (i + 1) * size * LEADING, size),
      );
  const first = Math.ceil(
    titles.length * titleSize * LEADING + (isOneLine ? 0 : named.length * size * LEADING) + 12,
  );
  const bottom = first + rows.length * rowHeight;
  // What the axis is stands left of it, or below where there is no room.
  const axisRoom = beside ? size * LEADING : 0;
  const height = Math.ceil(bottom + 26 + axisRoom);
  const parts = [
    ...heads,
    ...named.flat(),
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
    beside
      ? text(width - RIGHT, bottom + 18 + axisRoom, axis, 'font-size="12" text-anchor="end"')
      : text(labels - LABEL_GAP, bottom + 18, axis, 'font-size="12" text-anchor="end"'),
    ...rows.flatMap(({ label, points }, r) => {
      const top = first + r * rowHeight + GAP / 2;
      return [
        text(
          labels - LABEL_GAP,
          top + (series.length * ROW) / 2 + 4,
          shortText(label, (labels - EDGE) / (size * EM)),
          `font-size="${size}" text-anchor="end"`,
        ),
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
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escaped(`${title}. ${name}.`)}" font-family="system-ui, sans-serif">
<style>text{fill:${THEME.text[0]}}.back{fill:${THEME.back[0]}}.grid{stroke:${THEME.line[0]}}.tie{fill:${THEME.line[0]};opacity:.5}@media (prefers-color-scheme: dark){text{fill:${THEME.text[1]}}.back{fill:${THEME.back[1]}}.grid{stroke:${THEME.line[1]}}.tie{fill:${THEME.line[1]}}}</style>
<rect class="back" width="${width}" height="${height}"/>
${parts.join('\n')}
</svg>
`;
}

/**
 * @param {string} words
 * @param {number} characters of a line
 * @returns {string[]} broken between words
 */
function linesOf(words, characters) {
  const lines = [''];
  for (const word of words.split(' ')) {
    const line = lines[lines.length - 1];
    if (line !== '' && line.length + 1 + word.length > characters) lines.push(word);
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`;
  }
  return lines;
}

/**
 * @param {string} words
 * @param {number} characters that there is room for
 */
function shortText(words, characters) {
  return words.length > characters ? `${words.slice(0, Math.floor(characters) - 1)}…` : words;
}

/** @param {{name: string}[]} series @param {number} size of its type @returns {number} px that its legend takes */
function widthOf(series, size) {
  return series.reduce((sum, { name }) => sum + 34 + name.length * size * EM, 0);
}

/**
 * @param {{name: string, color: string}[]} series
 * @param {number} room px
 * @param {number} size of their type
 * @returns {{name: string, color: string}[][]} line by line
 */
function besideEachOther(series, room, size) {
  /** @type {{name: string, color: string}[][]} */
  const lines = [[]];
  for (const one of series) {
    const line = lines[lines.length - 1];
    if (line.length > 0 && widthOf([...line, one], size) > room) lines.push([one]);
    else line.push(one);
  }
  return lines;
}

/**
 * @param {{name: string, color: string}[]} series
 * @param {number} left px
 * @param {number} y of its line
 * @param {number} size of its type
 * @returns {string[]}
 */
function legend(series, left, y, size) {
  return series.flatMap(({ name, color }, i) => {
    const from = left + widthOf(series.slice(0, i), size);
    return [circle(from + 5, y - 4, color), text(from + 16, y, name, `font-size="${size}"`)];
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
  /** @type {number[]} */
  const ticks = [];
  for (const t of TICKS.filter((tick) => tick >= least && tick <= most))
    if (ticks.every((other) => Math.abs(x(t) - x(other)) >= APART)) ticks.push(t);
  return ticks;
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
