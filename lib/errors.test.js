import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BenchError, furtherLines } from './errors.js';

/** @param {number} n */
const errorOf = (n) => new BenchError('wrong', { detail: Array.from({ length: n }, (_, i) => `line ${i}`) });

test('of an error with hundreds of lines a terminal is given the first ones, and the number of the rest', () => {
  assert.deepEqual(furtherLines(errorOf(0)), []);
  assert.equal(furtherLines(errorOf(20)).at(-1), 'line 19');
  const many = furtherLines(errorOf(546));
  assert.equal(many.length, 20);
  assert.deepEqual(many.slice(-2), ['line 18', '… and 527 more']);
});
