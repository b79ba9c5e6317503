import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GAP_SEC, LEAD_SEC, plan } from './by-time.js';
import { windowGroups } from './facts.js';
import { planInTurn } from './schedule.js';

/** @type {any} */
const profile = { warmupSec: 2, drive: 'burst', dataset: {} };
/** @type {any} */
const step = { id: 'c10-p4', model: 'closed', vus: 10, depth: 4, durationSec: 9 };
const operations = { ping: {}, increment: {}, get: {} };

test('all operations warm up together, then each is measured alone', () => {
  const windows = plan(step, profile, { operations }).windows;
  assert.deepEqual(
    windows.map((w) => [w.phase, w.operations, w.durationSec]),
    [
      ['warmup', ['ping', 'increment', 'get'], 2],
      ['measure', ['ping'], 3],
      ['measure', ['increment'], 3],
      ['measure', ['get'], 3],
    ],
  );
});

test('a step too short for its operations gives each of them as long as k6 takes', () => {
  const { windows } = plan({ ...step, durationSec: 2 }, profile, { operations });
  assert.deepEqual(
    windows.filter((w) => w.phase === 'measure').map((w) => w.durationSec),
    [1, 1, 1],
  );
});

test('windows never overlap, so that a virtual user is in one at a time', () => {
  const windows = plan(step, profile, { operations }).windows;
  for (const [i, w] of windows.entries()) {
    const next = windows[i + 1];
    if (next) assert.ok(next.startSec >= w.startSec + w.leadSec + w.durationSec + GAP_SEC - 1e-9);
  }
  const last = windows[windows.length - 1];
  const end = last.startSec + LEAD_SEC + last.durationSec + GAP_SEC;
  assert.ok(Math.abs(end - plan(step, profile, { operations }).seconds) < 1e-9);
});

test('a thousand users have a second to start before a window opens, and one to return from the one before', () => {
  const many = { ...step, vus: 1000 };
  const { windows, seconds } = plan(many, profile, { operations });
  assert.deepEqual(new Set(windows.map((w) => w.leadSec)), new Set([1]));
  const last = windows[windows.length - 1];
  assert.ok(Math.abs(last.startSec + 1 + last.durationSec + 1 - seconds) < 1e-9);
  const [, first, second] = windows;
  assert.ok(Math.abs(second.startSec - (first.startSec + 1 + first.durationSec + 1)) < 1e-9);
});

test('scenarios hold the users of the step and end before the next window', () => {
  const { scenarios } = plan(step, profile, { operations });
  assert.deepEqual(Object.keys(scenarios), [
    'c10_p4_warmup',
    'c10_p4_measure_ping',
    'c10_p4_measure_increment',
    'c10_p4_measure_get',
  ]);
  const ping = /** @type {any} */ (scenarios.c10_p4_measure_ping);
  assert.equal(ping.executor, 'constant-vus');
  assert.equal(ping.vus, 10);
  assert.equal(ping.duration, '3100ms');
  assert.equal(ping.exec, 'burst');
  assert.ok(Number.parseInt(ping.gracefulStop, 10) < GAP_SEC * 1000);
});

test('a mix shares one window, each part with its own users, and is left out of the open model', () => {
  const mix = {
    operations: {
      write: {},
      'write-mixed': { window: 'mixed' },
      side: { window: 'mixed', users: 'readers' },
      seen: { window: 'mixed', users: 'ears', received: true },
    },
    windows: { mixed: { order: /** @type {const} */ ('together') } },
    dataset: { readers: 2, ears: 3 },
  };
  const windows = plan(step, { ...profile, dataset: { ears: 4 } }, mix).windows;
  assert.deepEqual(
    windows.map((w) => [w.operations.join(), w.users, w.drive, Number(w.startSec.toFixed(3))]),
    [
      ['write,write-mixed,side', 10, 'burst', 0],
      ['write', 10, 'burst', 2.4],
      ['write-mixed', 10, 'burst', 7.3],
      ['side', 2, 'burst', 7.3],
      ['seen', 4, 'listen', 7.3],
    ],
  );
  const of = (/** @type {any} */ facts, /** @type {object} */ more) =>
    windowGroups(facts, { ...step, ...more }).map((g) => g.operations);
  assert.deepEqual(of(mix, { model: 'open' }), [['write']]);
  const known = { ...mix, operations: { ...mix.operations, side: { ...mix.operations.side, main: true } } };
  assert.deepEqual(of(known, { focus: true }), [['side']]);
});

test('without warm-up there is no such window, and a step may have its own', () => {
  assert.equal(plan(step, { ...profile, warmupSec: 0 }, { operations }).windows.length, 3);
  assert.equal(plan({ ...step, warmupSec: 5 }, profile, { operations }).windows[0].durationSec, 5);
});

test('a warm-up that is shorter than a scenario of k6 can be comes right before each window, by its users', () => {
  const { windows, seconds } = plan(step, { ...profile, warmupSec: 0.4 }, { operations });
  assert.deepEqual(
    windows.map((w) => [w.phase, w.leadSec, w.durationSec]),
    Array(3).fill(['measure', 0.4, windows[0].durationSec]),
  );
  assert.ok(Math.abs(seconds - 3 * (0.4 + windows[0].durationSec + GAP_SEC)) < 1e-9);
  const slow = plan(step, { ...profile, warmupSec: 0.4 }, { operations, leadSec: 2 });
  assert.equal(slow.windows[0].leadSec, 2, 'nor is it added to the time that users need to start');
});

test('a summary keeps the figures of what is measured, by the names of this process', () => {
  const names = Object.keys(plan(step, profile, { operations: { get: {} } }).thresholds);
  assert.deepEqual(names, [
    'op_outside_ms{scenario:c10_p4_measure_get}',
    'op_outside_turns{scenario:c10_p4_measure_get}',
    'op_duration{phase:measure,op:get}',
    'op_count{phase:measure,op:get}',
    'op_errors{phase:measure,op:get}',
  ]);
});

test('steps that are started by hand follow one another, each with recorders and keys of its own', () => {
  const second = { ...step, id: 'c20' };
  const both = planInTurn([step, second], profile, { operations }, true);
  const starts = both.windows.map((w) => w.startSec);
  assert.deepEqual(
    starts,
    [...starts].sort((a, b) => a - b),
  );
  assert.deepEqual([...new Set(both.windows.map((w) => w.index))], [0, 1, 2, 3, 4, 5, 6, 7]);
  assert.ok('op_count{phase:measure-c20,op:get}' in both.thresholds);
  assert.equal(Object.keys(both.scenarios).length, 8);
  assert.throws(
    () => planInTurn([step, { ...second, operations: 10 }], profile, { operations }, true),
    /steps of a fixed count run one at a time: -e STEP=… is missing/,
  );
});

test('a target that has nothing to push is not listened to', () => {
  const facts = {
    operations: { write: { window: 'both' }, seen: { window: 'both', received: true } },
    windows: { both: { order: /** @type {const} */ ('together') } },
  };
  const drives = (/** @type {boolean} */ receives) =>
    plan(step, profile, facts, { receives }).windows.map((w) => w.drive);
  assert.deepEqual(drives(true), ['burst', 'burst', 'listen']);
  assert.deepEqual(drives(false), ['burst', 'burst']);
});
