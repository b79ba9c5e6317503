import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pairedTrials, singleTrials } from '../config/trials.js';
import { createPlan } from './plan.js';

/** @import { PlannedSystem, Profile, Stack, WorkloadFacts } from '../types.d.ts' */

/** @param {string} id @returns {PlannedSystem} */
function planned(id) {
  return {
    id,
    title: id,
    origin: 'upstream',
    engine: 'native',
    role: id.startsWith('_') ? 'calibration' : 'system',
    durability: { policy: 'none', meaning: 'in memory' },
    settings: {},
    provenance: '',
  };
}

/** @param {string} id @param {string[]} transports @returns {Stack} */
function stack(id, transports) {
  return /** @type {any} */ ({ id, folder: '', manifest: { workloads: { w: { transports } } } });
}

/** @type {WorkloadFacts} */
const workload = { id: 'w', title: 'W', operations: { get: {} }, pipelines: true };
/** @type {Profile} */
const profile = {
  title: 't',
  seed: 3,
  repeats: 2,
  warmupSec: 1,
  coolDownSec: 0,
  drive: 'burst',
  dataset: {},
  calibration: { durationSec: 2 },
  observer: { pairs: 2, durationSec: 3, vus: 5 },
  steps: [
    { id: 'c1', model: 'closed', vus: 1, durationSec: 10 },
    { id: 'deep', model: 'closed', vus: 1, depth: 8, durationSec: 10 },
    { id: 'open', model: 'open', vus: 1, fractionOfKnee: 0.5, durationSec: 10 },
  ],
  thresholds: {},
};

/** @param {object} [over] */
function plan(over = {}) {
  return createPlan({
    runId: '2026-01-01T00-00-00Z-p',
    profileId: 'p',
    profile,
    repeats: 2,
    systems: ['a', 'b', '_n'].map(planned),
    absent: [],
    workloads: [workload],
    stacks: [stack('a', ['resp', 'http']), stack('b', ['resp']), stack('_n', ['resp'])],
    options: { endpoints: {}, ports: {}, generatorCpus: null, live: true },
    hostCores: 2,
    ...over,
  });
}

test('the observer comes first, then the ceiling of each transport, then the repeats', () => {
  const trials = singleTrials(plan()).map((b) => `${b.role} ${b.systems[0]} ${b.transport} r${b.repeat}`);
  assert.deepEqual(trials.slice(0, 3), [
    'observer _n resp r1',
    'observer _n resp r2',
    'calibration _n resp r1',
  ]);
  assert.deepEqual(
    trials.slice(3, 12).map((b) => b.slice(-2)),
    ['r1', 'r1', 'r1', 'r1', 'r1', 'r2', 'r2', 'r2', 'r2'],
  );
  assert.deepEqual(trials.slice(12), ['system a http r1', 'system a http r2']);
});

test('what is compared side by side is measured so; a system with a database beside it, one after another', () => {
  const withDatabase = stack('c', ['resp']);
  /** @type {any} */ (withDatabase.manifest).native = { companions: [{ name: 'database' }] };
  const made = plan({
    profile: {
      ...profile,
      observer: undefined,
      sideBySide: { maxStarts: 5 },
      steps: profile.steps.slice(0, 1),
    },
    systems: ['a', 'b', 'c', '_n'].map(planned),
    stacks: ['a', 'b', '_n'].map((id) => stack(id, ['resp'])).concat(withDatabase),
    placement: { systems: [1], generator: [0] },
  });
  assert.deepEqual(
    pairedTrials(made).map((t) => t.systems),
    [['a', 'b']],
  );
  assert.deepEqual(
    singleTrials(made).map((b) => `${b.role} ${b.systems[0]} r${b.repeat}`),
    ['calibration _n r1', 'system c r1', 'system c r2'],
  );
});

test('the null responder meets the rates of open steps once, after the systems whose shares they are', () => {
  const trials = singleTrials(plan()).filter(
    (b) => b.transport === 'resp' && b.repeat === 1 && b.role !== 'observer',
  );
  const steps = trials.map((b) => `${b.role} ${b.cells.map((c) => c.step.id).join(' ')}`);
  assert.deepEqual(steps, [
    'calibration c1 deep',
    'system c1 deep',
    'system c1 deep',
    'system open',
    'system open',
    'calibration open',
  ]);
  const only = plan({ profile: { ...profile, calibration: { durationSec: 2, steps: ['open'] } } });
  assert.deepEqual(
    singleTrials(only)
      .filter((b) => b.role === 'calibration')
      .flatMap((b) => b.cells.map((c) => c.step.id)),
    ['open'],
    'beside what the profile says, and nothing else',
  );
  const none = plan({ profile: { ...profile, calibration: { durationSec: 2, steps: [] } } });
  assert.ok(singleTrials(none).every((b) => b.role !== 'calibration'));
  const soak = [{ id: 's', model: 'open', vus: 1, fractionOfKnee: 0.2, durationSec: 90, soak: true }];
  const soaked = plan({ profile: { ...profile, steps: [...profile.steps.slice(0, 2), ...soak] } });
  assert.ok(
    singleTrials(soaked).every((b) => b.role !== 'calibration' || b.cells.every((c) => c.step.id !== 's')),
  );
});

test('with and without the live outputs take turns (ABBA)', () => {
  const cells = singleTrials(plan())
    .filter((b) => b.role === 'observer')
    .flatMap((b) => b.cells);
  assert.deepEqual(
    cells.map((c) => c.telemetry),
    [true, false, false, true],
  );
});

test('the null responder meets the closed steps before all, shortened', () => {
  const block = singleTrials(plan()).find((b) => b.role === 'calibration');
  assert.deepEqual(
    block?.cells.map((c) => [c.step.id, c.step.durationSec]),
    [
      ['c1', 2],
      ['deep', 2],
    ],
  );
});

test('a workload that cannot pipeline has no pipelined step', () => {
  const shallow = plan({ workloads: [{ ...workload, pipelines: false }] });
  assert.ok(singleTrials(shallow).every((b) => b.cells.every((c) => c.step.id !== 'deep')));
});

test('without live outputs there is no observer to measure', () => {
  const options = { endpoints: {}, ports: {}, generatorCpus: null, live: false };
  assert.ok(singleTrials(plan({ options })).every((b) => b.role !== 'observer'));
});

test('every cell has an id of its own', () => {
  const ids = singleTrials(plan()).flatMap((b) => b.cells.map((c) => c.id));
  assert.equal(new Set(ids).size, ids.length);
});

test('a workload by count has its closed steps by the number of its dataset, and the first reads the size', () => {
  const counted = {
    ...workload,
    operations: { get: { footprintBefore: true } },
    pipelines: false,
    fixedCount: 'documents',
  };
  const own = { ...profile, dataset: { documents: 700 } };
  const steps = (/** @type {object} */ over) =>
    singleTrials(plan({ workloads: [counted], profile: own, ...over }))
      .filter((b) => b.role === 'system' && b.systems[0] === 'b' && b.repeat === 1)
      .flatMap((b) => b.cells.map((c) => c.step));
  assert.deepEqual(steps({}), [{ id: 'c1', model: 'closed', vus: 1, operations: 700, footprint: true }]);
  const options = { endpoints: {}, ports: {}, generatorCpus: null, live: true, operations: 50 };
  assert.equal(steps({ options })[0].operations, 50);
  const others = singleTrials(plan({ workloads: [counted], profile: own })).filter(
    (b) => b.role !== 'system',
  );
  assert.ok(others.length > 0);
  for (const cell of others.flatMap((b) => b.cells)) {
    assert.equal(cell.step.operations, 700, `${cell.id} is by count, too`);
    assert.equal(cell.step.footprint, undefined);
  }
});

test('a stack that asks for it gets lifecycle figures, and a count of its syncs with the engine native', () => {
  const asking = (/** @type {string} */ id) => {
    const own = stack(id, ['resp']);
    return { ...own, manifest: { ...own.manifest, lifecycle: { runtime: [] } } };
  };
  const systems = [planned('a'), { ...planned('b'), engine: /** @type {const} */ ('external') }];
  const made = plan({
    systems,
    stacks: [asking('a'), asking('b')],
    workloads: [{ ...workload, operations: { get: { items: 5 } } }],
  });
  assert.deepEqual(
    made.lifecycle?.map((l) => [l.system, l.unavailable === null]),
    [
      ['a', true],
      ['b', false],
    ],
  );
  const counted = singleTrials(made).filter((b) => b.role === 'syscalls');
  assert.deepEqual(
    counted.map((b) => [b.systems[0], b.cells[0].step.focus]),
    [['a', true]],
  );
  assert.equal(plan().lifecycle, undefined);
});

test('steps that take a share of the slowest system’s maximum come when all systems are measured', () => {
  const own = singleTrials(plan()).filter(
    (b) => b.role === 'system' && b.transport === 'resp' && b.repeat === 1,
  );
  const steps = own.map((b) => `${b.systems[0]}: ${b.cells.map((c) => c.step.id).join()}`);
  const [first, second] = own.map((b) => b.systems[0]);
  assert.deepEqual(steps, [`${first}: c1,deep`, `${second}: c1,deep`, `${first}: open`, `${second}: open`]);
  const alone = singleTrials(plan({ systems: ['a', '_n'].map(planned) })).filter((b) => b.role === 'system');
  assert.deepEqual(
    alone[0].cells.map((c) => c.step.id),
    ['c1', 'deep', 'open'],
    'one system waits for nobody',
  );
});
