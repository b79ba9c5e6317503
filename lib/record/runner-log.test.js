import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resultLines } from '../../k6/result-lines.js';
import { resultInLog } from './runner-log.js';

const json = JSON.stringify({ summary: 'é'.repeat(3000), histograms: 'x'.repeat(20_000) });

test('a result is found in a log among other lines, with times before them or without', () => {
  const lines = resultLines(json).trimEnd().split('\n');
  assert.ok(lines.length > 3);
  const log = ['{"level":"info"}', ...lines.flatMap((line) => [line, 'a word between']), ''].join('\n');
  assert.deepEqual(JSON.parse(resultInLog(log)), JSON.parse(json));
  const timed = lines.map((line) => `2026-11-23T11:00:00.123456789Z ${line}`).join('\n');
  assert.deepEqual(JSON.parse(resultInLog(timed)), JSON.parse(json));
});

test('a log without a result, or that lost a piece of it, says so', () => {
  assert.throws(() => resultInLog('{"level":"error"}\n'), /^BenchError: its log holds no result$/);
  const lines = resultLines(json).trimEnd().split('\n');
  const cut = (/** @type {number} */ n) => lines.filter((_, i) => i !== n).join('\n');
  assert.throws(() => resultInLog(cut(1)), new RegExp(`lacks piece 2 of ${lines.length} of the result`));
  assert.throws(() => resultInLog(lines.slice(0, -1).join('\n')), /lacks piece/);
});
