import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as events from './events.js';

const BATCH = 5;
const DOUBTED = [{ seed: 1, stream: 1, from: 50, count: 10 }];

/** Ids `0` … as the sequence gives them. @param {import('k6/x/measure').Span[]} spans */
const uuidsOf = (spans) =>
  spans.flatMap(({ from, count }) => Array.from({ length: count }, (_, n) => `${from + n}`));

/**
 * After ten batches that were acknowledged and two that were not.
 * @param {object} what
 * @param {number} [what.loses] acknowledged events that are not there
 * @param {number} [what.keeps] unacknowledged ones that are
 * @param {number} [what.strangers] events that nobody sent
 * @param {boolean} [what.isStoring] one more is stored while ids are asked for
 * @param {import('k6/x/measure').Span[]} [what.told] ids of the unacknowledged
 */
function checked({ loses = 0, keeps = 0, strangers = 0, isStoring = false, told = DOUBTED }) {
  const stored = new Set([
    ...Array.from({ length: 50 - loses }, (_, n) => `${n}`),
    ...Array.from({ length: keeps }, (_, n) => `${50 + n}`),
    ...Array.from({ length: strangers }, (_, n) => `stranger ${n}`),
  ]);
  const client = {
    total: () => 2 + stored.size,
    countStored: (/** @type {string[]} */ ids) => {
      const found = ids.filter((id) => stored.has(id)).length;
      if (isStoring) stored.add('late');
      return found;
    },
    event: () => null,
  };
  const context = { dataset: { batchSize: BATCH }, users: 1, keysOf: () => undefined, uuidsOf };
  return events.after(
    /** @type {any} */ (client),
    /** @type {any} */ (context),
    { total: 2 },
    {
      batch: { acked: 10, indeterminate: 2, doubted: told },
    },
  );
}

test('what was stored and not acknowledged hides no lost event', async () => {
  const { ok, acked, stored, indeterminate, detail } = await checked({ loses: 3, keeps: 5 });
  assert.deepEqual(
    { ok, acked, stored, indeterminate },
    { ok: false, acked: 50, stored: 47, indeterminate: 0 },
  );
  assert.match(detail, /the number of events/);
});

test('an event in doubt may be stored or not', async () => {
  for (const keeps of [0, 5, 10]) {
    const { ok, stored, detail } = await checked({ keeps });
    assert.deepEqual({ ok, stored }, { ok: true, stored: 50 });
    assert.match(detail, new RegExp(`of 10 in doubt ${keeps} are stored`));
  }
});

test('an event that nobody sent is not in doubt', async () => {
  const { ok, stored } = await checked({ strangers: 1 });
  assert.deepEqual({ ok, stored }, { ok: false, stored: 51 });
});

test('where not all ids in doubt are known, or more is stored while they are asked for, they stay in doubt', async () => {
  for (const how of [
    { told: [] },
    { told: [{ seed: 1, stream: 1, from: 50, count: 9 }] },
    { isStoring: true },
  ]) {
    const { ok, indeterminate } = await checked({ loses: 3, keeps: 5, ...how });
    assert.deepEqual({ ok, indeterminate }, { ok: true, indeterminate: 10 });
  }
});
