import assert from 'node:assert/strict';
import { test } from 'node:test';
import { drawForest } from './forest.js';
import { drawLines } from './lines.js';
import { legendLines, titleSize } from './svg.js';

const names = ['Alpha', 'Alpha (log, synced)', 'Beta', 'Beta (log, synced)'];

/** @param {string[]} own */
const chart = (own, bound = /** @type {'lower' | null} */ (null)) =>
  drawLines({
    title: 't',
    unit: 'op/s',
    scale: 'value',
    series: own.map((name) => ({
      name,
      color: '#0072B2',
      points: [1, 10, 50].map((x) => ({
        x,
        figure: { median: x * 10, low: x * 9, high: x * 12, bound },
      })),
    })),
  });

test('a legend that does not fit in one line takes more', () => {
  assert.deepEqual(legendLines(names.slice(0, 2)), [names.slice(0, 2)]);
  assert.deepEqual(legendLines(names).flat(), names);
  assert.equal(legendLines(names).length, 2);
});

test('a long title is smaller, a usual one is not, and none is too small to read', () => {
  assert.equal(titleSize('p95 of each workload, 1 user'), 14);
  assert.equal(titleSize('Federation depth: mean latency, 1 user, without a pause'), 13);
  assert.equal(titleSize('x'.repeat(200)), 11);
});

test('the plot begins below the legend, however many lines that has', () => {
  const top = (/** @type {string[]} */ own) =>
    Number(
      /translate\([\d.]+ ([\d.]+)\)"[^>]*>op\/s/.exec(chart(own))?.[1] ??
        /y="([\d.]+)"[^>]*>op\/s/.exec(chart(own))?.[1],
    );
  assert.ok(top(names) >= top(names.slice(0, 2)) + 20, `${top(names)} against ${top(names.slice(0, 2))}`);
});

test('the axis says that its steps are not to scale, and what a hollow point is', () => {
  assert.match(chart(['A']), /users \(steps, not to scale\)</);
  assert.match(chart(['A'], 'lower'), /hollow: a bound/);
});

test('ratios stand on an axis that says log, with whiskers; without an interval a point is hollow and has none', () => {
  const draw = (/** @type {any} */ point) =>
    drawForest({
      title: 'T & t',
      axis: 'times A, log',
      series: [{ name: 'B', color: '#D55E00' }],
      rows: [{ label: 'get', points: [point] }],
    });
  const known = draw({ estimate: 2, low: 1.5, high: 2.5 });
  assert.match(known, /times A, log/);
  assert.match(known, /aria-label="T &amp; t\. get: B 2\.00\."/);
  assert.equal(known.match(/<line [^>]*stroke="#D55E00"/g)?.length, 3);
  const trend = draw({ estimate: 2, low: null, high: null });
  assert.equal(trend.match(/<line [^>]*stroke="#D55E00"/g), null);
  assert.match(trend, /class="back" stroke="#D55E00"/);
});

test('beside words it is narrow: a long title is broken, systems stand line by line, labels are cut', () => {
  const names = ['System on a first one', 'System on a second one', 'System on a third one'];
  const drawn = drawForest({
    title: 'How much better than a system by itself, op per CPU-second, 50 connections',
    axis: 'times as good, log',
    series: names.map((name) => ({ name, color: '#D55E00' })),
    rows: [
      { label: 'get', points: names.map(() => ({ estimate: 2, low: 1.5, high: 2.5 })) },
      { label: 'batch, 40 connections, 400 operations, p99, ms', points: [null, null, null] },
    ],
    beside: true,
  });
  const [, width, height] = (/ width="(\d+)" height="(\d+)"/.exec(drawn) ?? []).map(Number);
  assert.ok(width < 470, 'at least as much is left for the words');
  assert.match(drawn, />How much better than a system by itself, op per</);
  assert.match(drawn, />CPU-second, 50 connections</);
  assert.match(drawn, />batch, 40 connections, [^<]*…</);
  for (const name of names) assert.match(drawn, new RegExp(`>${name}<`));
  const at = (/** @type {string} */ words) =>
    Number(new RegExp(` y="([\\d.]+)"[^>]*>${words}`).exec(drawn)?.[1]);
  assert.ok(at(names[2]) > at(names[0]), 'three names are two lines');
  assert.ok(at('times as good, log') < height);
});

test('no part of an axis is without a tick where a point may lie', () => {
  /** @param {number} low @param {number} high */
  const ticks = (low, high) => {
    const drawn = drawForest({
      ...{ title: 't', axis: 'log', series: [{ name: 'B', color: '#D55E00' }] },
      rows: [{ label: 'get', points: [{ estimate: low, low, high }] }],
    });
    return [...drawn.matchAll(/>([\d.]+)×</g)].map(([, t]) => Number(t)).sort((a, b) => a - b);
  };
  assert.deepEqual(ticks(0.55, 0.92), [0.6, 0.7, 0.8, 0.9, 1, 1.1]);
  assert.deepEqual(ticks(0.46, 4.1), [0.5, 0.7, 1, 1.5, 2, 3, 4]);
  assert.deepEqual(ticks(0.97, 1.1), [0.9, 0.95, 1, 1.05, 1.1], 'nothing was empty');
});
