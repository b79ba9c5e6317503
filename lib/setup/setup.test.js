import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stackBuilds } from './builds.js';
import { demandPatience } from './setup.js';

const stack = /** @type {any} */ ({
  id: 'tardy',
  base: 'tardy',
  folder: '/nowhere',
  manifest: { title: 'Tardy', native: { build: [{ command: ['true'], about: '20 minutes', slow: true }] } },
});

test('what takes many minutes to build is built only where it is asked for by name', (t) => {
  const builds = stackBuilds(stack);
  const before = process.env.LADDERBENCH_SLOW_BUILDS;
  delete process.env.LADDERBENCH_SLOW_BUILDS;
  t.after(() => {
    if (before !== undefined) process.env.LADDERBENCH_SLOW_BUILDS = before;
  });
  assert.throws(() => demandPatience(stack, builds, []), /built once, 20 minutes: --systems tardy does it/);
  demandPatience(stack, builds, ['tardy']);
  demandPatience(stack, [{ ...builds[0], slow: false }], []);
});
