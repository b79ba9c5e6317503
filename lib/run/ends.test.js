import assert from 'node:assert/strict';
import { test } from 'node:test';
import { endOf, endOrUnderLoad } from './ends.js';

/** @import { LoadEnd } from '../generator/load.js' */

/** @type {Promise<never>} */
const never = new Promise(() => {});
/** @type {LoadEnd} */
const WELL = { ok: true, reason: '', k6ExitCode: 0, log: ['last line of k6'] };
const REFUSED = { ...WELL, ok: false, k6ExitCode: 107, reason: 'k6 ended with code 107: no client' };
const HUNG = { count: 4, problems: [{ runner: 3, problem: 'k6 was ended by SIGKILL' }], restarted: [] };

/** @param {{ended?: Promise<any>, end?: LoadEnd, rate?: number}} [of] */
function aLoad({ ended = Promise.resolve(), end = WELL, rate = 0 } = {}) {
  const asked = { interrupted: 0, closed: 0, discarded: 0 };
  return {
    asked,
    seen: null,
    ended,
    live: async () => ({ ratePerSec: rate, p95Ms: null, ended: 1 }),
    interrupt: () => void asked.interrupted++,
    close: async () => {
      asked.closed++;
      return end;
    },
    discardLog: () => void asked.discarded++,
  };
}

/** @param {object} [more] @param {{died?: Promise<any>, running?: boolean}} [system] @returns {any} */
function waiting(more = {}, { died = never, running = true } = {}) {
  const instance = {
    ...{ died, running: () => running, ending: async () => '(with code 9)' },
    logTail: async () => ['last line of the system'],
  };
  const signal = new AbortController().signal;
  return { instances: [instance], limitSec: 5, signal, interrupted: never, ...more };
}

test('each end of a load has one outcome, and the first that applies is said', async () => {
  const died = waiting({}, { died: Promise.resolve(), running: false });
  const aborted = { signal: AbortSignal.abort(), interrupted: Promise.resolve(), writeMs: 0 };
  /** @type {[any, any, string | null, string | null, string[]][]} */
  const cases = [
    [aLoad(), waiting(), 'ok', null, []],
    [
      aLoad({ ended: never, end: REFUSED }),
      died,
      'failed',
      'the system ended under the load (with code 9)',
      ['last line of the system'],
    ],
    [aLoad({ ended: never, end: REFUSED }), waiting(aborted), 'aborted', 'interrupted', []],
    [
      aLoad({ ended: never, end: REFUSED }),
      waiting({ limitSec: 0.01 }),
      'failed',
      'the load did not end in 0 s',
      ['last line of k6'],
    ],
    [
      aLoad({ ended: never, end: { ...REFUSED, runners: HUNG } }),
      waiting({ limitSec: 0.01 }),
      'failed',
      'runner 3 of 4 did not end in 0 s',
      ['last line of k6'],
    ],
    [aLoad({ end: REFUSED }), waiting(), 'failed', REFUSED.reason, ['last line of the system']],
    [
      aLoad(),
      waiting({ before: () => 'its work was done' }),
      'failed',
      'the load ended before its work was done: k6 ended',
      ['last line of the system'],
    ],
    [
      aLoad(),
      waiting({ problemOf: () => 'the script measured nothing' }),
      'failed',
      'the script measured nothing',
      ['last line of k6'],
    ],
  ];
  for (const [load, how, status, reason, logTail] of cases) {
    const { outcome } = await endOf(load, how);
    assert.deepEqual([outcome.status, outcome.reason, outcome.logTail], [status, reason, logTail]);
    assert.equal(load.asked.closed, 1);
    assert.equal(load.asked.discarded, status === 'ok' ? 1 : 0, 'the log is kept for who looks for a reason');
  }
});

test('a system that ended with the load is said to have ended, whatever k6 says', async () => {
  const { outcome } = await endOf(aLoad(), waiting({}, { running: false }));
  assert.match(String(outcome.reason), /^the system ended under the load/);
});

test('what goes on beside a load and fails ends it, and its error is thrown', async () => {
  const load = aLoad({ ended: never });
  const failing = Promise.reject(new Error('no such order'));
  await assert.rejects(endOf(load, waiting({ failing })), /no such order/);
  assert.equal(load.asked.closed, 1);
});

test('a load goes on once it was measured for as long as is said, or ended before', async () => {
  const before = () => 'the kill';
  const on = aLoad({ ended: never, rate: 100 });
  assert.equal(await endOrUnderLoad(on, waiting({ before }), 1), null);
  assert.equal(on.asked.closed, 0);
  const early = await endOrUnderLoad(aLoad({ end: REFUSED }), waiting({ before }), 1);
  assert.equal(early?.outcome.reason, `the load ended before the kill: ${REFUSED.reason}`);
});

test('of several generators that are told to begin one may be late: the others end, and nobody waits for ever', async () => {
  const load = { ...aLoad({ ended: never }), begin: async () => false };
  const { outcome } = await endOf(load, waiting({ writeMs: 1 }));
  assert.equal(outcome.status, 'ok');
  assert.equal(load.asked.interrupted, 1);
});
