/** Processes that leave the process group of their system: they end with their system, however the run ends. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  addSystem,
  eventually,
  nothingIsLeft,
  processesWith,
  responder,
  runCommand,
  shortProfile,
  startCommand,
  temporaryFolder,
} from './harness.js';

const folder = temporaryFolder();
const stacks = join(folder, 'stacks');
const BINARY = join(responder().build.output, 'null');
/** So many seconds that no other process sleeps as long. */
const asleep = String(1e6 + process.pid);
const leaving = (/** @type {string} */ then) => [
  'sh',
  '-c',
  `setsid sleep ${asleep} & setsid sh -c 'sleep ${asleep} & wait' & ${then}`,
  'sh',
];
const native = (/** @type {string} */ then) => ({
  native: { start: [...leaving(then), BINARY, '--resp', '127.0.0.1:{port}', '--counting'] },
});
addSystem(stacks, 'escaping', { more: native('exec "$@"') });
addSystem(stacks, 'never-ready', {
  ready: { tcp: { send: 'PING\r\n', expect: '+PONG' }, timeoutSec: 1 },
  more: native('sleep 600'),
});
addSystem(stacks, 'dying', { more: native('"$@" & sleep 8; kill $!') });
const skip = process.platform !== 'linux' && 'needs /proc';

/** @param {string} name of the reports folder @param {string} system @param {number} [durationSec] */
function runOf(name, system, durationSec = 3) {
  const profile = shortProfile(folder, {
    warmupSec: 0,
    steps: [{ id: 'c2', model: 'closed', vus: 2, durationSec }],
  });
  return [profile, '--stacks', stacks, '--no-live', '--systems', system, '--reports', join(folder, name)];
}

const isMeasured = () => eventually(() => processesWith('SYSTEM=escaping').length > 0, 60_000);

/** @param {import('./harness.js').Ended} ended @param {number[]} codes */
async function leftNothing({ code, stderr }, codes) {
  assert.ok(codes.includes(Number(code)), `exit ${code}\n${stderr}`);
  assert.doesNotMatch(stderr, /\n\s+at .*:\d+:\d+/);
  await nothingIsLeft(asleep, folder);
}

test('a process in a session of its own ends with its system', { skip }, async () => {
  const run = startCommand(runOf('whole', 'escaping'));
  assert.ok(await isMeasured(), run.stderr());
  assert.ok(processesWith(asleep).length >= 3, 'none has escaped: the test tries nothing');
  await leftNothing(await run.ended, [0, 4]);
});

test('it ends when a signal ends the run, the second one at once too', { skip }, async () => {
  for (const [name, signals] of /** @type {[string, NodeJS.Signals[]][]} */ ([
    ['interrupted', ['SIGINT']],
    ['terminated', ['SIGTERM']],
    ['twice', ['SIGINT', 'SIGINT']],
  ])) {
    const run = startCommand(runOf(name, 'escaping', 20));
    assert.ok(await isMeasured(), run.stderr());
    assert.ok(processesWith(asleep).length >= 3);
    for (const signal of signals) {
      run.child.kill(signal);
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
    await leftNothing(await run.ended, [130]);
  }
});

test('it ends with a system that is never ready, and with one that dies', { skip }, async () => {
  await leftNothing(await runCommand(runOf('never', 'never-ready')), [3]);
  await leftNothing(await runCommand(runOf('died', 'dying', 20)), [3]);
});
