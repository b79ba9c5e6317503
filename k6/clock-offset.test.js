import assert from 'node:assert/strict';
import { test } from 'node:test';
import { offsetOf } from './clock-offset.js';

/** Looks every few ms at a clock that is ahead, over a line with some delay. @param {number} aheadMs @param {number} fromMs */
function looks(aheadMs, fromMs, { delayMs = 2, everyMs = 6, upToMs = 1200 } = {}) {
  return Array.from({ length: upToMs / everyMs }, (_, i) => {
    const sentMs = fromMs + i * everyMs;
    const there = sentMs + delayMs / 2 + aheadMs;
    return { sentMs, receivedMs: sentMs + delayMs, secondMs: Math.floor(there / 1000) * 1000 };
  });
}

test('a clock that tells whole seconds only is read to some milliseconds, ahead or behind', () => {
  for (const aheadMs of [0, 3, 250, -999, 86_400_123])
    for (const fromMs of [1_700_000_000_000, 1_700_000_000_517]) {
      const { offsetMs, uncertaintyMs } = offsetOf(looks(aheadMs, fromMs)) ?? {};
      assert.ok(Math.abs(Number(offsetMs) - aheadMs) <= Number(uncertaintyMs), `${offsetMs} of ${aheadMs}`);
      assert.ok(Number(uncertaintyMs) <= 5);
    }
});

test('looks within one second, or far apart where the next begins, say nothing', () => {
  assert.equal(offsetOf([]), null);
  assert.equal(offsetOf(looks(0, 1_700_000_000_000, { upToMs: 900 })), null);
  assert.equal(offsetOf(looks(0, 1_700_000_000_000, { delayMs: 60 })), null);
});
