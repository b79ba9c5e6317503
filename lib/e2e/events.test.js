import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { schemaProblems } from '../config/validate.js';
import { nativeAvailability } from '../engines/index.js';
import { failedOf } from '../judge/schedule.js';
import { freePort } from '../process/ports.js';
import {
  addHttpSystem,
  CALIBRATED,
  newestRun,
  runCommand,
  shortProfile,
  systemsOf,
  temporaryFolder,
} from './harness.js';

const folder = temporaryFolder();
const stacks = join(folder, 'stacks');
const SERVER = fileURLToPath(new URL('./events-server.js', import.meta.url));

/** @param {string} id @param {string[]} args */
const addServer = (id, args = []) =>
  addHttpSystem(stacks, id, { client: '_ingest', workloads: ['events'], start: [SERVER, '{port}', ...args] });
/** One that stores each but every n-th event and lies to nobody; nobody asks it for speed. @param {number} [dropEvery] */
const unhurried = (dropEvery = 0) => [String(dropEvery), '0', '', '0', 'none'];
addServer('honest', unhurried());
addServer('mutant', unhurried(1000));

/** @param {string} name @param {string} systems @param {object[]} steps @param {string[]} [more] */
async function measure(name, systems, steps, more = []) {
  const reports = join(folder, name);
  const profile = shortProfile(folder, {
    steps: /** @type {any} */ (steps),
    workloads: ['events'],
    ...(name === 'honest' ? { calibration: CALIBRATED } : {}),
  });
  const ended = await runCommand([
    profile,
    ...['--systems', systems, '--stacks', stacks, '--reports', reports, '--no-live'],
    ...more,
  ]);
  return { ...ended, reports, ...newestRun(reports) };
}

const TIMED = { id: 'c4', model: 'closed', vus: 4, durationSec: 6 };

test('batches, single events and the mix are measured, and what is stored is what was acknowledged', async () => {
  const counted = { id: 'c4-n', model: 'closed', vus: 4, operations: 400, warmupOperations: 10, focus: true };
  const {
    code,
    stderr,
    folder: run,
    records,
    report,
    reports,
  } = await measure('honest', 'honest', [
    TIMED,
    counted,
    { id: 'it', model: 'closed', vus: 2, durationSec: 3, drive: 'iteration' },
  ]);
  assert.ok(code === 0 || code === 4, stderr);
  for (const record of records) {
    assert.deepEqual(schemaProblems('result', record), [], record.cell);
    assert.equal(record.status, 'ok', `${record.cell}: ${record.reason}`);
    if (record.role === 'system') assert.ok(record.oracle?.ok, JSON.stringify(record.oracle));
    for (const [op, o] of Object.entries(record.operations))
      assert.equal(
        Object.values(o.errors).reduce((s, n) => s + n, 0),
        0,
        `${record.cell} ${op}`,
      );
  }
  const of = (/** @type {string} */ id) => records.find((r) => r.role === 'system' && r.step.id === id);
  const timed = of('c4')?.operations ?? {};
  assert.deepEqual(Object.keys(timed).sort(), [
    'batch',
    'mixed-batch',
    'mixed-delivery',
    'mixed-query',
    'single',
  ]);
  assert.equal(timed.batch.itemsPerOp, 50);
  assert.equal(timed['mixed-query'].users, 2);
  const pushed = timed['mixed-delivery'].count / (timed['mixed-batch'].count * 50 * 4);
  assert.ok(pushed > 0.9 && pushed < 1.1, `${pushed} of the events were pushed to 4 clients`);
  assert.deepEqual(Object.keys(of('c4-n')?.operations ?? {}), ['batch']);
  const counted400 = of('c4-n')?.operations.batch;
  assert.equal(counted400?.count, 400);
  // Each user was there for no longer than the window, and busy nearly all of that time.
  const presentMs = Number(counted400?.presentMs);
  assert.ok(presentMs > 0 && presentMs <= 4 * Number(counted400?.durationMs) + 0.01, `${presentMs} ms`);
  const busyMs = 400 * Number(counted400?.serviceMs?.mean);
  assert.ok(busyMs > 0.95 * presentMs && busyMs < 1.001 * presentMs, `${busyMs} of ${presentMs} ms`);
  assert.ok((of('it')?.operations.batch.count ?? 0) > 10, 'one operation for each iteration works too');
  assert.match(report, /\| batch: \*\*events\/s\*\* \|/);
  assert.match(report, /clients of the live stream received/);
  const verified = await runCommand(['report', run, '--reports', reports, '--verify']);
  assert.equal(verified.code, 0, verified.stderr);
});

test('a server that loses one in a thousand acknowledged events is caught', async () => {
  const { code, records, stderr } = await measure('mutant', 'mutant', [
    { ...TIMED, focus: true, durationSec: 3 },
  ]);
  assert.equal(code, 4, stderr);
  const record = records.find((r) => r.role === 'system');
  assert.equal(record?.oracle?.ok, false);
  const lost = Number(record?.oracle?.acked) - Number(record?.oracle?.stored);
  const expected = Number(record?.oracle?.acked) / 1000;
  assert.ok(Math.abs(lost - expected) <= expected * 0.05 + 2, `${lost} lost, about ${expected} expected`);
});

test('a server by its address, which keeps what every repeat stored, meets no id twice', async (t) => {
  const port = await freePort();
  const server = spawn(process.execPath, [SERVER, String(port), ...unhurried()]);
  t.after(() => server.kill());
  const again = ['--endpoint', `honest=http://127.0.0.1:${port}`, '--repeats', '2'];
  const { records, stderr } = await measure(
    'again',
    'honest',
    [{ ...TIMED, focus: true, durationSec: 3 }],
    again,
  );
  const own = records.filter((r) => r.role === 'system');
  assert.deepEqual(
    own.map(({ status, reason, oracle }) => [status, reason, oracle?.ok]),
    [
      ['ok', null, true],
      ['ok', null, true],
    ],
    stderr,
  );
  assert.ok(
    own.every((r) => r.operations.batch.count > 100 && failedOf(r.operations.batch) === 0),
    'a batch with an id that is there already would fail',
  );
});

test('a server that lets another one say what is stored is not believed, and the other is never asked', async (t) => {
  let asked = 0;
  const other = createServer((_request, response) => {
    asked++;
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"events": 0, "nextCursor": null}');
  });
  await new Promise((resolve) => other.listen(0, '127.0.0.1', () => resolve(null)));
  t.after(() => other.close());
  const { port } = /** @type {import('node:net').AddressInfo} */ (other.address());
  addServer('sending', ['0', String(port)]);
  const { code, records, stderr } = await measure('sending', 'sending', [
    { ...TIMED, focus: true, durationSec: 3 },
  ]);
  assert.equal(code, 3, stderr);
  const record = records.find((r) => r.role === 'system');
  assert.equal(record?.status, 'failed', JSON.stringify(record?.oracle));
  assert.equal(asked, 0);
});

test('the real servers keep every acknowledged event under the mix', async (t) => {
  const own = systemsOf('events');
  const here = own.filter((s) => nativeAvailability(s).state !== 'unavailable');
  if (here.length === 0) return t.skip('none of the servers can be built here');
  const { records, stderr } = await measure('real', here.map((s) => s.id).join(','), [
    { ...TIMED, durationSec: 3 },
  ]);
  const measured = records.filter((r) => r.role === 'system');
  assert.equal(measured.length, here.length, stderr);
  for (const record of measured) {
    assert.equal(record.status, 'ok', `${record.cell}: ${record.reason}`);
    assert.ok(record.oracle?.ok && Number(record.oracle.acked) > 1000, JSON.stringify(record.oracle));
    assert.ok((record.operations['mixed-delivery']?.count ?? 0) > 100);
  }
});
