import assert from 'node:assert/strict';
import { test } from 'node:test';
import { colord } from 'colord';
import { PALETTE } from '../../config/colors.js';
import { figureText, significant } from '../../format.js';
import { drawChart, wordsOf } from './draw.js';
import { chartFile } from './file.js';
import { readable } from './marks.js';

/** @import { Model, Point } from './draw.js' */

const COLORS = ['#0072B2', '#D55E00', '#009E73'];

/** @param {number} median @param {Partial<Point>} [more] @returns {Point} */
const point = (median, more) => ({ median, low: median * 0.9, high: median * 1.1, n: 5, ...more });

/** @param {Record<string, (Point | null)[]>} points by name @param {Partial<Model>} [more] @returns {Model} */
const model = (points, more) => ({
  ...{ kind: 'lines', title: 'get', unit: 'op/s', log: false, name: 'users', places: [1, 20, 1000] },
  series: Object.entries(points).map(([name, own], i) => ({ name, color: COLORS[i], shape: i, points: own })),
  ...more,
});

/** @param {string} svg @param {string} words @param {'x' | 'y'} axis @returns {number} where they stand, px */
const placeOf = (svg, words, axis) =>
  Number(new RegExp(`<text (?:[^>]* )?${axis}="([\\d.]+)"[^>]*>${words}<`).exec(svg)?.[1] ?? Number.NaN);

test('a point says who, where, how much, its interval, n, and what limited it', () => {
  const svg = drawChart(
    model({ Alpha: [null, point(12_000, { bound: 'lower' }), point(9, { rankable: false })] }),
  );
  const said = [...svg.matchAll(/class="point"[^>]* aria-label="([^"]+)"/g)].map((m) => m[1]);
  assert.deepEqual(said, [
    'Alpha, 20 users: ≥ 12\u202f000 op/s (95 % CI 10\u202f800–13\u202f200), n = 5; limited by the load generator',
    'Alpha, 1000 users: 9.00 op/s (95 % CI 8.10–9.90), n = 5; not ranked',
  ]);
  assert.equal(svg.match(/class="back"/g)?.length, 2, 'both are hollow');
});

test('every value stands in the words of a chart', () => {
  const words = wordsOf(model({ Alpha: [point(1), point(20), null], Beta: [point(3), null, point(1234)] }));
  assert.equal(
    words,
    'get, op/s. 1 user: Alpha 1.00, Beta 3.00; 20 users: Alpha 20.0; 1000 users: Beta 1230.',
  );
  assert.match(words, new RegExp(figureText({ median: 1234 })));
  assert.match(words, new RegExp(significant(20)));
});

test('whiskers reach over their mark, however narrow the interval is; without one there is none', () => {
  const ratios = (/** @type {Point} */ p) =>
    drawChart(
      model({ Beta: [p] }, { kind: 'ratios', log: true, unit: 'Alpha = 1×', name: '', places: ['get'] }),
    );
  const [, x1, y1, , y2] =
    /class="whisker" d="M([\d.]+) ([\d.]+)L[\d. ]+M([\d.]+) ([\d.]+)L/.exec(
      ratios(point(2, { low: 1.99, high: 2.01 })),
    ) ?? [];
  assert.ok(Number(x1) > 0);
  assert.equal(Number(y1) - Number(y2), 7, 'its caps are taller than a mark of 5');
  assert.doesNotMatch(ratios(point(2, { low: 2, high: 2 })), /class="whisker"/);
});

test('ratios stand against a named line at 1, and right of it is better', () => {
  const svg = drawChart(
    model(
      { Beta: [point(2), null], Gamma: [point(0.5), point(0.8)] },
      { kind: 'ratios', log: true, unit: 'Alpha = 1×', name: '', places: ['get', 'set'] },
    ),
  );
  assert.match(svg, />Alpha = 1×</);
  assert.match(svg, /right is better/);
  assert.ok(placeOf(svg, '0\\.500×', 'x') < placeOf(svg, '1×', 'x'));
  assert.ok(placeOf(svg, '2\\.00×', 'x') > placeOf(svg, '1×', 'x'));
  assert.equal(svg.match(/class="one"/g)?.length, 1);
});

test('bars are sorted at each place, and begin at nothing', () => {
  const svg = drawChart(
    model(
      { Alpha: [point(30), point(10)], Beta: [point(10), point(25)] },
      { kind: 'bars', unit: 'ms', name: '', places: ['read', 'write'] },
    ),
  );
  const said = [...svg.matchAll(/class="point"[^>]* aria-label="(\w+), (\w+)/g)].map(
    (m) => `${m[2]} ${m[1]}`,
  );
  assert.deepEqual(said, ['read Beta', 'read Alpha', 'write Alpha', 'write Beta']);
  assert.equal(svg.match(/<rect /g)?.length, 4);
  assert.match(svg, />0</);
  const wide = drawChart(
    model({ Alpha: [point(1), point(1000)] }, { kind: 'bars', log: true, places: ['a', 'b'] }),
  );
  assert.doesNotMatch(wide, /<rect /, 'a bar has no length on a logarithmic scale');
});

test('users stand to scale on both axes of a ladder, minutes on a linear one', () => {
  const points = [point(300), point(200), point(400)];
  const at = (/** @type {Model} */ own) =>
    ['1', '20', '1000'].map((x) =>
      Number(new RegExp(`<text x="([\\d.]+)"[^>]* text-anchor="middle">${x}<`).exec(drawChart(own))?.[1]),
    );
  const [a, b, c] = at(model({ Alpha: points }, { log: true }));
  assert.ok(Math.abs((b - a) / (c - a) - Math.log(20) / Math.log(1000)) < 0.01);
  const minutes = model({ Alpha: points }, { name: 'minutes', places: [1, 400, 1000] });
  const [, x, y, z] = /<path d="M([\d.]+) [\d.]+L([\d.]+) [\d.]+L([\d.]+)/.exec(drawChart(minutes)) ?? [];
  assert.ok(Math.abs((Number(y) - Number(x)) / (Number(z) - Number(x)) - 399 / 999) < 0.01);
});

test('the highest point stands below a number, and what is hidden is not drawn', () => {
  const own = model({ Alpha: [point(12_000), null, null] });
  const numbers = [...drawChart(own).matchAll(/>([\d.]+(?: k)?)<\/text>/g)].map((m) => m[1]);
  assert.deepEqual(numbers.slice(0, 4), ['0', '5 k', '10 k', '15 k']);
  const none = drawChart(own, { hidden: new Set([0]) });
  assert.doesNotMatch(none, /class="point"|NaN|Infinity/);
  assert.match(none, /class="key" data-series="0"[^>]* aria-pressed="false"/, 'it can be shown again');
});

test('shapes tell systems apart, too', () => {
  const svg = drawChart(model({ A: [point(1)], B: [point(2)], C: [point(3)] }, { places: [1] }));
  assert.equal(new Set([...svg.matchAll(/<path transform="[^"]*" d="([^"]+)"/g)].map((m) => m[1])).size, 3);
});

test('a file has its style, and every colour of it is seen on a light and on a dark page', () => {
  const file = chartFile(model({ Alpha: [point(1), point(2), point(3)] }));
  assert.match(file, /^<svg [^>]*><style>[^<]*prefers-color-scheme:dark[^<]*<\/style>/);
  for (const color of [...PALETTE, '#ffff00', '#000000', '#123456'])
    for (const page of ['#ffffff', '#0d1117'])
      assert.ok(colord(readable(color)).contrast(page) >= 3, `${color} on ${page}`);
  assert.equal(readable('#0072B2'), '#0072b2', 'what is seen already stays');
});

test('a chart is read on a phone: it is 440 px wide, and no letter of it is below 10 px on 358', () => {
  const [, width] = / width="(\d+)"/.exec(drawChart(model({ Alpha: [point(1)] }))) ?? [];
  const [, size] = /font:([\d.]+)px/.exec(chartFile(model({ Alpha: [point(1)] }))) ?? [];
  assert.ok((Number(size) * 358) / Number(width) >= 10);
});
