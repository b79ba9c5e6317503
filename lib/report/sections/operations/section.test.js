import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rowsOf } from '../../../figures/rows.js';
import { aCell } from '../../../judge/testing.js';
import { rowsUnder } from '../../testing.js';
import { section } from './section.js';

const plan = /** @type {any} */ ({
  systems: ['a', 'b'].map((id) => ({ id, title: id.toUpperCase() })),
  workloads: [{ id: 'counters', title: 'Counters', operations: { get: {} } }],
  profile: { steps: [], drive: 'burst' },
  options: {},
  trials: [],
});
/** @param {string} system @param {number} ratePerSec @param {object} [record] */
const rowOf = (system, ratePerSec, record = {}) =>
  rowsOf([1, 2].map((repeat) => aCell({ system, ratePerSec, record: { repeat, ...record } })));

test('the whole distribution is told of repeats and of what systems did alone in trials of several', () => {
  const made = section(
    /** @type {any} */ ({
      plan,
      rows: [...rowOf('a', 100_000), ...rowOf('b', 50_000, { paired: 0 })],
      wholes: [],
      measured: [],
    }),
  );
  const rows = rowsUnder(made, /^Distribution of latency$/);
  assert.deepEqual(
    rows.map((r) => [r.system, r.min, r.max]),
    [
      ['A', '0.250', '5.00'],
      ['B', '0.500', '10.0'],
    ],
  );
});
