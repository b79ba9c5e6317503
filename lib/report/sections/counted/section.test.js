import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aCell } from '../../../judge/testing.js';
import { comparisonsOf } from '../../comparisons.js';
import { rowsOf } from '../../rows.js';
import { countedSections } from './section.js';

const plan = /** @type {any} */ ({
  workloads: [{ id: 'w', title: 'W' }],
  systems: ['a', 'b'].map((id) => ({ id, title: id.toUpperCase() })),
  profile: {
    drive: 'burst',
    steps: [
      { id: 'c1', model: 'closed', vus: 1, operations: 1000 },
      { id: 'c10', model: 'closed', vus: 10, operations: 1000 },
    ],
  },
});

/** @param {string} system @param {number} vus @param {number} ratePerSec @param {number} repeat */
function cell(system, vus, ratePerSec, repeat) {
  return aCell({
    system,
    vus,
    ratePerSec,
    repeat,
    operation: 'set',
    result: { durationMs: 1_000_000 / ratePerSec },
    record: {
      workload: 'w',
      step: { id: `c${vus}`, model: 'closed', vus, operations: 1000 },
      footprint: {
        documents: 1000,
        rawBytes: 1_048_576,
        counter: 'own',
        before: { ownBytes: null, diskBytes: 2_097_152 },
        compaction: 'compact',
        after: { ownBytes: 524_288, diskBytes: 524_288 },
        problem: system === 'b' ? 'ERR no' : null,
      },
    },
  });
}

const records = ['a', 'b'].flatMap((system, i) =>
  [1, 10].flatMap((vus) =>
    [1, 2, 3, 4, 5].map((r) => cell(system, vus, 1000 * vus * (2 - i) * (1 + r / 1000), r)),
  ),
);
const rows = rowsOf(records);
const [section] = /** @type {any[]} */ (countedSections(plan, rows, comparisonsOf(rows, 1), records));

test('improvement is a ratio with its interval, and a winner is named by the comparison only', () => {
  const [{ improvements }] = section.operations;
  assert.match(improvements[0].ratio, /^2\.00 \(2\.00 – 2\.00\)$/);
  assert.equal(improvements[0].verdict, 'A ahead');
  const few = records.filter((r) => r.repeat < 3);
  const fewRows = rowsOf(few);
  const [other] = /** @type {any[]} */ (countedSections(plan, fewRows, comparisonsOf(fewRows, 1), few));
  assert.match(other.operations[0].improvements[0].verdict, /insufficient repeats/);
});

test('concurrency, total time and sizes are those of the records', () => {
  assert.deepEqual(section.concurrency[0].heads, ['1 client', '10 clients']);
  assert.match(section.concurrency[0].rows[0].cells[1], /^0\.499 ms, × 1\.00; 20.100\/s$/);
  assert.equal(section.total[0].total, '0.499');
  assert.equal(section.total[0].count, '1000');
  assert.equal(section.footprints[0].ratio, '50.0 %');
  assert.equal(section.footprints[0].ownBefore, '–', 'not said is not zero');
  assert.deepEqual(section.footprintProblems, ['B, resp: ERR no']);
  const others = records.map((r) => ({ ...r, engine: /** @type {const} */ ('external') }));
  const [given] = /** @type {any[]} */ (countedSections(plan, rows, comparisonsOf(rows, 1), others));
  assert.equal(given.footprints[0].diskAfter, 'n/a: not ours to see', 'its address may be of this host');
});

test('a run without steps by count has no such section', () => {
  const timed = records.map((r) => ({ ...r, step: { ...r.step, operations: undefined, durationSec: 3 } }));
  assert.deepEqual(countedSections(plan, rowsOf(timed), [], timed), []);
});
