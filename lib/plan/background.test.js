import assert from 'node:assert/strict';
import { test } from 'node:test';
import { singleTrials } from '../config/trials.js';
import { createPlan } from './plan.js';

/** @param {string} id @param {string} [role] */
const system = (id, role = 'system') => ({ id, title: id, engine: 'native', role });
/** @param {string} id @param {object} [more] */
const stack = (id, more = {}) => ({ id, manifest: { workloads: { w: { transports: ['http'] } }, ...more } });
const idle = { id: 'idle', model: 'closed', vus: 4, durationSec: 2 };
const busy = { ...idle, id: 'busy', background: { ratePerSec: 50 } };

test('only who has something to be kept busy with gets the busy steps, in their order', () => {
  const steps = [idle, busy, { ...busy, id: 'busy-2' }];
  const background = { title: 'feed', command: ['feed'] };
  const plan = createPlan(
    /** @type {any} */ ({
      runId: 'r',
      profileId: 'p',
      profile: {
        ...{ seed: 1, warmupSec: 0, coolDownSec: 0, drive: 'burst', dataset: {}, thresholds: {} },
        ...{ calibration: { durationSec: 1 }, steps },
      },
      repeats: 1,
      systems: [system('fed'), system('plain'), system('_null', 'calibration')],
      absent: [],
      workloads: [{ id: 'w', title: 'W', operations: { put: {} } }],
      stacks: [stack('fed', { background }), stack('plain'), stack('_null')],
      options: { endpoints: {}, ports: {}, generatorCpus: null, live: false },
      hostCores: 2,
    }),
  );
  const cells = Object.fromEntries(
    singleTrials(plan).map((t) => [t.systems[0], t.cells.map((c) => c.step.id)]),
  );
  assert.deepEqual(cells.fed, ['idle', 'busy', 'busy-2']);
  assert.deepEqual(cells.plain, ['idle']);
  assert.equal(cells._null.length, 3, 'a busy step has a ceiling, too');
});
