import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseTarget, readSettings } from './environment.js';
import { classOf } from './error-class.js';
import { GAP_SEC, LEAD_SEC, scenariosOf, stepSeconds, windowGroups, windowsOf } from './schedule.js';

/** @type {any} */
const profile = { warmupSec: 2, drive: 'burst', dataset: {} };
/** @type {any} */
const step = { id: 'c10-p4', model: 'closed', vus: 10, depth: 4, durationSec: 9 };
const operations = ['ping', 'increment', 'get'];

test('all operations warm up together, then each is measured alone', () => {
  const windows = windowsOf(profile, step, { operations });
  assert.deepEqual(
    windows.map((w) => [w.phase, w.operations, w.durationSec]),
    [
      ['warmup', operations, 2],
      ['measure', ['ping'], 3],
      ['measure', ['increment'], 3],
      ['measure', ['get'], 3],
    ],
  );
});

test('windows never overlap, so that a virtual user is in one at a time', () => {
  const windows = windowsOf(profile, step, { operations });
  for (const [i, w] of windows.entries()) {
    const next = windows[i + 1];
    if (next) assert.ok(next.startSec >= w.startSec + w.leadSec + w.durationSec + GAP_SEC - 1e-9);
  }
  const last = windows[windows.length - 1];
  const end = last.startSec + LEAD_SEC + last.durationSec + GAP_SEC;
  assert.ok(Math.abs(end - stepSeconds(profile, step, { operations })) < 1e-9);
});

test('scenarios hold the users of the step and end before the next window', () => {
  const scenarios = scenariosOf(windowsOf(profile, step, { operations }));
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
    operations: ['write', 'side', 'seen'],
    windows: [['write'], ['write', 'side', 'seen']],
    users: { side: 'readers', seen: 'ears' },
    received: ['seen'],
    dataset: { readers: 2, ears: 3 },
  };
  const windows = windowsOf({ ...profile, dataset: { ears: 4 } }, step, mix);
  assert.deepEqual(
    windows.map((w) => [w.operations.join(), w.users, w.drive, Number(w.startSec.toFixed(3))]),
    [
      ['write,write,side', 10, 'burst', 0],
      ['write', 10, 'burst', 2.4],
      ['write', 10, 'burst', 7.3],
      ['side', 2, 'burst', 7.3],
      ['seen', 4, 'listen', 7.3],
    ],
  );
  assert.deepEqual(windowGroups(mix, { ...step, model: 'open' }), [['write']]);
  assert.deepEqual(windowGroups({ ...mix, main: 'side' }, { ...step, focus: true }), [['side']]);
});

test('without warm-up there is no such window, and a step may have its own', () => {
  assert.equal(windowsOf({ ...profile, warmupSec: 0 }, step, { operations }).length, 3);
  assert.equal(windowsOf(profile, { ...step, warmupSec: 5 }, { operations })[0].durationSec, 5);
});

test('an address is taken apart, and nonsense is refused with an example', () => {
  assert.deepEqual(parseTarget('scheme://127.0.0.1:6379', ''), {
    url: 'scheme://127.0.0.1:6379',
    host: '127.0.0.1',
    port: 6379,
    transport: 'scheme',
  });
  assert.equal(parseTarget('http://user:secret@[::1]:80/path', 'resp').host, '[::1]');
  assert.throws(() => parseTarget('nowhere', ''), /BASE_URL "nowhere" is no URL such as/);
});

test('a missing variable is named', () => {
  assert.throws(
    () => readSettings({ SYSTEM: 'x', PROFILE: 'smoke' }),
    /-e BASE_URL=… is missing|-e WORKLOAD=…/,
  );
});

test('errors of client libraries are classed, and what is unknown is other', () => {
  assert.equal(classOf('Error: read tcp: i/o timeout'), 'timeout');
  assert.equal(classOf('dial tcp 127.0.0.1:1: connect: connection refused'), 'connect');
  assert.equal(classOf("ERR unknown command 'x'"), 'server');
  assert.equal(classOf('Error: PING answered "x"'), 'protocol');
  assert.equal(classOf('something else'), 'other');
});
