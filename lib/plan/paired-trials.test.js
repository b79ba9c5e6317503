import assert from 'node:assert/strict';
import { test } from 'node:test';
import { trialSeconds } from './estimate.js';
import { leftOver, sideBySideOf } from './paired-trials.js';

/** @param {string} id @param {string} [policy] @param {string} [engine] */
const system = (id, policy = 'none', engine = 'native') => ({
  id,
  title: id,
  engine,
  role: 'system',
  durability: { policy, meaning: '' },
});
/** @param {string} id */
const stack = (id) => ({ id, manifest: { workloads: { w: { transports: ['resp'] } } } });
const workload = {
  id: 'w',
  title: 'W',
  operations: { get: {}, set: { writes: true } },
  pipelines: true,
};
const profile = {
  sideBySide: { maxStarts: 12 },
  dataset: { keys: 100 },
  steps: [
    { id: 'c1', model: 'closed', vus: 1, durationSec: 3 },
    { id: 'c50-p16', model: 'closed', vus: 50, depth: 16, durationSec: 3 },
    { id: 'open', model: 'open', vus: 50, ratePerSec: 9, durationSec: 3 },
    { id: 'js', model: 'closed', vus: 5, durationSec: 3, drive: 'iteration' },
    { id: 'n', model: 'closed', vus: 5, operations: 100 },
  ],
};

/** @param {import('../types.d.ts').PairedTrial} trial */
const secondsOf = (trial) =>
  trialSeconds(
    trial,
    /** @type {any} */ ({ profile, workloads: [], options: {}, sideBySide: { maxStarts: 12 } }),
  );

/** @param {object[]} systems @param {object} [over] */
function planned(systems, over = {}) {
  return sideBySideOf(
    /** @type {any} */ ({
      profile,
      systems,
      workloads: [workload],
      stacks: systems.map((/** @type {any} */ s) => stack(s.id)),
      options: {},
      placement: { systems: [1], generator: [0] },
      ...over,
    }),
  );
}

test('closed steps of a fixed time are the loads, an operation each', () => {
  const { trials } = planned([system('a'), system('b')]);
  assert.deepEqual(
    trials[0].cells.map((c) => [c.id, c.connections, c.depth]),
    [
      ['get.c1', 1, 1],
      ['set.c1', 1, 1],
      ['get.c50-p16', 50, 16],
      ['set.c50-p16', 50, 16],
    ],
  );
  assert.deepEqual(trials[0].fill, [{ op: 'set', operations: 100, depth: 64 }]);
  assert.ok(secondsOf(trials[0]) > 60);
});

test('the estimate has what a load takes: a second that counts, for each system alone, in five starts', () => {
  const [group] = planned([system('a'), system('b')]).trials;
  const without = { ...group, alone: /** @type {const} */ (false) };
  const loads = 5 * group.cells.length * group.systems.length;
  assert.ok(secondsOf(group) - secondsOf(without) > loads * 1.15);
});

test('with one operation under way the two take turns; with more of them both are loaded all the time', () => {
  const { trials } = planned([system('a'), system('b')]);
  assert.deepEqual(
    trials[0].cells.map((c) => c.slotMs),
    [50, 50, undefined, undefined],
  );
});

test('every pair of like promises meets, and the first system meets a second one of itself', () => {
  const { trials } = planned([system('a'), system('b'), system('c')]);
  assert.deepEqual(
    trials[0].pairs.map(({ a, b, kind, cells }) => [a, b, kind, cells.length]),
    [
      ['a', 'b', 'rivals', 4],
      ['a', 'c', 'rivals', 4],
      ['b', 'c', 'rivals', 4],
      ['a', 'a', 'same', 2],
    ],
  );
});

test('of unlike promises only configurations of one product meet, for what the promise costs', () => {
  const { trials } = planned([system('a'), system('a@aof', 'fsync-interval'), system('b', 'fsync')]);
  assert.deepEqual(
    trials[0].pairs.filter((p) => p.kind !== 'same').map(({ a, b, kind }) => [a, b, kind]),
    [['a', 'a@aof', 'price']],
  );
});

test('one whose promise depends on its version meets those that some version over this transport is like', () => {
  const lasting = { policy: 'fsync', meaning: '' };
  const partners = (/** @type {string} */ transport) =>
    planned([
      { ...system('a', 'unknown'), durabilityWhen: [{ from: '2.0', transports: [transport], ...lasting }] },
      system('b', 'fsync'),
      system('c', 'none'),
    ]).trials.flatMap((t) => t.pairs.filter((p) => p.kind === 'rivals').map(({ a, b }) => [a, b]));
  assert.deepEqual(partners('resp'), [['a', 'b']]);
  assert.deepEqual(partners('http'), []);
});

test('what cannot be side by side is measured one after another, and says why', () => {
  const two = [system('a'), system('b')];
  assert.equal(planned([system('a'), system('b', 'none', 'external')]).plan, null);
  assert.ok(
    planned([system('a', 'none', 'docker'), system('b', 'none', 'docker')]).plan,
    'containers can be',
  );
  assert.match(String(planned([system('a')]).why), /no two systems/);
  assert.equal(planned(two, { placement: { problem: 'one CPU' } }).why, 'one CPU');
  assert.deepEqual(planned(two, { profile: { ...profile, sideBySide: undefined } }), {
    plan: null,
    trials: [],
    why: null,
  });
  const scripted = planned(two, { workloads: [{ ...workload, drive: 'iteration' }] });
  assert.equal(scripted.plan, null);
  assert.match(String(scripted.why), /w over resp: what it sends next depends on an answer/);
});

test('flags set how long it goes on', () => {
  const { plan } = planned([system('a'), system('b')], {
    options: { starts: 3, untilDecided: true, maxMinutes: 20 },
  });
  assert.deepEqual([plan?.maxStarts, plan?.untilDecided, plan?.maxMinutes], [3, true, 20]);
});

test('a workload that ends with a count runs for a time, on the steps that the profile names; what deletes does not', () => {
  const documents = {
    ...workload,
    pipelines: false,
    fixedCount: 'documents',
    operations: { set: { writes: true }, get: {}, del: { footprintBefore: true } },
  };
  const counted = { ...profile, sideBySide: { maxStarts: 12, steps: ['n'] } };
  const { trials } = planned([system('a'), system('b')], { workloads: [documents], profile: counted });
  assert.deepEqual(
    trials[0].cells.map((c) => c.id),
    ['set.n', 'get.n'],
  );
  assert.deepEqual(trials[0].fill, [{ op: 'set', operations: 100, depth: 1 }]);
});

test('cases have cells of their own, with their dataset; a request of fifty items needs a fiftieth of the requests', () => {
  const realtime = {
    ...workload,
    pipelines: false,
    operations: { batch: { writes: true, items: 'batchSize' } },
    cases: { hot: { dataset: { counters: 1 } }, cold: { dataset: { counters: 9 }, transports: ['ws'] } },
  };
  const { trials } = planned([system('a'), system('b')], {
    workloads: [realtime],
    profile: { ...profile, dataset: { keys: 100, batchSize: 50 } },
  });
  assert.deepEqual(
    trials[0].cells.map(({ id, dataset, minOperations }) => [id, dataset, minOperations]),
    [['batch.c1-hot', { counters: 1 }, 40]],
  );
  assert.deepEqual(trials[0].fill, []);
});

test('operations that take turns are one load, without rests and on the data of all steps', () => {
  const turns = ['set', 'get', 'get', 'get'];
  const entities = {
    ...workload,
    pipelines: false,
    drive: 'burst',
    operations: { set: { window: 'round', writes: true }, get: { window: 'round' } },
    windows: { round: { order: 'turns', turns } },
    dataset: { thinkMs: 0, scale: 1 },
    minOperations: 100,
  };
  const step = { id: 'c10', model: 'closed', vus: 10, durationSec: 3 };
  const steps = [step, { ...step, id: 'more', dataset: { scale: 10 } }];
  const asked = { ...profile, dataset: {}, steps };
  const two = [system('a'), system('b')];
  const { trials } = planned(two, { workloads: [entities], profile: asked });
  const [cell, ...others] = trials[0].cells ?? [];
  assert.deepEqual(others, []);
  assert.deepEqual(
    [cell.id, cell.connections, cell.minOperations, cell.parts],
    [
      'mix.c10',
      10,
      100,
      [
        { op: 'set', share: 0.25 },
        { op: 'get', share: 0.75 },
      ],
    ],
  );
  assert.deepEqual(trials[0].fill, [], 'what is there before load is in the check of the state');
  const thinking = { ...asked, dataset: { thinkMs: 500 } };
  assert.equal(planned(two, { workloads: [entities], profile: thinking }).plan, null);
});

test('of a step that runs side by side the rest goes one after another', () => {
  const mixed = {
    ...workload,
    operations: {
      single: { writes: true },
      write: { window: 'both', writes: true },
      heard: { window: 'both', received: true },
    },
    windows: { both: { order: 'together' } },
  };
  const { trials } = planned([system('a'), system('b')], { workloads: [mixed] });
  const rest = (/** @type {any} */ step) => leftOver(step, /** @type {any} */ (mixed), 'resp', trials);
  assert.deepEqual(rest(profile.steps[0]), [{ ...profile.steps[0], only: ['write', 'heard'] }]);
  assert.deepEqual(rest(profile.steps[2]), [profile.steps[2]], 'an open step is measured alone');
  const plain = planned([system('a'), system('b')]).trials;
  assert.deepEqual(
    leftOver(/** @type {any} */ (profile.steps[0]), /** @type {any} */ (workload), 'resp', plain),
    [],
  );
});

test('where absolute figures are those of cells, every step goes one after another as well', () => {
  const two = [system('a'), system('b')];
  const asked = { ...profile, sideBySide: { ...profile.sideBySide, absolute: 'cells' } };
  const { trials } = planned(two, { profile: asked });
  assert.deepEqual(
    trials.map((g) => [g.cells.length > 0, g.alone]),
    [[true, false]],
  );
  const [step] = asked.steps;
  assert.deepEqual(leftOver(/** @type {any} */ (step), /** @type {any} */ (workload), 'resp', trials), [
    step,
  ]);
  const [inSlices] = planned(two).trials;
  assert.ok(secondsOf(trials[0]) < secondsOf(inSlices), 'and costs no slices');
});
