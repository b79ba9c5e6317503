import assert from 'node:assert/strict';
import { test } from 'node:test';
import { drawSvg, legendLines } from './svg.js';

const names = ['Alpha', 'Alpha (log, synced)', 'Beta', 'Beta (log, synced)', 'generator’s ceiling'];

test('a legend that does not fit in one line takes two', () => {
  assert.equal(legendLines(names.slice(0, 2)), 1);
  assert.equal(legendLines(names), 2);
});

test('the plot begins below the legend, however many lines that has', () => {
  const top = (/** @type {string[]} */ own) => {
    const series = own.map((name) => ({
      name,
      type: 'line',
      itemStyle: { color: '#0072B2' },
      data: [{ value: [1, 10] }, { value: [10, 100] }],
    }));
    const svg = drawSvg('t', 'operations/s', 'value', series);
    return Number(
      /y="([\d.]+)"[^>]*>operations\/s/.exec(svg)?.[1] ??
        /translate\([\d.]+ ([\d.]+)\)"[^>]*>operations\/s/.exec(svg)?.[1],
    );
  };
  assert.ok(top(names) >= top(names.slice(0, 2)) + 20, `${top(names)} against ${top(names.slice(0, 2))}`);
});
