import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '../process/temporary.js';
import { peersOf } from './peers.js';

const root = temporaryFolder('peers');
const writeProven = (/** @type {object} */ proven) =>
  writeFileSync(join(root, 'delta', 'proven.json'), JSON.stringify(proven));

/** @param {string} id @param {string[]} workloads */
const stack = (id, workloads) =>
  /** @type {any} */ ({
    id,
    base: id.split('@')[0],
    folder: join(root, id),
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
  mkdirSync(join(root, 'delta'));
  const never = { blocked: 'no such machine' };
  writeProven({ native: never, container: never, endpoint: never });
  assert.deepEqual(
    peersOf(planOf(['alpha', 'beta']), stacks),
    [{ id: 'delta', title: 'DELTA' }],
    'but who never was',
  );
  writeProven({ native: { version: '1', run: 'some-run' }, container: never, endpoint: never });
  assert.deepEqual(peersOf(planOf(['alpha', 'beta']), stacks), []);
});
