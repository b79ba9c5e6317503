import assert from 'node:assert/strict';
import { test } from 'node:test';
import { within } from './within.js';

const never = () => new Promise(() => {});

test('the first promise decides, and nothing when none settles in time', async () => {
  assert.equal(await within(10_000, never(), Promise.resolve('a')), 'a');
  assert.equal(await within(1, never()), null);
  await assert.rejects(within(10_000, Promise.reject(new Error('no'))), /no/);
});

test('a limit of more than 24.8 days is not over at once', async () => {
  const later = new Promise((resolve) => setTimeout(resolve, 30, 'ended'));
  assert.equal(await within(2_310_150 * 1000, later), 'ended');
});

test('no timer stays behind when a promise was first', async () => {
  const timers = () => process.getActiveResourcesInfo().filter((r) => r === 'Timeout').length;
  const before = timers();
  await within(60_000, Promise.resolve());
  assert.equal(timers(), before);
});
