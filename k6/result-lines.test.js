import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MARK, resultLines } from './result-lines.js';

test('the pieces of a result are short ASCII lines that make the same document again', () => {
  const summary = JSON.stringify({ naïve: 'ünïcödé 😀 and "quotes"' });
  for (const size of [0, 7950, 8000, 30_000]) {
    const json = JSON.stringify({ summary, histograms: 'é'.repeat(size) });
    const lines = resultLines(json).trimEnd().split('\n');
    assert.ok(lines.every((line) => line.length < 8100 && /^[ -~]+$/.test(line)));
    assert.deepEqual(
      lines.map((line) => line.split(' ', 2).join(' ')),
      lines.map((_, i) => `${MARK} ${i + 1}/${lines.length}`),
    );
    const text = lines.map((line) => line.slice(line.indexOf(' ', MARK.length + 1) + 1)).join('');
    assert.deepEqual(JSON.parse(text), JSON.parse(json));
    assert.equal(JSON.parse(text).summary, summary, 'of which there is a checksum');
  }
});
