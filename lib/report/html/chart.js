/** Draws a chart of `report.html`. The page carries this file's text, too: it imports nothing and touches no document. */

/**
 * @typedef {object} ModelPoint
 * @property {number} value
 * @property {number} low end of its interval; the value itself where there is none
 * @property {number} high
 * @property {boolean} hollow what is a bound, or has no interval
 * @property {string} words the point in words: who, where, how much, its interval and n
 */

/**
 * @typedef {object} Model
 * @property {string} title
 * @property {string} unit of the axis of values
 * @property {boolean} log whether its axis of values begins logarithmic
 * @property {boolean} joined whether the points of a series are a line
 * @property {boolean} across whether values run from left to right, categories from top to bottom
 * @property {string} name of the categories
 * @property {string[]} categories
 * @property {{name: string, color: string, points: (ModelPoint | null)[]}[]} series points by category
 */

/**
 * @param {Model} model
 * @param {{log?: boolean, hidden?: ReadonlySet<number>}} [state] the scale, and series that are not shown
 * @returns {string} SVG; each point is `<g class="point" data-s data-c>` and says its words as its name
 */
export function drawChart(model, { log = model.log, hidden = new Set() } = {}) {
  const { title, unit, across, categories, series, joined, name } = model;
  const shown = series.map((_, i) => i).filter((i) => !hidden.has(i));
  const row = Math.max(1, shown.length) * 16 + 10;
  const width = across ? 900 : 470;
  const height = across ? categories.length * row + 66 : 290;
  const plot = across
    ? { left: 330, right: width - 24, top: 12, bottom: height - 54 }
    : { left: 66, right: width - 14, top: 26, bottom: height - 52 };
  const scale = scaleOf(model, shown, log);
  const length = across ? plot.right - plot.left : plot.bottom - plot.top;
  const along = (/** @type {number} */ v) => {
    const at = Math.min(1, Math.max(0, scale.share(v))) * length;
    return across ? plot.left + at : plot.bottom - at;
  };
  const step = (across ? plot.bottom - plot.top : plot.right - plot.left) / categories.length;
  const place = (/** @type {number} */ c, /** @type {number} */ nth) => {
    const middle = (across ? plot.top : plot.left) + (c + 0.5) * step;
    const room = Math.min(16, (step * 0.8) / Math.max(1, shown.length));
    // The points of a line stand on their step; others beside each other.
    return joined ? middle : middle + (nth - (shown.length - 1) / 2) * room;
  };
  const at = (/** @type {number} */ v, /** @type {number} */ p) => (across ? [along(v), p] : [p, along(v)]);
  const parts = [];
  if (across) {
    const [a, b] = [along(0.95), along(1.05)];
    parts.push(
      `<rect class="tie" x="${n(a)}" y="${plot.top}" width="${n(b - a)}" height="${plot.bottom - plot.top}"/>`,
    );
  }
  for (const tick of scale.ticks) {
    const [x, y] = across ? [along(tick), plot.bottom] : [plot.left, along(tick)];
    const strong = across && tick === 1 ? ' one' : '';
    parts.push(
      across
        ? `<line class="grid${strong}" x1="${n(x)}" y1="${plot.top}" x2="${n(x)}" y2="${n(y)}"/>${text(x, y + 18, `${tickText(tick)}×`, 'middle')}`
        : `<line class="grid" x1="${n(x)}" y1="${n(y)}" x2="${plot.right}" y2="${n(y)}"/>${text(x - 8, y + 4, tickText(tick), 'end')}`,
    );
  }
  const said = `${unit}, ${log ? 'log' : 'linear'}`;
  parts.push(
    across ? text((plot.left + plot.right) / 2, height - 12, said, 'middle') : text(8, 14, said, 'start'),
  );
  if (name) parts.push(text((plot.left + plot.right) / 2, height - 10, name, 'middle'));
  for (const [c, label] of categories.entries()) {
    const middle = (across ? plot.top : plot.left) + (c + 0.5) * step;
    const most = across ? 52 : Math.max(4, Math.floor(step / 6.4));
    const short = label.length > most ? `${label.slice(0, most - 1)}…` : label;
    parts.push(
      across
        ? text(plot.left - 12, middle + 4, short, 'end')
        : text(middle, plot.bottom + 18, short, 'middle'),
    );
  }
  for (const [nth, s] of shown.entries()) {
    const { color, points } = series[s];
    const known = points.flatMap((p, c) => (p && (p.value > 0 || !log) ? [{ p, c }] : []));
    if (joined) {
      const path = known.map(
        ({ p, c }, i) => `${i ? 'L' : 'M'}${at(p.value, place(c, nth)).map(n).join(' ')}`,
      );
      parts.push(`<path d="${path.join('')}" fill="none" stroke="${escaped(color)}" stroke-width="2"/>`);
    }
    for (const { p, c } of known) parts.push(pointOf(p, s, c, (v) => at(v, place(c, nth)), color, across));
  }
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="group" aria-label="${escaped(`${title}. ${said}.`)}">${parts.join('')}</svg>`;
}

/**
 * @param {ModelPoint} point
 * @param {number} s of its series
 * @param {number} c of its category
 * @param {(v: number) => number[]} at
 * @param {string} color
 * @param {boolean} across
 */
function pointOf({ value, low, high, hollow, words }, s, c, at, color, across) {
  const [x, y] = at(value);
  const ink = escaped(color);
  const whisker = [];
  if (high > low) {
    const [[x1, y1], [x2, y2]] = [at(low), at(high)];
    const [dx, dy] = across ? [0, 4] : [4, 0];
    whisker.push(
      `<path class="whisker" d="M${n(x1)} ${n(y1)}L${n(x2)} ${n(y2)}M${n(x1 - dx)} ${n(y1 - dy)}L${n(x1 + dx)} ${n(y1 + dy)}M${n(x2 - dx)} ${n(y2 - dy)}L${n(x2 + dx)} ${n(y2 + dy)}" stroke="${ink}" fill="none"/>`,
    );
  }
  return `<g class="point" data-s="${s}" data-c="${c}" tabindex="-1" role="img" aria-label="${escaped(words)}">${whisker.join('')}<circle class="hit" cx="${n(x)}" cy="${n(y)}" r="11"/>${markOf(s, x, y, color, hollow)}</g>`;
}

/**
 * @param {number} shape of a series: colour is not all that tells one from another
 * @param {number} x
 * @param {number} y
 * @param {string} color
 * @param {boolean} [hollow]
 * @returns {string} SVG
 */
export function markOf(shape, x, y, color, hollow = false) {
  const outlines = [
    `M${n(x - 5)} ${n(y)}a5 5 0 1 0 10 0a5 5 0 1 0 -10 0z`,
    `M${n(x - 4.5)} ${n(y - 4.5)}h9v9h-9z`,
    `M${n(x)} ${n(y - 5.5)}l5.5 10h-11z`,
    `M${n(x)} ${n(y - 6)}l6 6l-6 6l-6 -6z`,
  ];
  const ink = escaped(color);
  return `<path d="${outlines[shape % outlines.length]}" stroke="${ink}" stroke-width="2" ${hollow ? 'class="back"' : `fill="${ink}"`}/>`;
}

/**
 * @param {Model} model
 * @param {number[]} shown
 * @param {boolean} log
 * @returns {{ticks: number[], share: (v: number) => number}} share of the axis, 0 … 1
 */
function scaleOf({ series, across }, shown, log) {
  const points = shown.flatMap((s) => series[s].points.flatMap((p) => p ?? []));
  const all = points
    .flatMap((p) => [p.low, p.high, p.value])
    .filter((v) => Number.isFinite(v) && (v > 0 || !log));
  const most = Math.max(...all, across ? 1.15 : 0) * 1.05 || 1;
  if (!log) {
    const least = 0;
    const unit = 10 ** Math.floor(Math.log10(most / 4));
    const by = [1, 2, 5, 10].map((m) => m * unit).find((m) => most / m <= 5) ?? unit * 10;
    // Whatever is highest stands below a line that has its number.
    const top = across ? most : Math.ceil(most / by) * by;
    const ticks = Array.from({ length: Math.floor(top / by + 1e-9) + 1 }, (_, i) =>
      Number((i * by).toPrecision(6)),
    );
    return { ticks, share: (v) => (v - least) / (top - least) };
  }
  const least = Math.min(...all, across ? 0.9 : most) / 1.05;
  const span = Math.log(most / least);
  const from = Math.floor(Math.log10(least)) - 1;
  const decades = Array.from({ length: Math.ceil(Math.log10(most)) - from + 1 }, (_, i) => from + i);
  const inside = (/** @type {number[]} */ parts) =>
    decades
      .flatMap((d) => parts.map((p) => Number((p * 10 ** d).toPrecision(3))))
      .filter((t) => t >= least && t <= most);
  const choices = [[1, 1.2, 1.5, 2, 3, 5, 7], [1, 1.5, 2, 3, 5], [1, 2, 5], [1, 3], [1]].map(inside);
  return {
    ticks: choices.find((c) => c.length <= 7) ?? choices[choices.length - 1],
    share: (v) => (v > 0 ? Math.log(v / least) / span : 0),
  };
}

/** @param {number} v */
function tickText(v) {
  if (v >= 1e6) return `${v / 1e6} M`;
  return v >= 1000 ? `${v / 1000} k` : String(v);
}

/** @param {number} v */
function n(v) {
  return v.toFixed(1);
}

/** @param {number} x @param {number} y @param {string} words @param {string} anchor */
function text(x, y, words, anchor) {
  return `<text x="${n(x)}" y="${n(y)}" text-anchor="${anchor}">${escaped(words)}</text>`;
}

/** @param {string} words */
function escaped(words) {
  return words
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
