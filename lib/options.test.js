import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BenchError } from './errors.js';
import { numberOf } from './options.js';

test('a number is decimal digits, and nothing that JavaScript reads as one besides', () => {
  const range = { min: -1, max: 1000 };
  for (const [text, value] of /** @type {[string, number][]} */ ([
    ['7', 7],
    ['0.5', 0.5],
    ['007', 7],
    ['-1', -1],
  ]))
    assert.equal(numberOf(text, 'repeats', range), value);
  for (const text of [
    '0x10',
    '0b1',
    '0o7',
    '1e2',
    '',
    ' ',
    ' 5',
    '5 ',
    '+5',
    '.5',
    '5.',
    '1_000',
    'Infinity',
    'NaN',
  ])
    assert.throws(
      () => numberOf(text, 'repeats', range),
      (e) =>
        e instanceof BenchError && e.message.startsWith(`--repeats ${text}: needs a number from -1 to 1000`),
      text,
    );
  assert.throws(() => numberOf('1.5', 'repeats', { ...range, integer: true }), /needs a whole number/);
});
