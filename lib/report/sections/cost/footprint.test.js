import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rowsOf, wholesOf } from '../../../figures/rows.js';
import { aCell } from '../../../judge/testing.js';
import { footprintsOf } from './footprint.js';

const plan = /** @type {any} */ ({
  workloads: [{ id: 'w', title: 'W', operations: {} }],
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
/** @param {typeof records} measured */
const of = (measured) => ({ rows: rowsOf(measured), wholes: wholesOf(measured), measured });

test('sizes are those of the records', () => {
  const [{ stored }] = footprintsOf({ plan, ...of(records) });
  const [a, b] = stored;
  assert.equal(a.share.median, 0.5);
  assert.equal(a.before.own, null, 'not said is not zero');
  assert.deepEqual([a.problems, b.problems], [[], ['ERR no']]);
  const withOwn = (/** @type {number} */ before, /** @type {number} */ after) =>
    of(
      records.map((r) => ({
        ...r,
        footprint: r.footprint && {
          ...r.footprint,
          problem: null,
          before: { ...r.footprint.before, ownBytes: before },
          after: r.footprint.after && { ...r.footprint.after, ownBytes: after },
        },
      })),
    );
  const told = {
    ...plan,
    systems: plan.systems.map((/** @type {any} */ s) =>
      s.id === 'a' ? { ...s, sizesApart: 'A counts tables alone' } : s,
    ),
  };
  const whyOf = (/** @type {number} */ before, /** @type {number} */ after) =>
    footprintsOf({ plan: told, ...withOwn(before, after) })[0].stored[0].why;
  assert.equal(whyOf(2_097_152 * 0.91, 524_288 * 1.09), null, 'within a tenth nothing needs a reason');
  assert.equal(whyOf(2_097_152 * 0.88, 524_288), 'A counts tables alone', 'before compaction');
  assert.equal(whyOf(2_097_152, 524_288 * 1.2), 'A counts tables alone', 'after it');
  const others = records.map((r) => ({ ...r, engine: /** @type {const} */ ('external') }));
  assert.ok(footprintsOf({ plan, ...of(others) })[0].stored[0].external, 'its address may be of this host');
});

test('a run without steps by count, or without sizes, has no such table', () => {
  const measured = records.map((r) => ({ ...r, step: { ...r.step, operations: undefined, durationSec: 3 } }));
  assert.deepEqual(footprintsOf({ plan, ...of(measured) }), []);
  const unseen = records.map(({ footprint: _, ...r }) => r);
  assert.deepEqual(footprintsOf({ plan, ...of(/** @type {any} */ (unseen)) }), []);
});
