import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { idleAtRest, REST } from './rest.js';

const { signal } = new AbortController();

/** @param {number[]} cores of one look after the other, the last one for ever */
function looks(cores) {
  let n = 0;
  const look = async () => cores[Math.min(n++, cores.length - 1)];
  return { look, count: () => n };
}

test('what a load has left behind is waited for, as long as it goes on, and of rest nobody waits', async () => {
  mock.timers.enable({ apis: ['Date'] });
  const instance = /** @type {any} */ ({});
  const calm = looks([0.01]);
  assert.equal(await idleAtRest(instance, calm.look, { signal }), 0.01);
  assert.equal(calm.count(), 1);
  const busy = looks([0.9, 0.8, 0.01]);
  assert.equal(await idleAtRest(instance, busy.look, { signal }), 0.01);
  assert.equal(busy.count(), 3);
  mock.timers.reset();
});

test('one that spins from its start on is waited for once, and said to be what it is', async () => {
  const instance = /** @type {any} */ ({});
  const began = Date.now();
  const spinning = looks([0.9]);
  assert.equal(await idleAtRest(instance, spinning.look, { signal }), 0.9);
  assert.ok(Date.now() - began >= REST.startedMs);
  const again = looks([0.9]);
  assert.equal(await idleAtRest(instance, again.look, { signal }), 0.9);
  assert.equal(again.count(), 1, 'no second time');
});

test('a profile may wait for less after a load', async () => {
  const instance = /** @type {any} */ ({});
  await idleAtRest(instance, looks([0.01]).look, { signal });
  const began = Date.now();
  assert.equal(await idleAtRest(instance, looks([0.9]).look, { signal, loadedMs: 400 }), 0.9);
  assert.ok(Date.now() - began < REST.loadedMs / 10);
});

test('an end of the run ends the waiting, and what cannot be seen is not waited for', async () => {
  assert.equal(
    await idleAtRest(/** @type {any} */ ({}), looks([0.9]).look, { signal: AbortSignal.abort() }),
    0.9,
  );
  assert.equal(await idleAtRest(/** @type {any} */ ({}), async () => null, { signal }), null);
});
