import assert from 'node:assert/strict';
import { test } from 'node:test';
import { classOf } from './error-class.js';

test('errors of client libraries are classed, and what is unknown is other', () => {
  assert.equal(classOf('Error: read tcp: i/o timeout'), 'timeout');
  assert.equal(classOf('dial tcp 127.0.0.1:1: connect: connection refused'), 'connect');
  assert.equal(classOf("ERR unknown command 'x'"), 'server');
  assert.equal(classOf('Error: PING answered "x"'), 'protocol');
  assert.equal(classOf('something else'), 'other');
});
