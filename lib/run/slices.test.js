import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SLICE } from '../judge/limits.js';
import { enoughSeen, fittingMs, hasEnough, loadAlone, loadPair } from './slices.js';

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
  const enough = (/** @type {RawSlice[]} */ ...pieces) =>
    hasEnough(pieces, ['a', 'b'], { connections: 1, depth: 1 });
  assert.equal(enough(), false);
  assert.equal(enough(piece(0.01)), true);
  assert.equal(enough(piece(0.01, 100)), false);
  const few = (/** @type {number} */ n) => Array.from({ length: n }, () => piece(0.01, 100));
  assert.equal(enough(...few(SLICE.mostPieces - 1)), false);
  assert.equal(enough(...few(SLICE.mostPieces)), true, 'it will not come to more');
  assert.equal(enough(piece(0.5)), false, 'stolen');
  assert.equal(enough(piece(0.5), piece(0.5), piece(0.01)), true);
  assert.equal(enough(...[1, 2, 3].map(() => piece(0.5))), true, 'no more of it');
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

/** @param {number} acked @param {number} [failed] */
const counted = (acked, failed = 0) => ({
  sides: [{ name: 'a', threads: null, report: { acked, failed, aborted: 0, endedMs: 0 } }],
});

test('a window fits where each user has had fifteen operations in it, and all of them a thousand', () => {
  const many = { connections: 1000, depth: 1 };
  assert.equal(fittingMs(counted(200_000), many, 1000), 1000);
  assert.equal(fittingMs(counted(4400), many, 1000), Math.ceil(((1000 * 15_000) / 4400) * 1.2));
  assert.equal(
    fittingMs(counted(0), many, 1000),
    8000,
    'nothing was answered yet: long enough to see something',
  );
  assert.equal(fittingMs(counted(150), { connections: 1, depth: 1 }, 1000), 8000, 'few at once, but too few');
  assert.equal(fittingMs(counted(1000), many, 100_000), 120_000, 'the most that is waited for');
  assert.equal(fittingMs(counted(1000), many, 120_000), 120_000);
  assert.equal(fittingMs(counted(10, 4000), many, 1000), 1000, 'who only fails is known by then');
});

test('a load alone is given the window that it needs, at once in every later start', async () => {
  /** @type {number[]} */
  const lengths = [];
  const context = /** @type {any} */ ({
    group: { workload: 'w', transport: 'resp' },
    sides: [{ name: 's0', system: 'slow', instance: {} }],
    control: {
      order: async (/** @type {string} */ _, /** @type {any} */ { cutsMs: [from, to] }) => {
        lengths.push(Math.round(to - from));
        return { acked: lengths.length === 1 ? 990 : 5000, failed: 0, aborted: 0, endedMs: 0 };
      },
    },
    generator: null,
    fitting: new Map(),
    signal: new AbortController().signal,
  });
  const cell = /** @type {any} */ ({ id: 'get.c1', parts: [], connections: 1, depth: 1 });
  const tries = await loadAlone(context, cell, 's0');
  assert.equal(tries.length, 2);
  const again = await loadAlone(context, cell, 's0');
  assert.equal(again.length, 1);
  assert.deepEqual(lengths, [1000, Math.ceil((1000 / 990) * 1200), Math.ceil((1000 / 990) * 1200)]);
  await loadAlone({ ...context, group: { workload: 'other', transport: 'resp' } }, cell, 's0');
  assert.equal(lengths.at(-1), 1000, 'what another workload calls so is another load');
});

test('a slice goes on until it has operations and CPU enough; failures and blindness do not get better', () => {
  const side = { operations: 5000, failed: 0, cpuSec: 0.3, seconds: 0.7 };
  assert.equal(enoughSeen(side, { connections: 100, depth: 1 }), true);
  assert.equal(
    enoughSeen({ ...side, operations: 2100 }, { connections: 100, depth: 1 }),
    false,
    'the margin: the runner sees no exact number',
  );
  assert.equal(
    enoughSeen({ ...side, operations: 300 }, { connections: 1, depth: 1, minOperations: 200 }),
    true,
  );
  assert.equal(enoughSeen({ ...side, cpuSec: 0.06 }, { connections: 100, depth: 1 }), false);
  assert.equal(enoughSeen({ ...side, operations: 0, failed: 3 }, { connections: 100, depth: 1 }), true);
  assert.equal(enoughSeen({ ...side, operations: 0, cpuSec: null }, { connections: 100, depth: 1 }), true);
  const many = { connections: 1000, depth: 1 };
  assert.equal(enoughSeen({ ...side, operations: 5100 }, many), false, 'the margin');
  assert.equal(enoughSeen({ ...side, operations: 5800 }, many), true);
});
