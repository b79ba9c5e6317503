import assert from 'node:assert/strict';
import { test } from 'node:test';
import { leftOut, stepsOf } from './steps.js';

const closed = { model: 'closed', vus: 4, durationSec: 2 };
/** @type {any} */
const profile = {
  dataset: {},
  steps: [
    { id: 'c4', ...closed },
    { id: 'deep', ...closed, depth: 16 },
    { id: 'open', ...closed, model: 'open' },
    { id: 'counted', model: 'closed', vus: 4, operations: 10 },
    { id: 'kill', ...closed, kill: true },
    { id: 'paced-kill', ...closed, model: 'open', kill: true },
    { id: 'pause', ...closed, model: 'open', fault: { kind: 'pause', atSec: 1, forSec: 1 } },
    { id: 'others', ...closed, workloads: ['v'] },
    { id: 'slow', ...closed, drive: 'iteration' },
  ],
};
const turns = { round: { order: /** @type {const} */ ('turns'), turns: ['put', 'get'] } };
/** @param {object} more @returns {any} */
const facts = (more) => ({
  id: 'w',
  title: 'W',
  operations: { put: { writes: true }, get: {} },
  pipelines: true,
  ...more,
});
/** @param {any} workload */
const absent = (workload, transports = ['http']) =>
  leftOut(workload, profile, transports).map((a) => [a.steps?.join(), a.reason]);

test('a step that a workload leaves out is named, with the reason', () => {
  assert.deepEqual(absent(facts({})), [], 'what the profile gives to others only is not left out');
  assert.deepEqual(absent(facts({ pipelines: false, fixedCount: 'keys' })), [
    ['deep', 'it has one request under way on a connection, and does not pipeline'],
    ['open', 'it ends with a count of operations, and so keeps to no rate'],
    ['kill,paced-kill,pause', 'its count of operations may be over before the fault'],
  ]);
  const reading = { put: { window: 'round' }, get: { window: 'round' } };
  assert.deepEqual(absent(facts({ operations: reading, windows: turns })), [
    ['open', 'its users take turns, and keep to no rate'],
    ['counted', 'its users take turns for a time, not for a count'],
    ['kill,paced-kill,pause', 'it writes nothing that a kill could lose'],
  ]);
});

test('so is one that only some transports leave out', () => {
  const cases = { hot: { dataset: {} }, wide: { dataset: {}, transports: ['http'] } };
  const over = absent(facts({ cases, drive: { live: 'burst' } }), ['http', 'live']);
  assert.deepEqual(over, [
    ['slow', 'over live there is the drive burst only'],
    ['kill,paced-kill,pause', 'over live it is measured what arrives, not what is written'],
    ['c4,deep,open,counted,kill,paced-kill,pause,slow', 'over live there is no case "wide"'],
  ]);
});

test('every step of the profile is run or has a reason', () => {
  for (const more of [{}, { fixedCount: 'keys' }, { windows: turns }, { pipelines: false }]) {
    const workload = facts(more);
    const run = stepsOf(workload, profile, null).map((s) => s.id);
    const out = leftOut(workload, profile, ['http']).flatMap((a) => a.steps ?? []);
    assert.deepEqual([...run, ...out].sort(), [
      'c4',
      'counted',
      'deep',
      'kill',
      'open',
      'paced-kill',
      'pause',
      'slow',
    ]);
  }
});
