import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stepText } from '../../../config/step-text.js';
import { faultsOf } from '../../../figures/recoveries.js';
import { faultMatrices } from '../../matrix/faults.js';
import { labelsOf } from '../../matrix/labels.js';
import { recordsOf } from '../../testing.js';
import { faultAnswers } from './answer.js';
import { section } from './section.js';

const nobody = /** @type {any} */ ({ systems: [], workloads: [], profile: { steps: [] } });

/**
 * @param {number} repeat
 * @param {{system?: string, chaos?: object, status?: string, fault?: object}} [over]
 */
function record(repeat, { system = 'alpha', chaos = {}, status = 'ok', fault } = {}) {
  return /** @type {any} */ ({
    role: 'chaos',
    system,
    title: system,
    workload: 'counters',
    transport: 'resp',
    step: { id: fault ? 'partition' : 'kill', fault: fault ?? { kind: 'kill', atSec: 4 } },
    repeat,
    status,
    reason: status === 'ok' ? null : 'it ended',
    verdict: { status: 'VALID', reasons: [] },
    chaos: {
      beforeP50Ms: 0.2,
      beforeP99Ms: 1,
      beforePerSec: 400,
      duringP99Ms: null,
      firstSuccessMs: 100 + repeat,
      restoredMs: 200 + repeat,
      watchedMs: 8000,
      acked: 1000,
      lost: 0,
      twice: 0,
      errors: { connect: 3 },
      rssBeforeBytes: 2 ** 20,
      rssAfterBytes: 2 ** 21,
      ...chaos,
    },
  });
}

/** @param {ReturnType<typeof section>} found */
function tablesOf(found) {
  return found?.tables ?? [];
}

/** @param {any[]} records */
function rowsOf(records) {
  const faults = faultsOf(records);
  const found = section({ plan: nobody, faults });
  return { faults, found, cells: tablesOf(found)[0]?.rows ?? [] };
}

test('repeats are added up, times have an interval, and what never came back is said', () => {
  const { faults, found } = rowsOf([
    ...[1, 2, 3].map((repeat) => record(repeat)),
    record(1, { system: 'beta', chaos: { lost: 7, twice: 2, restoredMs: null } }),
    record(2, { system: 'beta' }),
    record(1, { system: 'gamma', status: 'failed' }),
  ]);
  assert.match(String(found?.text), /^### Faults under load$/m);
  const [alpha, beta, gamma] = faults;
  assert.deepEqual([alpha.usable, alpha.acked, alpha.errors], [3, 3000, { connect: 9 }]);
  assert.deepEqual([alpha.restoredMs?.median, alpha.notRestored], [202, 0]);
  assert.deepEqual([beta.lost, beta.twice, beta.notRestored], [7, 2, 1]);
  assert.equal(gamma.failure, 'failed: it ended');
  assert.deepEqual(faultAnswers(faults), [
    'After `kill -9`, **beta** lost 0.350 % of what was acknowledged during the load.',
    'After `kill -9`, **beta** stored 2 writes twice.',
    '**alpha** lost nothing in any fault (3000 acknowledged writes).',
  ]);
  assert.match(String(found?.text), /; 1 of 2 had not recovered after 8000 \|/);
  const late = faultsOf([1, 2, 3].map((repeat) => record(repeat, { chaos: { restoredMs: null } })));
  assert.equal(faultAnswers(late).at(-1), '**alpha** did not recover in time (kill -9).');
  assert.equal(section({ plan: nobody, faults: [] }), null);
});

test('what the proxy costs stands beside what came through it', () => {
  const { found } = rowsOf([
    record(1),
    record(1, { fault: { kind: 'partition', atSec: 4, forSec: 5 }, chaos: { beforeP50Ms: 0.35 } }),
  ]);
  const [cost] = recordsOf(/** @type {any} */ (tablesOf(found).at(-1)));
  assert.match(String(found?.text), /Toxiproxy/);
  assert.deepEqual(Object.values(cost), ['alpha', '0.200', '0.350']);
});

test('who ended in a fault is counted; a kill ends everybody, and counts nobody', () => {
  const fault = { kind: 'disk-full', atSec: 4, forSec: 5 };
  const { faults, found } = rowsOf([
    record(1, { fault, chaos: { restartMs: 80 } }),
    record(2, { fault, chaos: { restartMs: null } }),
    record(1, { chaos: { restartMs: 80 } }),
  ]);
  assert.deepEqual(
    faults.map((f) => f.ended),
    [1, 0],
  );
  assert.ok(tablesOf(found)[0].columns.some((c) => c.head === 'process ended'));
  assert.match(String(found?.text), /started again when the fault was over/);
});

test('a step with a fault is told by the name of the fault, and by no id', () => {
  const steps = /** @type {const} */ (['disk-full', 'partition']).map((kind) => ({
    ...{ id: kind, model: 'open', vus: 100, ratePerSec: 10 },
    fault: { kind, atSec: 4, forSec: 5 },
  }));
  const plan = /** @type {any} */ ({ profile: { steps }, trials: [], workloads: [] });
  assert.deepEqual(
    steps.map(({ id }) => stepText(plan, id)),
    ['100 users, 10 op/s, full disk', '100 users, 10 op/s, cut off'],
  );
});

test('the matrix has a row for each fault, and ranks only the same promise, and whose p99 was back each time', () => {
  const repeats = (/** @type {string} */ system, /** @type {number} */ restoredMs) =>
    [1, 2, 3, 4, 5].map((repeat) => record(repeat, { system, chaos: { restoredMs: restoredMs + repeat } }));
  const { faults } = rowsOf([
    ...repeats('alpha', 200),
    ...repeats('beta', 400),
    ...repeats('synced', 50),
    ...repeats('gamma', 100).map((r, i) => (i === 0 ? { ...r, chaos: { ...r.chaos, restoredMs: null } } : r)),
  ]);
  const plan = /** @type {any} */ ({
    systems: ['alpha', 'beta', 'gamma', 'elsewhere', 'synced'].map((id) => ({
      ...{ id, title: id, role: 'system' },
      durability: { policy: id === 'synced' ? 'fsync' : 'none' },
    })),
    workloads: [{ id: 'counters', title: 'Counters' }],
  });
  const [{ title, systems, questions }, ...others] = faultMatrices(plan, faults);
  assert.deepEqual(
    [title, systems, others.length, questions.length],
    ['Counters', ['alpha', 'beta', 'gamma', 'synced'], 0, 1],
  );
  const [question] = questions;
  const { leads } = question;
  const { head, labelOf } = labelsOf([question]);
  assert.deepEqual([labelOf(question), head], ['kill -9', 'p99 back after, ms']);
  assert.deepEqual(
    leads.map((l) => [l.outcome, l.winner, l.systems]),
    [['winner', 'alpha', ['alpha', 'beta']]],
  );
});

test('who loses next to nothing is not named in one breath with who loses much', () => {
  const { faults } = rowsOf([
    record(1, { chaos: { lost: 1 } }),
    record(1, { system: 'beta', chaos: { lost: 300 } }),
    record(1, { system: 'gamma', chaos: { lost: 400 } }),
  ]);
  assert.deepEqual(faultAnswers(faults).slice(0, 2), [
    'After `kill -9`, **gamma** and **beta** lost up to 40.0 % of what was acknowledged during the load.',
    'After `kill -9`, **alpha** lost 0.100 % of what was acknowledged during the load.',
  ]);
});
