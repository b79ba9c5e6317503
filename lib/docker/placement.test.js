import assert from 'node:assert/strict';
import { test } from 'node:test';
import { containerPlacement } from './placement.js';

const engine = { kernel: '6.1.0', rootless: false, cpuset: true, cpus: 4 };
/** @param {Partial<typeof engine>} over @param {number[]} [cpus] */
const problemOf = (over, cpus = [0, 1, 2, 3]) => {
  const placement = containerPlacement({ ...engine, ...over }, cpus, '6.1.0');
  return 'problem' in placement ? placement.problem : placement;
};

test('systems get the last CPU that the engine has, the load all others', () => {
  assert.deepEqual(problemOf({}), { systems: [3], generator: [0, 1, 2] });
  assert.deepEqual(problemOf({ cpus: 2 }), { systems: [1], generator: [0] });
  assert.deepEqual(
    problemOf({}, [2, 5]),
    'systems and load generator need a CPU each, and this machine has one',
  );
});

test('an engine whose threads cannot be seen, or whose network is another, says why', () => {
  assert.match(String(problemOf({ kernel: '6.6.12-linuxkit' })), /a machine of its own/);
  assert.match(String(problemOf({ rootless: true })), /rootless/);
  assert.match(String(problemOf({ cpuset: false })), /cpuset/);
});
