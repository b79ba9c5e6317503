import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasEnough, loadPair } from './slices.js';

/** @import { RawSlice } from '../types.d.ts' */

/**
 * @param {number} stealSec of 1.4
 * @param {number} [acked] by each of two
 * @returns {RawSlice}
 */
function piece(stealSec, acked = 50_000) {
  const threads = { seconds: 0.7, cpuSec: 0.3, waitSec: 0, busiest: { run: 0.4, wait: 0 } };
  const side = (/** @type {string} */ name) => ({
    name,
    threads,
    report: { acked, failed: 0, aborted: 0, endedMs: 0 },
  });
  return {
    kind: 'pair',
    cell: 'get.c1',
    cutsMs: [0, 700],
    sides: [side('a'), side('b')],
    host: { busySec: 1, stealSec, totalSec: 1.4 },
    generator: null,
  };
}

test('a pair is loaded until both have done enough in pieces that nobody stole, or often enough', () => {
  const enough = (/** @type {RawSlice[]} */ ...pieces) => hasEnough(pieces, ['a', 'b'], {});
  assert.equal(enough(), false);
  assert.equal(enough(piece(0.01)), true);
  assert.equal(enough(piece(0.01, 100)), false);
  assert.equal(enough(piece(0.01, 100), piece(0.01, 100), piece(0.01, 100)), true, 'three that count');
  assert.equal(enough(piece(0.5)), false, 'stolen');
  assert.equal(enough(piece(0.5), piece(0.5), piece(0.5), piece(0.01)), true);
  assert.equal(enough(...[1, 2, 3, 4, 5].map(() => piece(0.5))), true, 'no more of it');
});

test('the two of a load in slots are told whose turn it is, those of another load are not', async () => {
  /** @type {any[]} */
  const orders = [];
  const context = /** @type {any} */ ({
    sides: ['a', 'b'].map((name) => ({ name, instance: {} })),
    control: {
      order: async (/** @type {string} */ name, /** @type {object} */ order) => {
        orders.push({ name, ...order });
        return { acked: 100_000, failed: 0, aborted: 0, endedMs: 0 };
      },
    },
    generator: null,
    window: { phase: 'load', startMs: 0, endMs: 1 },
    signal: new AbortController().signal,
  });
  const cell = /** @type {any} */ ({ id: 'get.c1', parts: [], connections: 1, depth: 1 });
  const [turns] = await loadPair(context, { ...cell, slotMs: 50 }, ['a', 'b']);
  const [{ startMs }] = orders;
  assert.deepEqual(
    orders.map((o) => [o.name, o.slots]),
    ['a', 'b'].map((name, own) => [name, { startMs, eachMs: 50, of: 2, own }]),
  );
  const [together] = await loadPair(context, cell, ['a', 'b']);
  assert.ok(orders.slice(2).every((o) => o.slots === undefined));
  const lengthOf = (/** @type {RawSlice} */ { cutsMs: [from, to] }) => to - from;
  assert.equal(lengthOf(turns), 2 * lengthOf(together), 'each has as much time');
});
