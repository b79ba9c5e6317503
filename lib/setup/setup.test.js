import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stackBuilds } from './builds.js';
import { inLanes, whyLater } from './setup.js';

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
  assert.match(String(whyLater(stack, builds, [])), /built once, 20 minutes: type --systems tardy/);
  assert.equal(whyLater(stack, builds, ['tardy']), null);
  assert.equal(whyLater(stack, [{ ...builds[0], slow: false }], []), null);
});

test('what shares a tool is built one after another, beside what others build', async () => {
  /** @type {string[]} */
  const said = [];
  /** @type {Record<string, () => void>} */
  const end = {};
  const task = (/** @type {string} */ name) => ({
    lane: name[0],
    task: () =>
      new Promise((/** @type {(_: void) => void} */ resolve) => {
        said.push(name);
        end[name] = resolve;
      }),
  });
  const done = inLanes([task('a1'), task('a2'), task('b1')]);
  assert.deepEqual(said, ['a1', 'b1']);
  end.a1();
  await new Promise(setImmediate);
  assert.deepEqual(said, ['a1', 'b1', 'a2']);
  end.b1();
  end.a2();
  await done;
});

test('after a failure nothing more is begun, and it is thrown when the rest has ended', async () => {
  /** @type {string[]} */
  const said = [];
  const later = () => new Promise((resolve) => setTimeout(resolve, 20)).then(() => void said.push('slow'));
  const done = inLanes([
    { lane: 'a', task: () => Promise.reject(new Error('broken')) },
    { lane: 'a', task: async () => void said.push('never') },
    { lane: 'b', task: later },
    { lane: 'b', task: async () => void said.push('never') },
  ]);
  await assert.rejects(done, /broken/);
  assert.deepEqual(said, ['slow']);
});
