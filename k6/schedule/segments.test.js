import assert from 'node:assert/strict';
import { test } from 'node:test';
import { paceOf } from '../pace.js';
import { firstOf, runnerOf, segmentOf, sequenceOf, shareOf } from './segments.js';

const RUNNERS = [1, 2, 3, 4, 7, 16, 100, 1000];

test('segments are named as k6 names them', () => {
  assert.deepEqual(
    [1, 2, 3, 4].map((n) => segmentOf(n, 4)),
    ['0:1/4', '1/4:1/2', '1/2:3/4', '3/4:1'],
  );
  assert.equal(segmentOf(1, 1), '0:1');
  assert.equal(sequenceOf(4), '0,1/4,1/2,3/4,1');
  for (const runners of RUNNERS)
    for (const runner of [1, Math.ceil(runners / 2), runners])
      assert.equal(runnerOf(segmentOf(runner, runners), runners), runner);
  assert.equal(runnerOf(null, 1), 1);
  assert.throws(() => runnerOf('0:1/3', 4), /none of 4/);
  assert.throws(() => runnerOf(null, 2), /none of 2/);
});

test('users and operations are split without overlap or gap, and evenly', () => {
  for (const runners of RUNNERS)
    for (const total of [0, 1, 2, 5, 16, 999, 20_000]) {
      const shares = Array.from({ length: runners }, (_, i) => shareOf(total, i + 1, runners));
      assert.equal(
        shares.reduce((sum, n) => sum + n, 0),
        total,
      );
      assert.ok(Math.max(...shares) - Math.min(...shares) <= 1);
      let next = 0;
      for (const [i, share] of shares.entries()) {
        assert.equal(firstOf(total, i + 1, runners), next);
        next += share;
      }
    }
});

test('users of all runners take turns in one schedule: each of its places is taken once', () => {
  const step = /** @type {any} */ ({ vus: 10 });
  for (const runners of [1, 3, 4]) {
    // As k6 deals them: user k is the runner's whose turn it is.
    const places = Array.from({ length: runners }, (_, r) =>
      Array.from(
        { length: shareOf(10, r + 1, runners) },
        (_, k) => paceOf(step, 100, 0, 1 + r + k * runners).offset,
      ),
    ).flat();
    assert.deepEqual(
      places.sort((a, b) => a - b),
      [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
    );
  }
});
