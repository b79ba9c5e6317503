import { figureText, significant } from '../../format.js';

/**
 * Draws every chart: the files beside a README, and the same in `report.html` and `index.html`. Those pages carry the text of
 * this file to draw a chart again, so it touches no document and imports nothing that they do not carry, too.
 */

/**
 * @typedef {Pick<import('../../figures/figure.js').Figure, 'median' | 'low' | 'high'> &
 *   Partial<Pick<import('../../figures/figure.js').Figure, 'n' | 'bound' | 'rankable'>>} Point `low` and `high`: the ends of
 *   its interval, the median itself where there is none
 */

/** @typedef {{name: string, color: string, shape: number, points: (Point | null)[]}} Series points by place */

/**
 * @typedef {object} Model
 * @property {'lines' | 'ratios' | 'bars'} kind lines over users or minutes; ratios with a line at 1; sorted bars
 * @property {string} title
 * @property {string} unit of the values: `op/s`; of ratios what 1 is: `Alpha = 1×`
 * @property {boolean} log the scale of the values, and of the numbers along lines
 * @property {string} name of the places: `users`; '' where their own names tell enough
 * @property {(string | number)[]} places along the lines, or from top to bottom; numbers stand to scale
 * @property {Series[]} series
 */

/** Two charts stand beside each other in a README's column, and one is read on a phone. */
const WIDTH = 440;
const EDGE = 12;
/** Of its type, as its style has it. */
const SIZE = 13;
const LINE = 18;
/** Of a character, for each px of its type. */
const EM = 0.56;
/** Height of the plot of lines; of a row of a series; px between the numbers of an axis from left to right, and upwards. */
const PLOT = 190;
const ROW = 15;
const APART = { across: 46, up: 24 };
/** Numbers of a logarithmic axis, the roundest first. */
const ROUND = [1, 2, 5, 3, 1.5, 7, 4, 6, 8, 9, 1.2, 1.1];
/**
 * @param {Model} model
 * @returns {string} what it shows, in words: each value stands in it
 */
export function wordsOf({ title, unit, name, places, series }) {
  const all = places.flatMap((place, i) => {
    const own = series.flatMap(({ name: who, points }) =>
      points[i] ? [`${who} ${figureText(points[i])}`] : [],
    );
    return own.length > 0 ? [`${placeText(place, name)}: ${own.join(', ')}`] : [];
  });
  return `${title}, ${unit}. ${all.join('; ')}.`;
}

/**
 * @param {Model} model
 * @param {{log?: boolean, hidden?: ReadonlySet<number>}} [state] the scale, and series that are not shown
 * @returns {string} SVG; each point is `<g class="point">` and says itself as its name, each name of a series `<g class="key">`
 */
export function drawChart(model, { log = model.log, hidden = new Set() } = {}) {
  const shown = model.series.filter((_, i) => !hidden.has(i));
  const title = linesOf(model.title, WIDTH - 2 * EDGE, 16.5);
  const heads = title.map((words, i) => text(EDGE, 24 + i * LINE, words, 'font-size="15" font-weight="600"'));
  const keys = legend(model, hidden, 24 + title.length * LINE);
  const top = 24 + (title.length + keys.lines) * LINE + 6;
  const plot =
    model.kind === 'lines'
      ? linesPlot(model, shown, log, top)
      : rowsPlot(model, shown, log, top + (model.kind === 'ratios' ? LINE : 0));
  return `<svg xmlns="http://www.w3.org/2000/svg" class="chart" viewBox="0 0 ${WIDTH} ${plot.height}" width="${WIDTH}" height="${plot.height}" role="group" aria-label="${escaped(wordsOf(model))}">${[...heads, ...keys.parts, ...plot.parts].join('')}</svg>`;
}

/**
 * @param {Model} model
 * @param {Series[]} shown
 * @param {boolean} log
 * @param {number} top px
 */
function linesPlot(model, shown, log, top) {
  const { unit, name, places } = model;
  const [left, right, bottom] = [58, WIDTH - 16, top + 20 + PLOT];
  const up = scaleOf(valuesOf(shown), log, bottom, top + 20, APART.up);
  const along = placesScale(places, model.log, left + 14, right - 14);
  const hollow = shown.some(({ points }) => points.some((p) => p && isHollow(p)));
  const parts = [
    text(EDGE, top + 8, `${unit}, ${log ? 'log scale' : 'linear scale'}`),
    ...up.ticks.flatMap((v) => [
      line(left, up.at(v), right, up.at(v), 'class="grid"'),
      text(left - 6, up.at(v) + 4, tickText(v), 'text-anchor="end"'),
    ]),
    ...along.ticks.map((i) => text(along.at(i), bottom + 18, String(places[i]), 'text-anchor="middle"')),
    text(
      (left + right) / 2,
      bottom + 38,
      [name, hollow ? 'hollow: limited by the load generator, or not ranked' : ''].filter(Boolean).join('; '),
      'text-anchor="middle"',
    ),
  ];
  for (const own of shown) {
    const known = own.points.flatMap((p, i) => (p && (p.median > 0 || !log) ? [{ p, i }] : []));
    const path = known.map(({ p, i }, k) => `${k ? 'L' : 'M'}${n(along.at(i))} ${n(up.at(p.median))}`);
    parts.push(`<path d="${path.join('')}" fill="none" stroke="${escaped(own.color)}" stroke-width="2"/>`);
    for (const { i } of known) parts.push(pointOf(model, own, i, (v) => [along.at(i), up.at(v)]));
  }
  return { parts, height: bottom + 50 };
}

/**
 * @param {Model} model
 * @param {Series[]} shown
 * @param {boolean} log
 * @param {number} top px
 */
function rowsPlot(model, shown, log, top) {
  const { kind, unit, name, places } = model;
  const isRatio = kind === 'ratios';
  const medianOf = (/** @type {Series} */ { points }, /** @type {number} */ i) => Number(points[i]?.median);
  const rows = places.map((place, i) => {
    const own = shown.filter(({ points }) => points[i]);
    if (!isRatio) own.sort((a, b) => medianOf(a, i) - medianOf(b, i));
    return { words: placeText(place, name), i, own };
  });
  const bottom = rows.reduce((y, { own }) => y + LINE + own.length * ROW + 8, top);
  const values = [...valuesOf(shown), ...(isRatio ? [0.9, 1.15] : [])];
  const along = scaleOf(values, log, EDGE + 4, WIDTH - 64, APART.across);
  const by = isRatio ? '×' : '';
  const parts = [
    ...along.ticks.flatMap((v) => [
      line(along.at(v), top, along.at(v), bottom, `class="${isRatio && v === 1 ? 'one' : 'grid'}"`),
      text(along.at(v), bottom + 16, `${tickText(v)}${by}`, 'text-anchor="middle"'),
    ]),
  ];
  if (isRatio) {
    // What is between the dashes is a tie.
    for (const x of [0.95, 1.05].map(along.at))
      parts.push(line(x, top, x, bottom, 'class="grid" stroke-dasharray="3 3"'));
    const x = Math.max(EDGE + unit.length * 3.5, along.at(1));
    parts.push(text(x, top - 4, unit, 'text-anchor="middle"'));
  }
  const about = isRatio
    ? 'log scale; right is better; between dashes: tie'
    : `${unit}${log ? ', log scale' : ''}`;
  parts.push(text(EDGE, bottom + 36, about));
  let y = top;
  for (const { words, i, own } of rows) {
    parts.push(text(EDGE, y + 14, shortened(words, WIDTH - 2 * EDGE), 'font-weight="500"'));
    y += LINE + 4;
    for (const one of own) {
      const p = /** @type {Point} */ (one.points[i]);
      const middle = y + ROW / 2;
      const [x, end] = [along.at(p.median), along.at(Math.max(p.median, p.high))];
      const ink = escaped(one.color);
      if (kind === 'bars' && !log)
        parts.push(
          `<rect x="${n(along.at(0))}" y="${n(middle - 4)}" width="${n(x - along.at(0))}" height="8" fill="${isHollow(p) ? 'none' : ink}" stroke="${ink}"/>`,
        );
      parts.push(
        pointOf(model, one, i, (v) => [along.at(v), middle]),
        text(end + 9, middle + 4, `${figureText(p)}${by}`),
      );
      y += ROW;
    }
    y += 4;
  }
  return { parts, height: bottom + 46 };
}

/**
 * @param {Model} model
 * @param {ReadonlySet<number>} hidden
 * @param {number} top px of its first line
 */
function legend({ series }, hidden, top) {
  let [x, lines] = [EDGE, 1];
  const parts = series.map(({ name, color, shape }, i) => {
    const words = shortened(name, WIDTH - 2 * EDGE - 20);
    const width = 20 + words.length * SIZE * EM;
    if (x > EDGE && x + width > WIDTH - EDGE) {
      x = EDGE;
      lines++;
    }
    const y = top + (lines - 1) * LINE;
    const mark = markOf(shape, x + 6, y - 4, color, hidden.has(i));
    const key = `<g class="key" data-series="${i}" role="button" tabindex="0" aria-pressed="${!hidden.has(i)}" aria-label="${escaped(name)}">${mark}${text(x + 16, y, words, hidden.has(i) ? 'text-decoration="line-through"' : '')}</g>`;
    x += width + 14;
    return key;
  });
  return { parts, lines };
}

/**
 * @param {Model} model
 * @param {Series} series
 * @param {number} i of its place
 * @param {(v: number) => number[]} at
 */
function pointOf(model, { name, color, shape, points }, i, at) {
  const p = /** @type {Point} */ (points[i]);
  const [[x, y], [x1, y1], [x2, y2]] = [p.median, p.low || p.median, p.high].map(at);
  // The caps reach over the mark, so that a narrow interval is seen, too.
  const [dx, dy] = model.kind === 'lines' ? [7, 0] : [0, 7];
  const caps = [
    [x1, y1],
    [x2, y2],
  ].map(([a, b]) => `M${n(a - dx)} ${n(b - dy)}L${n(a + dx)} ${n(b + dy)}`);
  const whisker =
    p.high > p.low
      ? `<path class="whisker" d="M${n(x1)} ${n(y1)}L${n(x2)} ${n(y2)}${caps.join('')}" stroke="${escaped(color)}" stroke-width="1.5" fill="none"/>`
      : '';
  return `<g class="point" tabindex="-1" role="img" aria-label="${escaped(said(model, name, i, p))}"><circle class="hit" cx="${n(x)}" cy="${n(y)}" r="10"/>${markOf(shape, x, y, color, isHollow(p))}${whisker}</g>`;
}

/** Of the marks of series: round, square, up, diamond, down, cross. */
const OUTLINES = [
  ...['M-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z', 'M-3.6-3.6h7.2v7.2h-7.2z', 'M0-4.6l4.4 8h-8.8z'],
  ...['M0-5l5 5l-5 5l-5-5z', 'M0 4.6l4.4-8h-8.8z'],
  'M-4-1.4h2.6v-2.6h2.8v2.6h2.6v2.8h-2.6v2.6h-2.8v-2.6h-2.6z',
];

/** @param {number} shape @param {number} x @param {number} y @param {string} color @param {boolean} hollow */
function markOf(shape, x, y, color, hollow) {
  const ink = escaped(color);
  return `<path transform="translate(${n(x)} ${n(y)})" d="${OUTLINES[shape % OUTLINES.length]}" stroke="${ink}" stroke-width="1.5" ${hollow ? 'class="back"' : `fill="${ink}"`}/>`;
}

/** @param {Series[]} shown @returns {number[]} */
function valuesOf(shown) {
  return shown.flatMap(({ points }) => points.flatMap((p) => (p ? [p.low, p.median, p.high] : [])));
}

/**
 * @param {number[]} values
 * @param {boolean} log
 * @param {number} from px of the least value
 * @param {number} to px of the greatest
 * @param {number} gap px between two numbers
 * @returns {{ticks: number[], at: (v: number) => number}}
 */
function scaleOf(values, log, from, to, gap) {
  const known = values.filter((v) => Number.isFinite(v) && (v > 0 || !log));
  const most = Math.max(...known, log ? 1e-9 : 0) || 1;
  const place = (/** @type {number} */ share) => from + Math.min(1, Math.max(0, share)) * (to - from);
  if (!log) {
    const unit = 10 ** Math.floor(Math.log10(most / 4));
    const by = [1, 2, 5, 10].map((m) => m * unit).find((step) => most / step <= 5) ?? unit * 10;
    // Whatever is highest stands below a line that has its number.
    const count = Math.ceil(most / by - 1e-9);
    const ticks = Array.from({ length: count + 1 }, (_, i) => Number((i * by).toPrecision(6)));
    return { ticks, at: (v) => place(v / (count * by)) };
  }
  const [least, top] = [Math.min(...known, most) / 1.05, most * 1.05];
  const at = (/** @type {number} */ v) => place(v > 0 ? Math.log(v / least) / Math.log(top / least) : 0);
  /** @type {number[]} */
  const ticks = [];
  for (const part of ROUND)
    for (let d = Math.floor(Math.log10(least)); d <= Math.log10(top); d++) {
      const v = Number((part * 10 ** d).toPrecision(3));
      if (v >= least && v <= top && ticks.every((t) => Math.abs(at(t) - at(v)) >= gap)) ticks.push(v);
    }
  return { ticks: ticks.sort((a, b) => a - b), at };
}

/**
 * @param {(string | number)[]} places
 * @param {boolean} log
 * @param {number} from px
 * @param {number} to px
 * @returns {{ticks: number[], at: (i: number) => number}} by index of a place
 */
function placesScale(places, log, from, to) {
  const isToScale = places.every((p) => typeof p === 'number');
  const values = places.map((p, i) => (isToScale ? (log ? Math.log(Math.max(1, Number(p))) : Number(p)) : i));
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const at = (/** @type {number} */ i) =>
    most > least ? from + ((values[i] - least) / (most - least)) * (to - from) : (from + to) / 2;
  const widthOf = (/** @type {number} */ i) => String(places[i]).length * SIZE * EM;
  const isApart = (/** @type {number} */ a, /** @type {number} */ b) =>
    Math.abs(at(a) - at(b)) >= 12 + Math.max(widthOf(a), widthOf(b));
  /** @type {number[]} */
  const ticks = [];
  // The last place has its name before those that lie too near to it.
  for (const i of [places.length - 1, ...places.keys()]) if (ticks.every((t) => isApart(t, i))) ticks.push(i);
  return { ticks, at };
}

/** @param {Point} point @returns {boolean} whether it is a bound, or may not be ranked */
function isHollow({ bound = null, rankable = true }) {
  return bound !== null || !rankable;
}

/** @param {Model} model @param {string} who @param {number} i of the place @param {Point} p */
function said({ kind, unit, name, places }, who, i, p) {
  const interval = p.high > p.low ? ` (95 % CI ${significant(p.low)}–${significant(p.high)})` : '';
  const standing = p.bound ? '; limited by the load generator' : isHollow(p) ? '; not ranked' : '';
  const of = kind === 'ratios' ? `× with ${unit}` : ` ${unit}`;
  return `${who}, ${placeText(places[i], name)}: ${figureText(p)}${of}${interval}, n = ${p.n ?? 1}${standing}`;
}

/** @param {string | number} place @param {string} name of the places @returns {string} `20 users`, `1 user` */
function placeText(place, name) {
  return [place, String(place) === '1' ? name.replace(/s$/, '') : name].filter(Boolean).join(' ');
}

/** @param {number} v */
function tickText(v) {
  if (v >= 1e6) return `${v / 1e6} M`;
  return v >= 1000 ? `${v / 1000} k` : String(v);
}

/** @param {string} words @param {number} room px @param {number} size @returns {string[]} broken between words */
function linesOf(words, room, size) {
  const lines = [''];
  for (const word of words.split(' ')) {
    const last = lines[lines.length - 1];
    if (last !== '' && (last.length + 1 + word.length) * size * EM > room) lines.push(word);
    else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`;
  }
  return lines;
}

/** @param {string} words @param {number} room px */
function shortened(words, room) {
  const most = Math.floor(room / (SIZE * EM));
  return words.length > most ? `${words.slice(0, most - 1)}…` : words;
}

/** @param {number} v */
function n(v) {
  return v.toFixed(1);
}

/** @param {number} x1 @param {number} y1 @param {number} x2 @param {number} y2 @param {string} more */
function line(x1, y1, x2, y2, more) {
  return `<line x1="${n(x1)}" y1="${n(y1)}" x2="${n(x2)}" y2="${n(y2)}" ${more}/>`;
}

/** @param {number} x @param {number} y @param {string} words @param {string} [more] */
function text(x, y, words, more = '') {
  return `<text x="${n(x)}" y="${n(y)}" ${more}>${escaped(words)}</text>`;
}

/** @param {string} words @returns {string} HTML that shows them, within an attribute too */
export function escaped(words) {
  return words
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
