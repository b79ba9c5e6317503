import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rowsOf } from '../../../figures/rows.js';
import { aCell } from '../../../judge/testing.js';
import { rowsUnder } from '../../testing.js';
import { section } from './section.js';

const plan = /** @type {any} */ ({
  systems: [{ id: 'a', title: 'Alpha' }],
  workloads: [{ id: 'counters', title: 'Counters' }],
  profile: { steps: [], drive: 'burst' },
  trials: [],
});

/** @param {number} repeat @param {object} result */
const cell = (repeat, result) =>
  aCell({ system: 'a', repeat, ratePerSec: 100, result: /** @type {any} */ (result) });

test('what the server called the failures stands in the row, most frequent first, of all repeats', () => {
  const conflict = 'HTTP 503 OptimisticConcurrencyControlFailure';
  const cells = [
    cell(1, { count: 90, errors: { server: 10 }, errorKinds: { 'HTTP 503 Overloaded': 4, [conflict]: 6 } }),
    cell(2, { count: 100, errors: { server: 0 } }),
    cell(3, { count: 80, errors: { server: 15, connect: 5 }, errorKinds: { [conflict]: 15 } }),
  ];
  const [row] = rowsUnder(section({ plan, rows: rowsOf(cells) }), /Failures by name/);
  assert.equal(row.failed, '30 (10.0 %)');
  assert.equal(row.called, `\`${conflict}\` 21, \`HTTP 503 Overloaded\` 4`);
});

test('what a check of the state allowed to be missing was not lost', () => {
  const stateOf = (/** @type {boolean} */ ok) => {
    const oracle = { ok, acked: 100, stored: 94, indeterminate: 9, detail: 'six are missing' };
    const measured = [{ ...cell(1, { count: 90 }), oracle: /** @type {any} */ (oracle) }];
    return rowsUnder(section({ plan, measured }), /Acknowledged against stored/)[0];
  };
  assert.deepEqual([stateOf(true).lost, stateOf(false).lost], ['0', '6']);
});

test('where no server gave a name nothing is shown', () => {
  const cells = [cell(1, { count: 90, errors: { connect: 10 } })];
  assert.equal(section({ plan, rows: rowsOf(cells) }), null);
});

test('an answer that the load generator did not wait for is called a time-out of its own', () => {
  const [row] = rowsOf([cell(1, { count: 90, errors: { timeout: 10 } })]);
  assert.deepEqual(row.tried.kinds, [['time-out of the load generator', 10]]);
});
