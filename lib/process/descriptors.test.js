import assert from 'node:assert/strict';
import { test } from 'node:test';
import { demandDescriptors, openFilesLimit } from './descriptors.js';

test('too few file descriptors are said with the number that is needed', () => {
  assert.throws(() => demandDescriptors(1000, 1024), {
    message: 'too few file descriptors: 1000 connections at once need 1128 open files, and the limit is 1024',
    hint: 'type: ulimit -n 1128',
  });
  demandDescriptors(896, 1024);
  demandDescriptors(100_000, null);
  const limit = openFilesLimit();
  assert.ok(limit === null || limit > 10);
});
