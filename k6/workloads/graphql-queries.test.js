import assert from 'node:assert/strict';
import { test } from 'node:test';
import { turn } from './graphql-queries.js';

/** @type {any} */
const requests = {
  query: (/** @type {string} */ entity, /** @type {string} */ text, /** @type {object[]} */ checks) => ({
    entity,
    text,
    checks,
  }),
};

/** @param {boolean} othersChange @returns {any[]} the checks of each query of all rows */
function checksOfAll(othersChange) {
  const steps = /** @type {any[]} */ (turn(requests, { start: null, othersChange }).steps);
  return steps.filter((step) => step.op === 'get-all').flatMap((step) => step.checks);
}

test('an answer of all rows is whole what was sent', () => {
  assert.deepEqual(checksOfAll(false), [
    { at: '/data/getAll', same: '{of:farmAll}' },
    { at: '/data/getAll', same: '{of:coopAll}' },
    { at: '/data/getAll', same: '{of:containerAll}' },
  ]);
});

test('where a background load changes rows of others, one of ours is looked for among all', () => {
  assert.deepEqual(checksOfAll(true), [
    { at: '/data/getAll/id={of:farm}', same: '{of:farmRow}' },
    { at: '/data/getAll/id={of:coop}', same: '{of:coopRow}' },
    { at: '/data/getAll/id={of:container}', same: '{of:containerRow}' },
  ]);
});
