import assert from 'node:assert/strict';
import { test } from 'node:test';
import { durabilityAnswers } from './section.js';

/** @param {object} over @returns {any} a kill of one system on one load */
const kill = (over) => ({
  system: 'alpha',
  title: 'Alpha',
  workload: 'w',
  transport: 'resp',
  step: { id: 'saturated', model: 'closed', vus: 20, kill: true },
  acked: 1000,
  lost: 0,
  lostRatio: 0,
  worstRatio: 0,
  failure: null,
  inconsistent: null,
  ...over,
});
const cut = { id: 'saturated-power-loss', model: 'closed', vus: 20, kill: true, powerLoss: true };

test('who lost nothing, who lost all, and who did not start again are three answers', () => {
  const failure = 'failed: it did not start again on what was left: beta ended while starting';
  assert.deepEqual(
    durabilityAnswers([
      kill({}),
      kill({ step: cut, lost: 1000, lostRatio: 1, worstRatio: 1 }),
      kill({ system: 'beta', title: 'Beta', step: cut, failure }),
      kill({ system: 'beta', title: 'Beta', step: { ...cut, id: 'paced', model: 'open' }, failure }),
    ]),
    [
      '**Alpha** lost nothing of 1000 acknowledged writes.',
      '**Alpha** lost at a loss of power all of 1000 acknowledged writes.',
      '**Beta** has no figure after a loss of power (2 loads): it did not start again on what was left: beta ended while starting.',
    ],
  );
});
