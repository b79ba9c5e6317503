import assert from 'node:assert/strict';
import { test } from 'node:test';
import { busiestOf } from './evidence.js';

const window = /** @type {any} */ ({ startMs: 1000, endMs: 5000 });
const host = { busySec: 0, totalSec: 0, stealSec: 0 };
const sample = (/** @type {number} */ t, /** @type {any} */ diskSleep) =>
  /** @type {any} */ ({ t, host, busiest: { run: 0.1, wait: 0 }, diskSleep });

test('looks at the disk are counted inside the window, and not where nobody could look', () => {
  const samples = [true, true, false, null, true, true].map((asleep, i) => sample(i * 1000 + 500, asleep));
  assert.deepEqual(busiestOf(window, samples, null)?.diskSleep, { looks: 3, seen: 2 });
});

test('samples of before had no such looks, and make no such figure', () => {
  assert.equal(
    busiestOf(window, [sample(500, undefined), sample(1500, undefined)], null)?.diskSleep,
    undefined,
  );
});
