import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { allowedCpus, cpuList, pinned, placementOf } from './placement.js';

test('a list of CPUs as the kernel writes it', () => {
  assert.deepEqual(cpuList('0-2,5'), [0, 1, 2, 5]);
  assert.deepEqual(cpuList('3'), [3]);
  assert.deepEqual(cpuList(''), []);
});

test('the last CPU is the systems’, the others are the load’s', {
  skip: process.platform !== 'linux',
}, () => {
  assert.deepEqual(placementOf([0, 1, 2, 3]), { systems: [3], generator: [0, 1, 2] });
  assert.deepEqual(placementOf([0]), {
    problem: 'systems and load generator need a CPU each, and this machine has one',
  });
  const path = process.env.PATH;
  process.env.PATH = '/no/such/folder';
  try {
    assert.deepEqual(placementOf([0, 1]), { problem: 'taskset (util-linux) is not on PATH' });
  } finally {
    process.env.PATH = path;
  }
});

test('a pinned command runs where it is told to', { skip: process.platform !== 'linux' }, () => {
  const [cpu] = allowedCpus().slice(-1);
  const [binary, ...args] = pinned(['grep', 'Cpus_allowed_list', '/proc/self/status'], [cpu]);
  assert.match(execFileSync(binary, args, { encoding: 'utf8' }), new RegExp(`:\\s*${cpu}\\n`));
});
