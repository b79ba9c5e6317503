import assert from 'node:assert/strict';
import { test } from 'node:test';
import { markdownTable } from '../../table.js';
import { durabilityAnswers, lossTable } from './answer.js';

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
      '**Beta** has no figure after a power cut (2 loads): it did not start again on what was left: beta ended while starting.',
      '**Alpha** lost nothing after `kill -9`, all after a power cut (2000 acknowledged writes).',
    ],
  );
});

test('who was not seen in every end stands after those who were', () => {
  const failure = 'failed: it did not start again on what was left';
  const [first, ...rest] = durabilityAnswers([
    kill({ system: 'beta', title: 'Beta' }),
    kill({ system: 'beta', title: 'Beta', step: cut, failure }),
    kill({}),
    kill({ step: cut }),
  ]);
  assert.match(first, /^\*\*Beta\*\* has no figure after a power cut/);
  assert.deepEqual(rest, [
    '**Alpha** lost nothing, after `kill -9` and after a power cut (2000 acknowledged writes).',
    '**Beta** lost nothing after `kill -9` (1000 acknowledged writes).',
  ]);
});

test('systems to which both faults did the same are one answer', () => {
  const fate = (
    /** @type {string} */ system,
    /** @type {number} */ killed,
    /** @type {number} */ without,
  ) => [
    kill({ system, title: system, lost: killed * 1000, lostRatio: killed, worstRatio: killed }),
    kill({ system, title: system, step: cut, lost: without * 1000, lostRatio: without, worstRatio: without }),
  ];
  assert.deepEqual(
    durabilityAnswers([
      ...[...fate('A', 1, 1), ...fate('B', 0, 0), ...fate('C', 1, 1), ...fate('D', 0, 0.2)],
      ...[...fate('E', 0, 0), ...fate('F', 0, 0.3)],
      kill({ system: 'D', title: 'D', step: { ...cut, id: 'paced', model: 'open' } }),
    ]),
    [
      '**B** and **E** lost nothing, after `kill -9` and after a power cut (4000 acknowledged writes).',
      '**A** and **C** lost all, after `kill -9` and after a power cut (4000 acknowledged writes).',
      '**D** lost nothing after `kill -9`, up to 20.0 % when saturated after a power cut.',
      '**F** lost nothing after `kill -9`, up to 30.0 % when saturated after a power cut.',
    ],
  );
});

test('of many loads the page has a line for each system: the worst of each kind of fault', () => {
  const failure = 'failed: it did not start again on what was left: beta ended while starting';
  const plan = /** @type {any} */ ({
    systems: [
      { id: 'alpha', durability: { policy: 'none' } },
      { id: 'beta', durability: { policy: 'none' } },
    ],
  });
  const parity = { durability: 'none' };
  const kills = [
    kill({ parity }),
    kill({ parity, step: cut, lost: 100, lostRatio: 0.1, worstRatio: 0.2 }),
    kill({ parity, system: 'beta', title: 'Beta', lost: 1000, lostRatio: 1, worstRatio: 1 }),
    kill({ parity, system: 'beta', title: 'Beta', step: cut, failure }),
  ];
  const [rows] = lossTable(/** @type {any} */ ({ plan, kills })).tables ?? [];
  const lines = markdownTable(rows).split('\n');
  assert.match(lines[2], /^\| Alpha \| .* \| nothing \| \*\*20\.0 %\*\* \|$/);
  assert.match(lines[3], /^\| Beta \| .* \| \*\*all\*\* \| \*\*does not start again\*\* \|$/);
  const some = [kills[0], kill({ parity, failure })];
  const [partly] = lossTable(/** @type {any} */ ({ plan, kills: some })).tables ?? [];
  assert.match(
    markdownTable(partly),
    /\*\*nothing; no figure on 1 of 2 loads\*\*/,
    'what failed is not hidden by the rest',
  );
});
