import { convexTest } from 'convex-test';
import { expect, test } from 'vitest';
import { api } from './convex/_generated/api.js';
import schema from './convex/schema';

const modules = import.meta.glob('./convex/**/*.*s');
const { workload } = api as any;
const aPage = { paginationOpts: { numItems: 2, cursor: null } };
const empty = () => convexTest(schema, modules);

test('increments add up, counter by counter, and say when', async () => {
  const t = empty();
  expect(await t.query(workload.getCounter, { name: 'c0' })).toBeNull();
  expect(await t.mutation(workload.increment, { name: 'c0', by: 1 })).toBe(1);
  expect(await t.mutation(workload.increment, { name: 'c0', by: 2 })).toBe(3);
  await t.mutation(workload.increment, { name: 'c1', by: 5 });
  const counter = await t.query(workload.getCounter, { name: 'c0' });
  expect(counter).toMatchObject({ name: 'c0', value: 3 });
  expect(Math.abs(counter.updatedAt - Date.now())).toBeLessThan(5000);
  expect((await t.query(workload.counters, aPage)).rows).toEqual([
    { name: 'c0', value: 3 },
    { name: 'c1', value: 5 },
  ]);
});

test('concurrent increments of one counter are all there', async () => {
  const t = empty();
  await Promise.all(Array.from({ length: 50 }, () => t.mutation(workload.increment, { name: 'c0', by: 1 })));
  expect(await t.query(workload.getCounter, { name: 'c0' })).toMatchObject({ value: 50 });
});

test('bad input is refused and changes nothing', async () => {
  const t = empty();
  for (const by of [0, -1, 0.5])
    await expect(t.mutation(workload.increment, { name: 'c0', by })).rejects.toThrow(/at least 1/);
  await expect(t.mutation(workload.increment, { name: 7, by: 1 })).rejects.toThrow(/Validator error/);
  await expect(t.mutation(workload.createMessage, { author: 1, body: '' })).rejects.toThrow(/not be empty/);
  await expect(t.mutation(workload.createMessage, { author: 1, body: 'x'.repeat(16385) })).rejects.toThrow(
    /at most/,
  );
  expect(await t.query(workload.counters, aPage)).toMatchObject({ rows: [], isDone: true });
  expect(await t.query(workload.messagesAfter, { moment: 0, ...aPage })).toMatchObject({
    rows: [],
    isDone: true,
  });
});

test('messages are stored, and those after a moment are read page by page', async () => {
  const t = empty();
  const send = (n: number) => t.mutation(workload.createMessage, { author: n, body: `message ${n}` });
  expect(await t.query(workload.newestMessage, {})).toBe(0);
  await send(0);
  const moment = await t.query(workload.newestMessage, {});
  for (const n of [1, 2, 3]) await send(n);
  const first = await t.query(workload.messagesAfter, { moment, ...aPage });
  expect(first).toMatchObject({
    rows: [
      { author: 1, body: 'message 1' },
      { author: 2, body: 'message 2' },
    ],
    isDone: false,
  });
  const second = await t.query(workload.messagesAfter, {
    moment,
    paginationOpts: { numItems: 2, cursor: first.continueCursor },
  });
  expect(second.rows).toEqual([{ author: 3, body: 'message 3' }]);
});
