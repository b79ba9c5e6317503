import assert from 'node:assert/strict';
import { test } from 'node:test';
import { killsOf } from '../figures/recoveries.js';
import { durabilityAnswers } from '../report/sections/losses/answer.js';
import { section } from '../report/sections/losses/section.js';
import { rowsUnder } from '../report/testing.js';
import { recoveryOf } from './recovery.js';
import { reasonsIn } from './testing.js';

/** @param {{acked: number, stored: number, indeterminate?: number, ok?: boolean, wrong?: number, detail?: string}} oracle */
function recovered({ indeterminate = 0, ...oracle }) {
  /** @type {any} */
  const meta = { recovery: { killedAtMs: 12_000, restartMs: 200 } };
  /** @type {any} */
  const load = { notes: {}, windows: [{ startMs: 10_000 }] };
  /** @type {any} */
  const check = { notes: { oracle: { ...oracle, indeterminate } }, windows: [] };
  return recoveryOf(meta, load, check);
}

test('what was acknowledged and is not there is lost', () => {
  assert.deepEqual(recovered({ acked: 1000, stored: 400, indeterminate: 20 }), {
    acked: 1000,
    recovered: 400,
    indeterminate: 20,
    lost: 600,
    unexplained: 0,
    ackedPerSec: 500,
    restartMs: 200,
  });
  assert.equal(recovered({ acked: 10, stored: 15, indeterminate: 20 })?.lost, 0);
});

test('a system that lost what was there before the load, too, has recovered nothing, not less', () => {
  assert.deepEqual(
    [recovered({ acked: 5, stored: -3 })?.recovered, recovered({ acked: 5, stored: -3 })?.lost],
    [0, 5],
  );
});

test('a loss is a finding; more than was sent, or nothing measured, is a fault', () => {
  const recoveryReasons = (/** @type {any} */ recovery) =>
    reasonsIn({ role: 'durability', recovery, operations: {} });
  const reasons = (/** @type {any} */ recovery) => recoveryReasons(recovery).map((r) => r.code);
  assert.deepEqual(reasons(recovered({ acked: 10, stored: 0 })), []);
  assert.deepEqual(reasons(recovered({ acked: 10, stored: 31, indeterminate: 20 })), ['oracle']);
  assert.deepEqual(reasons(recovered({ acked: 0, stored: 0 })), ['missing_metric']);
  const wrong = recovered({
    acked: 10,
    stored: 12,
    indeterminate: 2,
    ok: false,
    detail: 'a total is off by 1',
  });
  assert.deepEqual(recoveryReasons(wrong), [{ code: 'oracle', measured: 'a total is off by 1' }]);
  assert.deepEqual(reasons(recovered({ acked: 10, stored: 9, ok: false })), [], 'a loss explains the rest');
  assert.deepEqual(
    reasons(recovered({ acked: 10, stored: 9, ok: false, wrong: 1, detail: 'one holds more' })),
    ['oracle'],
    'but not a counter above what was sent to it',
  );
  assert.deepEqual(reasons(null), ['missing_metric']);
  /** @type {any} */
  const meta = {};
  assert.equal(recoveryOf(meta, null, null), null);
});

/** @param {string} system @param {any} recovery @param {any} [more] */
function killed(system, recovery, more = {}) {
  return /** @type {any} */ ({
    role: 'durability',
    system,
    title: system.toUpperCase(),
    workload: 'w',
    transport: 'resp',
    step: { id: 'saturated', model: 'closed', vus: 20, durationSec: 5, kill: true },
    status: 'ok',
    verdict: { status: 'VALID', reasons: [] },
    recovery,
    ...more,
  });
}

/** @type {any} */
const plan = {
  profile: { steps: [{ id: 'saturated', model: 'closed', vus: 20, durationSec: 5, kill: true }] },
  trials: [],
  systems: ['alpha', 'beta', 'gamma'].map((id) => ({ id, durability: { policy: 'none' } })),
};

test('the report adds up the repeats and names the worst; a failed kill shows why', () => {
  const records = [
    killed('alpha', recovered({ acked: 1000, stored: 400 })),
    killed('alpha', recovered({ acked: 1000, stored: 900 })),
    killed('beta', recovered({ acked: 50, stored: 50 })),
    killed('gamma', null, { status: 'failed', reason: 'it did not come back' }),
  ];
  const [alpha, beta, gamma] = rowsUnder(section({ plan, kills: killsOf(records) }), /Durability/);
  assert.deepEqual(
    ['acknowledged', 'recovered', 'lost', 'lost, share', 'worst', 'repeats'].map((head) => alpha[head]),
    ['2000', '1300', '700', '35.0 %', '60.0 %', '2'],
  );
  assert.equal(beta.lost, '0');
  assert.equal(gamma.lost, '–', 'why is said once, above the table');
  const answers = durabilityAnswers(killsOf(records));
  assert.match(answers[2], /^\*\*ALPHA\*\* lost up to [\d.]+ % when saturated after `kill -9`/);
  assert.match(answers[1], /^\*\*BETA\*\* lost nothing after `kill -9` \(\d+ acknowledged writes\)\.$/);
  assert.equal(answers[0], '**GAMMA** has no figure after `kill -9` (1 load): it did not come back.');
  assert.equal(answers.length, 3);
  assert.equal(section({ plan, kills: [] }), null);
});

test('a kill and a loss of power stand in one table beside what is declared, and in one sentence', () => {
  const cut = { step: { id: 'cut', model: 'closed', vus: 20, durationSec: 5, kill: true, powerLoss: true } };
  const records = [
    killed('alpha', recovered({ acked: 1000, stored: 1000 })),
    killed('alpha', recovered({ acked: 1000, stored: 250 }), cut),
  ];
  const both = { ...plan, profile: { steps: [...plan.profile.steps, cut.step] } };
  const shown = section({ plan: both, kills: killsOf(records) });
  assert.deepEqual(
    rowsUnder(shown, /Durability/).map((row) => [row.load, row.durability, row.lost]),
    [
      ['saturated, 20 users, kill -9', 'memory only', '0'],
      ['saturated, 20 users, power cut', 'memory only', '750'],
    ],
  );
  assert.match(JSON.stringify(shown), /FUSE/);
  const answers = durabilityAnswers(killsOf(records));
  assert.match(answers[0], /^\*\*ALPHA\*\* lost nothing after `kill -9`, up to 75/);
});

test('a system whose totals are wrong after a kill is said to be inconsistent, and its repeat is not counted', () => {
  const wrong = recovered({ acked: 10, stored: 10, ok: false, detail: 'a total is off by 1' });
  const invalid = { verdict: { status: 'INVALID', reasons: [{ code: 'oracle' }] } };
  const alone = killsOf([killed('alpha', wrong, invalid)]);
  const [only] = rowsUnder(section({ plan, kills: alone }), /Durability/);
  assert.equal(only.lost, '–');
  assert.match(durabilityAnswers(alone).join('\n'), /a total is off by 1/);
  const records = [killed('alpha', recovered({ acked: 9, stored: 9 })), killed('alpha', wrong, invalid)];
  const answers = durabilityAnswers(killsOf(records));
  assert.match(answers[0], /\*\*ALPHA was not consistent\*\*.*: a total is off by 1\./);
  assert.match(answers[1], /lost nothing after `kill -9` \(9 acknowledged writes\)/);
});

test('of two kills the middle is between them', () => {
  const kill = (/** @type {number} */ restartMs, /** @type {number} */ repeat) => {
    const own = killed('alpha', recovered({ acked: 9, stored: 9 }));
    return { ...own, repeat, recovery: { .../** @type {any} */ (own.recovery), restartMs } };
  };
  assert.equal(killsOf([kill(100, 1), kill(200, 2)])[0].restartMs?.median, 150);
});
