import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cellsOf, singleTrials } from '../config/trials.js';
import { createPlan } from './plan.js';

/** @param {string} id */
const system = (id) => /** @type {any} */ ({ id, title: id, engine: 'native', role: 'system' });
/** @param {string} id @param {object} [more] */
const stack = (id, more = {}) =>
  /** @type {any} */ ({ id, manifest: { workloads: { w: { transports: ['http', 'live'] } }, ...more } });
const kill = { id: 'kill', model: 'closed', vus: 4, durationSec: 2, kill: true };
const step = { id: 'c4', model: 'closed', vus: 4, durationSec: 2 };
const facts = {
  id: 'w',
  title: 'W',
  operations: { put: { writes: true } },
  pipelines: true,
  cases: { hot: { dataset: { keys: 1 } }, wide: { dataset: { keys: 9 } } },
  drive: { live: 'burst' },
};

/** @param {object[]} steps */
function inputOf(steps) {
  return /** @type {any} */ ({
    runId: 'r',
    profileId: 'p',
    profile: { seed: 1, warmupSec: 0, coolDownSec: 0, drive: 'burst', dataset: {}, steps, thresholds: {} },
    repeats: 2,
    systems: [system('lasting'), system('plain')],
    absent: [],
    workloads: [facts],
    stacks: [stack('lasting', { restart: true }), stack('plain')],
    options: { endpoints: {}, ports: {}, generatorCpus: null, live: false },
    hostCores: 2,
  });
}

/** @param {object[]} steps */
const planOf = (steps) => createPlan(inputOf(steps));

test('only who can restart is killed, each time with fresh data, in one case, and not where users only listen', () => {
  const plan = planOf([kill]);
  assert.deepEqual(
    singleTrials(plan).map((t) => [t.role, t.systems[0], t.transport, t.cells.map((c) => c.step.id)]),
    [
      ['durability', 'lasting', 'http', ['kill-hot']],
      ['durability', 'lasting', 'http', ['kill-hot']],
    ],
  );
  assert.deepEqual(
    plan.absent.map((a) => [a.system ?? a.steps, a.status]),
    [
      ['plain', 'unsupported'],
      [['kill'], 'unsupported'],
    ],
  );
  assert.equal(plan.workloads.length, 1);
});

test('a workload that ends by a count is killed while it writes, where each write has a key of its own', () => {
  const paced = { id: 'paced', model: 'open', vus: 4, ratePerSec: 100, durationSec: 2, kill: true };
  const input = /** @type {any} */ (inputOf([kill, paced]));
  const plan = createPlan({
    ...input,
    profile: { ...input.profile, warmupSec: 3 },
    workloads: [{ ...facts, fixedCount: 'keys', keys: { each: true }, cases: undefined }],
  });
  const steps = cellsOf(plan)
    .filter((c) => c.repeat === 1)
    .map((c) => c.step);
  assert.deepEqual(steps.map((s) => [s.id, s.durationSec, s.operations, s.warmupSec]).sort(), [
    ['kill', 2, undefined, 0],
    ['paced', 2, undefined, 0],
  ]);
});

test('kills stand beside other steps without touching them', () => {
  const plan = planOf([step, kill]);
  const of = (/** @type {string} */ role) => singleTrials(plan).filter((t) => t.role === role);
  assert.equal(of('durability').length, 2);
  assert.deepEqual(
    [...new Set(of('system').flatMap((b) => b.cells.map((c) => c.step.id)))],
    ['c4-hot', 'c4-wide'],
  );
  assert.deepEqual(
    plan.absent.filter((a) => a.system),
    [],
    'it takes part in the other steps',
  );
});

test('without power goes whose disk is ours and can forget; for the others it is unavailable, with the reason', () => {
  const cut = { ...kill, id: 'cut', powerLoss: true };
  const planWith = (/** @type {string | null} */ disk, /** @type {object} */ more = {}) => {
    const input = inputOf([kill, cut]);
    input.systems[0] = { ...input.systems[0], ...more };
    return createPlan({ ...input, lacks: { disk } });
  };
  const steps = (/** @type {import('../types.d.ts').Plan} */ plan) => [
    ...new Set(cellsOf(plan).map((c) => c.step.id)),
  ];
  const reasons = (/** @type {import('../types.d.ts').Plan} */ plan) =>
    plan.absent.filter((a) => a.status === 'unavailable').map((a) => [a.system, a.reason]);
  const here = planWith(null);
  assert.deepEqual(steps(here), ['kill-hot', 'cut-hot']);
  assert.deepEqual(reasons(here), []);
  const without = planWith('no FUSE here');
  assert.deepEqual(steps(without), ['kill-hot']);
  assert.deepEqual(reasons(without), [['lasting, loss of power', 'no FUSE here']]);
  for (const [engine, reason] of /** @type {const} */ ([
    ['docker', /container/],
    ['external', /by its address/],
  ])) {
    const elsewhere = planWith(null, { engine });
    assert.deepEqual(steps(elsewhere), ['kill-hot'], engine);
    assert.match(reasons(elsewhere)[0]?.[1] ?? '', reason);
  }
});

test('a full disk and little memory are for systems that are ours to prepare, where the machine can; the reason stands in the plan', () => {
  const faults = /** @type {const} */ (['disk-full', 'memory']).map((kind) => ({
    id: kind,
    model: /** @type {const} */ ('open'),
    vus: 4,
    ratePerSec: 100,
    durationSec: 12,
    fault: { kind, atSec: 3, forSec: 5 },
  }));
  const planWith = (/** @type {object} */ machine, /** @type {object} */ more = {}) => {
    const input = inputOf(faults);
    input.systems = [{ ...input.systems[0], ...more }];
    return createPlan({ ...input, ...machine });
  };
  const steps = (/** @type {import('../types.d.ts').Plan} */ plan) =>
    cellsOf(plan)
      .filter((c) => c.role === 'chaos')
      .map((c) => c.step.id);
  const here = planWith({ lacks: { disk: null, memory: null } });
  assert.deepEqual([...new Set(steps(here))], ['disk-full-hot', 'memory-hot']);
  const bare = planWith({ lacks: { disk: 'no FUSE here', memory: 'no groups here' } });
  assert.deepEqual(steps(bare), []);
  assert.deepEqual(
    bare.absent.filter((a) => a.system).map((a) => [a.system, a.reason]),
    [
      ['lasting, disk-full', 'no FUSE here'],
      ['lasting, memory', 'no groups here'],
    ],
  );
  const contained = planWith({}, { engine: 'docker' });
  assert.deepEqual(steps(contained), []);
  assert.match(
    contained.absent.find((a) => a.system)?.reason ?? '',
    /its disk is not ours with the engine docker/,
  );
  const all = createPlan({
    ...inputOf(
      ['kill', 'pause', 'slow-network', 'partition'].map((kind) => ({
        ...faults[0],
        id: kind,
        fault: { kind: /** @type {any} */ (kind), atSec: 3, forSec: 5 },
      })),
    ),
    systems: [{ ...inputOf(faults).systems[0], engine: 'docker' }],
  });
  assert.deepEqual([...new Set(steps(all))].sort(), ['partition-hot', 'pause-hot', 'slow-network-hot']);
});

test('a workload that writes nothing has nothing to lose, and is not killed', () => {
  const plan = createPlan({
    .../** @type {any} */ (inputOf([kill])),
    workloads: [{ ...facts, operations: { get: {} } }],
  });
  assert.deepEqual(plan.trials, []);
  assert.match(plan.absent.find((a) => a.system === 'lasting')?.reason ?? '', /write nothing/);
});

test('a workload that ends by a count may be over before the kill, and has none', () => {
  const plan = createPlan({
    .../** @type {any} */ (inputOf([kill])),
    workloads: [{ ...facts, fixedCount: 'keys' }],
  });
  assert.deepEqual(plan.trials, []);
  assert.match(plan.absent.find((a) => a.system === 'lasting')?.reason ?? '', /count of operations/);
});
