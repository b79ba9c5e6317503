import assert from 'node:assert/strict';
import { test } from 'node:test';
import { peersOf } from './peers.js';

/** @param {string} id @param {string[]} workloads */
const stack = (id, workloads) =>
  /** @type {any} */ ({
    id,
    base: id.split('@')[0],
    manifest: {
      title: id.toUpperCase(),
      workloads: Object.fromEntries(workloads.map((w) => [w, { transports: ['resp'] }])),
    },
  });
const stacks = [
  stack('alpha', ['w']),
  stack('alpha@tuned', ['w']),
  stack('beta', ['w', 'v']),
  stack('gamma', ['v']),
  stack('delta', ['w']),
  stack('_null', ['w']),
];

/** @param {string[]} systems @param {string[]} absent */
const planOf = (systems, absent = []) =>
  /** @type {any} */ ({
    systems: [...systems.map((id) => ({ id, role: 'system' })), { id: '_null', role: 'calibration' }],
    absent: absent.map((system) => ({ system, status: 'unavailable', reason: 'no' })),
    workloads: [{ id: 'w' }],
  });

test('beside a system that was measured alone stands who has the same workload, and was not named by the run', () => {
  assert.deepEqual(peersOf(planOf(['alpha', 'alpha@tuned'], ['delta']), stacks), [
    { id: 'beta', title: 'BETA' },
  ]);
  assert.deepEqual(peersOf(planOf(['alpha', 'beta']), stacks), [], 'a comparison lacks nobody');
});
