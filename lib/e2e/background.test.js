import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  addSystem,
  newestRun,
  processesWith,
  responder,
  runCommand,
  shortProfile,
  temporaryFolder,
} from './harness.js';

const folder = temporaryFolder();
const stacks = join(folder, 'stacks');

/** Counts to itself at the rate that it is given, and says so when it is told to end. */
const FEED = `
const startedAt = Date.now();
process.on('SIGTERM', () => {
  const seconds = (Date.now() - startedAt) / 1000;
  const count = Math.round(seconds * Number(process.env.RATE_PER_SEC));
  const latencyMs = { p50: 1, p90: 2, p99: 3, max: Number(process.env.PORT_STORE) };
  console.log(JSON.stringify({ count, seconds, latencyMs, mostLag: 1, drainMs: 0 }));
  process.exit(0);
});
setInterval(() => {}, 1000);
`;

test('busy steps carry what ran beside them, idle ones and other systems nothing', async () => {
  const { build } = responder();
  const binary = join(build.output, 'null');
  const serve = (/** @type {string} */ port) => [binary, '--resp', `127.0.0.1:{${port}}`, '--counting'];
  const feed = join(folder, 'feed.mjs');
  writeFileSync(feed, FEED);
  const ready = { tcp: { send: 'PING\r\n', expect: '+PONG' }, timeoutSec: 10 };
  const native = {
    start: serve('port'),
    companions: [{ name: 'store', start: serve('port.store'), ready }],
  };
  const background = { title: 'rows fed', command: [process.execPath, feed] };
  addSystem(stacks, 'fed', { more: { native, background } });
  addSystem(stacks, 'plain');
  const step = { model: /** @type {const} */ ('closed'), vus: 4, durationSec: 3 };
  const busy = { ...step, id: 'busy', background: { ratePerSec: 40 } };
  const profile = shortProfile(folder, { steps: [{ ...step, id: 'idle' }, busy] });
  const reports = join(folder, 'reports');
  const args = [profile, '--stacks', stacks, '--reports', reports, '--no-live'];
  const { code, stderr } = await runCommand([...args, '--systems', 'fed,plain']);
  assert.ok(code === 0 || code === 4, stderr);
  const records = newestRun(reports).records.filter((r) => r.role === 'system');
  const done = records.map((r) => `${r.system} ${r.step.id} ${r.status}`).sort();
  assert.deepEqual(done, ['fed busy ok', 'fed idle ok', 'plain idle ok']);
  const [fed] = records.filter((r) => r.background);
  assert.equal(`${fed.system} ${fed.step.id}`, 'fed busy');
  assert.deepEqual([fed.background?.title, fed.background?.targetPerSec], ['rows fed', 40]);
  assert.ok(Math.abs(Number(fed.background?.ratePerSec) - 40) < 1);
  assert.ok(Number(fed.background?.latencyMs?.max) > 1024, 'it knows the ports of the companions');
  assert.equal(records.filter((r) => r.background).length, 1);
  assert.deepEqual(processesWith(feed), []);
});
