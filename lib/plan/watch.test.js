import assert from 'node:assert/strict';
import { test } from 'node:test';
import { watchOf } from './watch.js';

const ENDPOINTS = { shop: 'http://127.0.0.1:8080', far: 'http://10.0.0.7:8080', six: 'tcp://[::1]:9' };

test('who is watched is named by its endpoint, with or without its processes', () => {
  assert.equal(watchOf([], ENDPOINTS), undefined);
  assert.deepEqual(watchOf(['shop', 'six=12,345'], ENDPOINTS), { shop: [], six: [12, 345] });
});

test('what cannot be watched is one line', () => {
  const said = (/** @type {string} */ text, /** @type {RegExp} */ why) =>
    assert.throws(() => watchOf([text], ENDPOINTS), why);
  said('nobody', /^BenchError: --watch nobody: "nobody" has no --endpoint$/);
  said('toString', /has no --endpoint/);
  said('far', /^BenchError: --watch far: far is at http:\/\/10\.0\.0\.7:8080, and only this machine's/);
  said('shop=', /"" is no process id/);
  said('shop=12,x', /^BenchError: --watch shop=12,x: "x" is no process id$/);
});
