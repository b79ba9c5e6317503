import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareFigures } from '../figures/compare.js';
import { figureOf } from '../figures/figure.js';
import { plainlySaid } from './said.js';

test('a text of megabytes is cut, and a link within notes points to a page or a file', () => {
  const { title, notes } = plainlySaid({
    title: 'x'.repeat(3e6),
    notes: [
      ...['[a](docs/b.md#c)', '[a](https://b.invalid/)', '[a](javascript:alert(1))'],
      ...['[a](java&#115;cript:b)', '[a]( data:text/html,b)'],
    ],
  });
  assert.ok(title.length < 5000);
  assert.deepEqual(notes, [
    ...['[a](docs/b.md#c)', '[a](https://b.invalid/)', '[a] (javascript:alert(1))'],
    ...['[a] (java&#115;cript:b)', '[a] ( data:text/html,b)'],
  ]);
});

test('texts become one plain line, and figures stay figures', () => {
  const figure = (/** @type {number} */ n) => figureOf([1, 2, 3, 4, 5].map((repeat) => [repeat, n + repeat]));
  const read = { title: 'A\n[x](y)', notes: ['[a](b)'], deep: [{ a: figure(10), b: figure(20) }] };
  const { title, notes, deep } = plainlySaid(read);
  assert.equal(title, 'A [x] (y)');
  assert.deepEqual(notes, ['[a](b)']);
  const [{ a, b }] = deep;
  assert.equal(a?.median, 13);
  assert.deepEqual([a?.low, a?.high], [figure(10)?.low, figure(10)?.high]);
  const ratio = (/** @type {any} */ x, /** @type {any} */ y) =>
    compareFigures(x, y, { metric: 'throughput' })?.ratio?.estimate;
  assert.equal(ratio(a, b), ratio(figure(10), figure(20)));
});
