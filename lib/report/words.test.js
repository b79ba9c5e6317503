import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { rowsOf } from '../figures/rows.js';
import { aCell } from '../judge/testing.js';
import { phrase } from './template.js';
import { counted } from './words.js';

test('one is no plural', () => {
  assert.equal(counted(1, 'comparison'), '1 comparison');
  assert.equal(counted(0, 'comparison'), '0 comparisons');
  assert.equal(counted(12, 'comparison'), '12 comparisons');
});

test('a share is said as a person would', () => {
  const shareText = (/** @type {number} */ n, /** @type {number} */ of, /** @type {string} */ noun) =>
    phrase('shareText', n, undefined, { of, noun });
  assert.equal(shareText(4, 6, 'load'), 'on 4 of 6 loads');
  assert.equal(shareText(6, 6, 'load'), 'on all 6 loads');
  assert.equal(shareText(2, 2, 'load'), 'on both loads');
  assert.equal(shareText(1, 1, 'question'), 'on the only question');
});

test('a ratio never comes without its interval', () => {
  const ratio = { estimate: 1.234, low: 1.1, high: 1.31 };
  assert.equal(phrase('ratioText', { ratio, n: 5 }), '1.23 (1.10 – 1.31)');
  assert.equal(phrase('ratioText', { ratio, n: 1 }), '1.23 (one pair)');
  assert.equal(phrase('ratioText', null), '–');
  assert.equal(phrase('ratioText', { ratio: null, n: 0 }), '–');
});

/** @param {string[][]} codes of each repeat's reasons */
function verdictOf(...codes) {
  const cells = codes.map((own, i) => aCell({ repeat: i + 1, reasons: own.map((code) => ({ code })) }));
  return phrase('verdictText', rowsOf(cells)[0]);
}

test('a verdict is one of the four words, and says why, and of how many repeats', () => {
  assert.equal(verdictOf([], []), 'VALID');
  assert.equal(verdictOf([], ['oracle'], []), 'VALID (2 of 3 repeats)');
  assert.equal(verdictOf([], ['set_by_client']), 'DEGRADED (may be limited by the load generator)');
  assert.equal(
    verdictOf([], ['set_by_client'], ['oracle']),
    'DEGRADED (may be limited by the load generator) (2 of 3 repeats)',
  );
  assert.match(verdictOf(['oracle']), /^INVALID: wrong state/);
  assert.equal(verdictOf([], ['errors'], []), 'DEGRADED (operations failed)');
  const failed = aCell({ record: { status: 'failed', reason: 'it died', operations: {} } });
  assert.equal(phrase('verdictText', rowsOf([failed])[0]), 'FAILED: it died');
});

/** @param {string} folder @returns {string[]} paths of what is written by hand */
function sources(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (entry.name === 'testdata' || entry.name.endsWith('.test.js')) return [];
    const path = join(folder, entry.name);
    return entry.isDirectory() ? sources(path) : [path];
  });
}

test('a step is called a step', () => {
  const found = sources(fileURLToPath(new URL('.', import.meta.url))).filter((path) =>
    /rung/i.test(readFileSync(path, 'utf8')),
  );
  assert.deepEqual(found, []);
});
