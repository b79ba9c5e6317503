import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readingOf, serviceOf } from './system-pods.js';

test('the address of a service names it, any other one names nobody', () => {
  assert.deepEqual(serviceOf('tcp://store.load.svc:6379'), { name: 'store', namespace: 'load' });
  assert.deepEqual(serviceOf('http://shop.prod.svc.cluster.local'), { name: 'shop', namespace: 'prod' });
  assert.deepEqual(serviceOf('tcp://store:6379'), { name: 'store' });
  for (const url of ['tcp://10.0.0.5:6379', 'tcp://[fd00::5]:6379', 'https://api.example.com:443'])
    assert.equal(serviceOf(url), null, url);
});

const pod = { namespace: 'load', name: 'store-0' };
const container = (
  /** @type {string} */ second,
  /** @type {number} */ nanos,
  /** @type {number} */ rssBytes,
) => ({
  cpu: { time: `2026-11-25T03:00:${second}Z`, usageNanoCores: 1, usageCoreNanoSeconds: nanos },
  memory: { time: `2026-11-25T03:00:${second}Z`, workingSetBytes: 9, rssBytes },
});
const summaryOf = (/** @type {object[]} */ ...containers) =>
  JSON.stringify({ node: {}, pods: [{ podRef: { ...pod, uid: '1' }, containers }] });

test('what a kubelet says of a pod is the sum of its containers', () => {
  const reading = readingOf(summaryOf(container('10', 2e9, 1000), container('14', 1e9, 500)), pod);
  assert.deepEqual(reading, { t: Date.parse('2026-11-25T03:00:12Z'), cpuSec: 3, rssBytes: 1500 });
});

test('a pod that the kubelet does not know, or of which it lacks a container, has no reading', () => {
  const one = container('10', 2e9, 1000);
  assert.equal(readingOf(summaryOf(one), { ...pod, name: 'store-1' }), null);
  assert.equal(readingOf(summaryOf(one, { memory: one.memory }), pod), null, 'not looked at yet');
  assert.equal(readingOf(summaryOf(), pod), null);
  assert.equal(readingOf('<html>', pod), null);
});

test('where the runtime tells of containers without their resident memory, the pod itself is read', () => {
  // As a kubelet v1.33.5 beside containerd 1.6 on a socket of its own answered.
  const podOnly = {
    podRef: { ...pod, uid: '1' },
    containers: [
      {
        name: 'store',
        cpu: { time: '2026-11-25T10:05:33Z', usageNanoCores: 1153134, usageCoreNanoSeconds: 37034967 },
        memory: { time: '2026-11-25T10:05:33Z', workingSetBytes: 3375104 },
      },
    ],
    cpu: { time: '2026-11-25T10:05:30Z', usageNanoCores: 4194983, usageCoreNanoSeconds: 52234300 },
    memory: {
      ...{ time: '2026-11-25T10:05:30Z', usageBytes: 5079040, workingSetBytes: 5079040 },
      ...{ rssBytes: 3391488, pageFaults: 0, majorPageFaults: 0 },
    },
  };
  const told = (/** @type {object} */ own) => readingOf(JSON.stringify({ node: {}, pods: [own] }), pod);
  assert.deepEqual(told(podOnly), {
    ...{ t: Date.parse('2026-11-25T10:05:30Z'), cpuSec: 0.0522343, rssBytes: 3391488 },
  });
  assert.equal(told({ ...podOnly, memory: undefined }), null);
});
