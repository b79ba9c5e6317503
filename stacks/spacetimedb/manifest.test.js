import assert from 'node:assert/strict';
import { test } from 'node:test';
import { durabilityOf } from '../../lib/config/durability.js';
import { loadStacks } from '../../lib/config/stacks.js';
import { whoCanRun } from '../../lib/plan/select.js';

const stack = /** @type {import('../../lib/types.d.ts').Stack} */ (
  loadStacks().stacks.find((s) => s.id === 'spacetimedb')
);

/** @param {string | null} version @param {string} transport */
const policy = (version, transport) => durabilityOf(stack.manifest, { version, transport }).policy;

test('what an acknowledgement means is said for each transport of each version', () => {
  // With every sync of 2.8.3 delayed by 400 ms a call over WebSocket took 403 ms and more, one over HTTP 5 to 25 ms.
  assert.deepEqual(
    ['http', 'ws', 'subscribed'].map((t) => policy('2.8.3', t)),
    ['fsync-interval', 'fsync', 'fsync'],
  );
  assert.deepEqual(
    ['http', 'ws', 'subscribed'].map((t) => policy('1.2.0', t)),
    ['fsync-interval', 'fsync-interval', 'fsync-interval'],
  );
  assert.equal(policy('1.4.0', 'ws'), 'fsync');
  assert.equal(policy(null, 'ws'), 'unknown', 'nothing is promised of a version that was not told');
});

test('by its address it keeps the rules of its version, and none of our settings', () => {
  const options = {
    endpoints: { spacetimedb: 'http://127.0.0.1:3000' },
    ports: {},
    generatorCpus: null,
    live: false,
  };
  const [system] = whoCanRun([stack], options, new Map()).systems;
  assert.equal(system.title, 'SpacetimeDB');
  assert.deepEqual(system.settings, {});
  assert.equal(durabilityOf(system, { version: '2.8.3', transport: 'ws' }).policy, 'fsync');
});
