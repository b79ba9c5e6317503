import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plainLine } from './controls.js';
import { duration, mebibytes, percent, significant } from './format.js';

test('numbers have three significant digits and grouped thousands, and missing is no zero', () => {
  assert.equal(significant(123_456), '123\u202f000');
  assert.equal(significant(1234), '1230');
  assert.equal(significant(0.012345), '0.0123');
  assert.equal(significant(9.999), '10.0');
  assert.equal(significant(0), '0');
  assert.equal(significant(null), '–');
  assert.equal(significant(Number.NaN), '–');
  assert.equal(percent(null), '–');
  assert.equal(percent(0.5), '50.0 %');
  assert.equal(mebibytes(1_048_576), '1.00');
});

test('durations are said as people say them', () => {
  assert.equal(duration(42.4), '42 s');
  assert.equal(duration(60), '1 min');
  assert.equal(duration(130), '2 min 10 s');
  assert.equal(duration(3900), '1 h 05 min');
});

test('what a server says is one line without control characters', () => {
  assert.equal(plainLine('-ERR \u001b]0;owned\u0007 a\r\nb\u0000\u202ec'), '-ERR ]0;owned a b c');
  assert.equal(plainLine('x'.repeat(400)), `${'x'.repeat(300)}…`);
});
