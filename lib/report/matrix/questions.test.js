import assert from 'node:assert/strict';
import { test } from 'node:test';
import { comparisonsOf } from '../../figures/comparisons.js';
import { rowsOf, wholesOf } from '../../figures/rows.js';
import { aCell } from '../../judge/testing.js';
import { matricesOf } from './index.js';
import { answerText, whereText } from './labels.js';

/** @param {string} id @param {object} [more] */
const workload = (id, more = {}) => ({ id, title: id, operations: { get: {} }, ...more });

/**
 * @param {object[]} workloads
 * @param {[string, string, number, number][]} did system, workload, users, peak of its memory in MiB
 */
function matricesIn(workloads, did) {
  const records = did.flatMap(([system, id, vus, mebibytes]) =>
    [1, 2, 3, 4, 5].map((repeat) =>
      aCell({
        ...{ system, repeat, vus, ratePerSec: 1000 },
        record: {
          ...{ workload: id, cell: `${id}.resp.${system}.c${vus}.r${repeat}` },
          resources: {
            generator: null,
            host: null,
            system: /** @type {any} */ ({ rssPeakBytes: (mebibytes + repeat / 100) * 1_048_576 }),
          },
        },
      }),
    ),
  );
  const steps = [...new Set(did.map(([, , vus]) => vus))].map((vus) => ({
    ...{ id: `c${vus}`, model: 'closed', vus, depth: 1, durationSec: 10 },
  }));
  const plan = /** @type {any} */ ({
    systems: [...new Set(did.map(([id]) => id))].map((id) => ({
      id,
      title: id.toUpperCase(),
      role: 'system',
    })),
    trials: [],
    ...{ workloads, profile: { steps, drive: 'burst' } },
  });
  const [rows, wholes] = [rowsOf(records), wholesOf(records)];
  const comparisons = comparisonsOf([...rows, ...wholes]);
  return matricesOf({
    ...{ plan, rows, wholes, comparisons, lifecycle: [], kills: [], sideBySide: [], beside: [] },
  });
}

test('memory is compared on the loads that all systems did: who did more needed it for more', () => {
  const [matrix] = matricesIn(
    [workload('w')],
    [
      ['a', 'w', 1, 200],
      ['b', 'w', 1, 100],
      ['b', 'w', 50, 900],
    ],
  );
  const memory = matrix.questions.find((q) => q.dimension === 'memory');
  assert.deepEqual(
    ['a', 'b'].map((id) => memory && `${id} ${answerText(memory, id)}`),
    ['a 200', 'b 100'],
  );
  assert.deepEqual(
    memory?.leads.map((l) => [l.outcome, l.winner]),
    [['winner', 'b']],
  );
});

test('operations that failed are counted of loads side by side, too', () => {
  const cells = ['a', 'b'].flatMap((system) =>
    [undefined, 0].map((paired) =>
      aCell({
        ...{ system, vus: 1, ratePerSec: 100 },
        record: { workload: 'w', ...(paired === undefined ? {} : { paired }) },
        result: { count: 90, errors: /** @type {any} */ ({ server: system === 'b' ? 700 : 0 }) },
      }),
    ),
  );
  const [rows, wholes] = [rowsOf(cells), wholesOf(cells)];
  const systems = ['a', 'b'].map((id) => ({ id, title: id.toUpperCase(), role: 'system' }));
  const profile = {
    steps: [{ id: 'c1', model: 'closed', vus: 1, depth: 1, durationSec: 10 }],
    drive: 'burst',
  };
  const plan = /** @type {any} */ ({ systems, trials: [], workloads: [workload('w')], profile });
  const [{ questions }] = matricesOf({
    ...{ plan, rows, wholes, comparisons: [], lifecycle: [], kills: [], sideBySide: [], beside: [] },
  });
  const failures = questions.find((q) => q.metric === 'failures');
  assert.deepEqual(
    ['a', 'b'].map((id) => failures && answerText(failures, id)),
    ['0', '1400'],
  );
});

test('what some systems of a suite did alone stands among what all of them did, and comes last', () => {
  const suite = { shown: { suite: 'Suite' } };
  const matrices = matricesIn(
    [workload('x', suite), workload('y', suite), workload('z')],
    [
      ['a', 'x', 10, 200],
      ['b', 'x', 10, 100],
      ['b', 'y', 10, 100],
      ['b', 'z', 10, 100],
    ],
  );
  assert.deepEqual(
    matrices.map(({ title, systems }) => [title, ...systems]),
    [
      ['Suite', 'a', 'b'],
      ['z', 'b'],
    ],
  );
  const [{ questions }] = matrices;
  const compared = questions.filter((q) => q.leads.length > 0);
  const alone = questions.filter((q) => q.leads.length === 0 && q.dimension === 'throughput');
  assert.ok(compared.length > 0);
  assert.deepEqual(
    alone.map((q) => q.load?.title),
    ['y'],
  );
  const least = Math.min(...compared.map((q) => q.weight));
  assert.ok(alone.every((q) => q.weight < least));
});

test('a load in turns at rest and busy has a row for each turn', () => {
  const background = { ratePerSec: 10 };
  const steps = ['idle-1', 'busy-1', 'busy-2', 'idle-2'].map((id) => ({
    ...{ id, model: 'closed', vus: 4, depth: 1, durationSec: 10 },
    ...(id.startsWith('busy') ? { background } : {}),
  }));
  const records = steps.flatMap((step, i) =>
    [1, 2, 3, 4, 5].map((repeat) =>
      aCell({
        ...{ system: 'a', repeat, ratePerSec: 1000 - i },
        record: { workload: 'w', cell: `w.resp.a.${step.id}.r${repeat}`, step: /** @type {any} */ (step) },
      }),
    ),
  );
  const systems = [{ id: 'a', title: 'A', role: 'system' }];
  const plan = /** @type {any} */ ({
    ...{ systems, trials: [], workloads: [workload('w')], profile: { steps, drive: 'burst' } },
  });
  const [rows, wholes] = [rowsOf(records), wholesOf(records)];
  const [{ questions }] = matricesOf({
    ...{ plan, rows, wholes, comparisons: [], lifecycle: [], kills: [], sideBySide: [], beside: [] },
  });
  assert.deepEqual(
    questions.filter((q) => q.dimension === 'throughput').map((q) => `${whereText(q)} ${answerText(q, 'a')}`),
    [
      'w, 4 users, at rest 1000',
      'w, 4 users, busy 999',
      'w, 4 users, busy again 998',
      'w, 4 users, at rest again 997',
    ],
  );
});
