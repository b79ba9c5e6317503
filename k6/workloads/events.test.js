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
  const context = { dataset: { batchSize: BATCH }, uuidsOf, sendersOf: () => null };
  return events.after(
    /** @type {any} */ (client),
    /** @type {any} */ (context),
    { total: 2, at: '' },
    {
      batch: { acked: 10, indeterminate: 2, failed: 2, doubted: told },
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

/** A load of two users, ten batches each, whose ids tell where they come from: `stream-n`. */
const since = '2026-01-01T00:00:00.000Z';
const timeOf = (/** @type {number} */ i) => new Date(Date.parse(since) + 1000 + i).toISOString();
const SIZE = 10;
/** @type {import('../types.d.ts').IngestEvent[]} */
const sent = Array.from({ length: 10 }, (_, i) =>
  [1, 2].flatMap((stream) =>
    Array.from({ length: SIZE }, (_, place) =>
      events.eventOf(place, {
        ...{ id: `${stream}-${i * SIZE + place}`, timestamp: timeOf(i), session: `session-${stream}` },
        data: `${stream} ${i}`,
      }),
    ),
  ),
)
  .flat()
  .map((event, n) => ({ ...event, sequence: n + 1 }));
const newest = [...sent].reverse();

/** @type {any} */
const context = {
  dataset: { batchSize: SIZE },
  sendersOf: () => (/** @type {string} */ id) => {
    const [stream, n] = id.split('-').map(Number);
    if (!(stream <= 2 && n < 10 * SIZE)) return null;
    return { op: 'batch', stream, n, value: (/** @type {number} */ i) => `${stream} ${i}` };
  },
};
const totals = { batch: { acked: 20, failed: 0, indeterminate: 0, sent: [] } };

/** @param {import('../types.d.ts').IngestEvent[]} page @param {number | null} [newestMs] */
function judged(page, newestMs = null) {
  const body = JSON.stringify({ events: page, nextCursor: null });
  const samples = [{ op: 'mixed-query', body, newestMs }];
  return events.judge(samples, context, totals, { at: since }).map((p) => p.problem);
}

test('a page under load is looked at event by event, in its order, without gaps, and for what is new', () => {
  const clicks = newest.filter((event) => event.type === 'click');
  const page = clicks.slice(0, 20);
  assert.deepEqual(judged(page), []);
  assert.deepEqual(judged(page, Date.parse(timeOf(9))), []);
  const with0 = (/** @type {object} */ change) => [{ ...page[0], ...change }, ...page.slice(1)];
  for (const [wrong, problem] of /** @type {[any[], RegExp][]} */ ([
    [[], /a page of 0 events/],
    [page.slice(1), /a page of 19 events/],
    [page.map(() => page[0]), /comes twice/],
    [with0({ level: 'debugs' }), /level: sent/],
    [with0({ payload: { n: 5, data: '1' } }), /payload/],
    [with0({ session: 'session-1' }), /session/],
    [with0({ id: '3-1' }), /nobody sent/],
    [[...page.slice(2), page[0], page[1]], /newest events do not come first/],
    [[page[1], page[0], ...page.slice(2)], /newest events do not come first/],
    [newest.slice(0, 20), /was not asked for/],
    [clicks.filter((_, i) => i !== 3).slice(0, 20), /1 events of a batch are missing/],
    [page.map(() => /** @type {any} */ (null)), /comes twice|without an id/],
  ]))
    assert.match(judged(wrong)[0] ?? 'nothing', problem);
  assert.match(judged(page, Date.parse(timeOf(500)))[0], /older than what had been acknowledged/);
  assert.match(
    events.judge([{ op: 'mixed-delivery', body: '{', newestMs: null }], context, totals, { at: since })[0]
      .problem,
    /without/,
  );
});

test('without a warm-up a page may reach back to events of before the load, which nobody of it sent', () => {
  const clicks = newest.filter((event) => event.type === 'click');
  const timestamp = '2025-12-31T00:00:00.000Z';
  const older = [0, -1].map((sequence) => ({ ...clicks[0], id: `9-${-sequence}`, timestamp, sequence }));
  const page = clicks.slice(-18);
  assert.deepEqual(judged([...page, ...older]), []);
  const strangers = older.map((event) => ({ ...event, timestamp: page[17].timestamp }));
  assert.deepEqual(judged([...page, ...strangers]), ['an event that nobody sent']);
});

test('an event that others have taken the place of is missed by its id', async () => {
  const check = (/** @type {(id: string) => any} */ stored, /** @type {any[]} */ pages = newest) =>
    events.after(
      /** @type {any} */ ({
        total: () => 2 + sent.length,
        events: (/** @type {string[]} */ ids) => ids.map(stored),
        page: (/** @type {any} */ { session }) => ({
          events: session ? pages.filter((e) => e.session === session) : pages,
          nextCursor: null,
        }),
      }),
      {
        ...context,
        uuidsOf: (/** @type {any[]} */ spans) =>
          spans.flatMap(({ stream, from, count }) =>
            Array.from({ length: count }, (_, i) => `${stream}-${from + i}`),
          ),
      },
      { total: 2, at: since },
      {
        batch: {
          ...{ acked: 20, failed: 0, indeterminate: 0 },
          sent: [1, 2].map((stream) => ({ seed: 1, stream, from: 0, count: 10 * SIZE, keys: 1, space: 1 })),
        },
      },
    );
  const byId = (/** @type {string} */ id) => sent.find((event) => event.id === id) ?? null;
  assert.deepEqual([(await check(byId)).ok, (await check(byId)).detail.includes('wrong')], [true, false]);
  const lost = await check((id) => (id.startsWith('2-9') ? null : byId(id)));
  assert.deepEqual([lost.ok, lost.acked, lost.stored], [false, 200, 200]);
  assert.match(lost.detail, /an acknowledged event is not there \(\d+ times\)/);
  const cut = await check((id) => ({
    ...byId(id),
    payload: { n: Number(id.split('-')[1]) % SIZE, data: '' },
  }));
  assert.match(cut.detail, /payload/);
  const early = await check((id) => ({
    .../** @type {any} */ (byId(id)),
    timestamp: '2025-01-01T00:00:00.000Z',
  }));
  assert.match(early.detail, /an event of before the load/);
  assert.match(
    (
      await check(
        byId,
        newest.filter((_, i) => i % 2 === 0),
      )
    ).detail,
    /of a batch are missing in a page/,
  );
  assert.match((await check(byId, [{ ...newest[0], id: '9-9' }, ...newest])).detail, /nobody sent/);
});
