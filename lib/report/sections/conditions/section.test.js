import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cgroupText } from './section.js';

test('a control group without limits is said to have none, whatever the kernel writes for it', () => {
  assert.equal(cgroupText({ version: 'v1', cpu: '-1', memory: '9223372036854771712' }), 'v1, no limits');
  assert.equal(cgroupText({ version: 'v2', cpu: 'max 100000', memory: 'max' }), 'v2, no limits');
  assert.equal(cgroupText({ version: 'v2', cpu: null, memory: null }), 'v2, no limits');
  assert.equal(
    cgroupText({ version: 'v2', cpu: '200000 100000', memory: '536870912' }),
    'v2, cpu 200000 100000, memory 512 MiB',
  );
});
