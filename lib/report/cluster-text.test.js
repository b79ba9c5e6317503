import assert from 'node:assert/strict';
import { test } from 'node:test';
import { phrase } from './template.js';

const clusterText = (/** @type {object} */ cluster) => phrase('clusterText', cluster);

test('a cluster is its version and its kinds of nodes, or that they may not be seen', () => {
  const node = { cpus: '4', memory: '16374836Ki', system: 'Debian GNU/Linux 12, amd64' };
  assert.equal(
    clusterText({ version: 'v1.33.5', nodes: [node, node] }),
    'Kubernetes v1.33.5, 2 nodes (2 × 4 CPU, 15.6 GiB, Debian GNU/Linux 12, amd64)',
  );
  assert.equal(
    clusterText({ version: 'v1.33.5', nodes: [{ ...node, memory: '8G' }] }),
    'Kubernetes v1.33.5, 1 node (4 CPU, 8G, Debian GNU/Linux 12, amd64)',
  );
  assert.equal(
    clusterText({ version: null, nodes: null }),
    'Kubernetes of an unknown version, whose nodes may not be looked at',
  );
});
