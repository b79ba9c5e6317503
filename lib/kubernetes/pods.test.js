import assert from 'node:assert/strict';
import { test } from 'node:test';
import { viewOf } from './pods.js';

/** @param {any} status */
const pod = (status) => ({ metadata: { name: 'p', labels: { 'job-name': 'load-2' } }, spec: {}, status });
/** @param {any} state @param {string} [phase] */
const container = (state, phase = 'Pending') =>
  pod({ phase, containerStatuses: [{ state, restartCount: 0 }] });

test('a pod that has ended is told by its exit code, one that was ended by why', () => {
  assert.equal(viewOf(null), null);
  const done = viewOf(container({ terminated: { exitCode: 0, reason: 'Completed' } }, 'Succeeded'));
  assert.deepEqual([done?.job, done?.exitCode, done?.ending, done?.waiting], ['load-2', 0, null, null]);
  const failed = viewOf(container({ terminated: { exitCode: 107, reason: 'Error' } }, 'Failed'));
  assert.deepEqual([failed?.exitCode, failed?.ending], [107, null]);
  const killed = viewOf(container({ terminated: { exitCode: 137, reason: 'OOMKilled' } }, 'Failed'));
  assert.deepEqual([killed?.exitCode, killed?.ending], [137, 'OOMKilled']);
  const evicted = viewOf(pod({ phase: 'Failed', reason: 'Evicted', message: 'The node was low on memory.' }));
  assert.deepEqual([evicted?.exitCode, evicted?.ending], [null, 'Evicted: The node was low on memory.']);
});

test('why a pod does not begin is said in the words of the cluster, and whether waiting helps', () => {
  const condition = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: '0/1 nodes' };
  const unplaced = viewOf(pod({ phase: 'Pending', conditions: [condition] }));
  assert.deepEqual(
    [unplaced?.waiting, unplaced?.hopeless, unplaced?.node],
    ['Unschedulable: 0/1 nodes', false, null],
  );
  const making = viewOf(container({ waiting: { reason: 'ContainerCreating' } }));
  assert.deepEqual([making?.waiting, making?.hopeless], [null, false]);
  const pulling = viewOf(container({ waiting: { reason: 'ErrImagePull', message: 'no such host' } }));
  assert.deepEqual([pulling?.waiting, pulling?.hopeless], ['ErrImagePull: no such host', false]);
  const unknown = viewOf(container({ waiting: { reason: 'ImagePullBackOff', message: 'Back-off' } }));
  assert.deepEqual([unknown?.waiting, unknown?.hopeless], ['ImagePullBackOff: Back-off', true]);
});
