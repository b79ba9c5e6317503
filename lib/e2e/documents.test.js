import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { schemaProblems } from '../config/validate.js';
import { nativeAvailability } from '../engines/index.js';
import { freePort } from '../process/ports.js';
import {
  addSystem,
  CALIBRATED,
  eventually,
  newestRun,
  processesWith,
  responder,
  runCommand,
  shortProfile,
  startCommand,
  systemsOf,
  temporaryFolder,
} from './harness.js';

/** @import { CellRecord } from '../types.d.ts' */

const OPERATIONS = 4000;
const folder = temporaryFolder();
const stacks = join(folder, 'stacks');
mkdirSync(stacks);
/** @type {Partial<import('../types.d.ts').Profile>} */
const DOCUMENTS = {
  workloads: ['documents'],
  steps: [
    { id: 'sequential', model: 'closed', vus: 1, operations: OPERATIONS },
    { id: 'c10', model: 'closed', vus: 10, operations: OPERATIONS },
    { id: 'c10-iterations', model: 'closed', vus: 10, operations: OPERATIONS, drive: 'iteration' },
  ],
};
const profile = shortProfile(folder, DOCUMENTS);

/** @param {string} name @param {string[]} args @param {string} [path] of a profile */
async function measure(name, args, path = profile) {
  const reports = join(folder, name);
  const ended = await runCommand([path, '--stacks', stacks, '--reports', reports, '--no-live', ...args]);
  return { ...ended, ...newestRun(reports) };
}

/** @param {CellRecord} record */
function demandWhole(record) {
  assert.deepEqual(schemaProblems('result', record), []);
  assert.equal(record.status, 'ok', `${record.cell}: ${record.reason}`);
  assert.ok(record.oracle?.ok, `${record.cell}: ${JSON.stringify(record.oracle)}`);
  // Written and deleted, the warm-up's tenth included.
  assert.equal(record.oracle?.acked, OPERATIONS * 2 * 1.1);
  assert.equal(record.oracle?.stored, record.oracle?.acked);
  assert.deepEqual(Object.keys(record.operations), ['set', 'get', 'del']);
  for (const [name, o] of Object.entries(record.operations)) {
    assert.equal(o.count, OPERATIONS, `${record.cell} ${name}`);
    assert.equal(
      Object.values(o.errors).reduce((s, n) => s + n, 0),
      0,
    );
    const rate = (o.count * 1000) / o.durationMs;
    assert.ok(Math.abs(o.ratePerSec - rate) < 0.01 * rate, 'the rate is that of the window');
  }
}

test('every system of documents that this machine can run writes, reads back and deletes each document', async () => {
  const calibrated = join(folder, 'calibrated');
  mkdirSync(calibrated);
  const path = shortProfile(calibrated, { ...DOCUMENTS, calibration: CALIBRATED });
  const { code, stderr, records, report } = await measure('real', [], path);
  assert.ok(code === 0 || code === 4, stderr);
  const own = records.filter((r) => r.role === 'system');
  const expected = systemsOf('documents').filter(
    (s) => !s.profiles && nativeAvailability(s).state === 'ready',
  );
  assert.deepEqual([...new Set(own.map((r) => r.system))].sort(), expected.map((s) => s.id).sort());
  assert.ok(own.some((r) => r.variant !== 'default' && r.system.endsWith(`@${r.variant}`)));
  for (const record of own) demandWhole(record);
  for (const record of records.filter((r) => r.role === 'calibration')) {
    const failed = Object.values(record.operations).flatMap((o) => Object.values(o.errors));
    assert.equal(
      failed.reduce((s, n) => s + n, 0),
      0,
      `${record.cell}: constants are right answers of a ceiling`,
    );
  }

  assert.equal(new Set(own.map((r) => r.dataset?.sha256)).size, 1, 'the same documents for all');
  assert.ok(Math.abs(Number(own[0].dataset?.meanBytes) - 1024) < 0.05 * 1024);
  for (const { footprint, cell, variant } of own.filter((r) => r.step.id === 'sequential')) {
    assert.equal(footprint?.problem, null, cell);
    assert.equal(footprint?.rawBytes, own[0].dataset?.bytes);
    assert.ok(Number(footprint?.before.ownBytes) >= 0, cell);
    if (variant === 'default') continue;
    assert.ok(
      Number(footprint?.before.diskBytes) > 0.5 * Number(footprint?.rawBytes),
      `${cell}: its log is on disk`,
    );
    assert.ok(
      Number(footprint?.after?.diskBytes) < Number(footprint?.before.diskBytes),
      `${cell}: compacted`,
    );
  }
  for (const title of ['Documents over resp', 'CPU per operation', 'Documents: size of the stored data'])
    assert.match(report, new RegExp(`### ${title}`));
  assert.match(report, /standard deviation/);
});

test('the product’s own protocol is spoken to a server that is reached by URL', async () => {
  const { build } = responder();
  const stack = systemsOf('documents').find((s) => s.manifest.workloads.documents.transports.length > 1);
  assert.ok(stack);
  const [transport] = stack.manifest.workloads.documents.transports;
  const port = await freePort();
  const server = spawn(join(build.output, 'null'), [`--${transport}`, `127.0.0.1:${port}`, '--counting']);
  after(() => server.kill());
  const { code, stderr, records, report } = await measure('by-url', [
    ...['--systems', stack.id, '--endpoint', `${stack.id}=${transport}://127.0.0.1:${port}`],
  ]);
  server.kill();
  assert.ok(code === 0 || code === 3 || code === 4, stderr);
  const own = records.filter((r) => r.role === 'system' && r.transport === transport);
  assert.equal(own.length, 3);
  for (const record of own) {
    demandWhole(record);
    assert.equal(record.engine, 'external');
    assert.equal(record.resources.system, null);
  }
  const footprint = own.find((r) => r.step.id === 'sequential')?.footprint;
  const raw = Number(footprint?.rawBytes);
  assert.ok(Number(footprint?.before.ownBytes) > raw, 'its own counter holds documents and keys');
  assert.equal(
    footprint?.before.diskBytes,
    null,
    'what cannot be seen is null, with its reason in the report',
  );
  assert.match(report, /n\/a: no access to the server's disk/);
});

test('a responder that loses one in a thousand acknowledged documents is caught', async () => {
  addSystem(stacks, 'forgetful', { args: ['--drop-every', '1000'] });
  const { code, stderr, records, report } = await measure('forgetful', ['--systems', 'forgetful']);
  assert.equal(code, 4, stderr);
  const own = records.filter((r) => r.role === 'system');
  assert.equal(own.length, 3);
  for (const { oracle, verdict, cell } of own) {
    assert.equal(oracle?.ok, false, cell);
    const lost = Number(oracle?.acked) - Number(oracle?.stored);
    assert.ok(lost >= 3 && lost <= 6, `${cell}: ${lost} lost of ${OPERATIONS * 1.1} written`);
    assert.ok(
      verdict.reasons.some((r) => r.code === 'oracle'),
      cell,
    );
  }
  assert.match(report, /none: [^|]*wrong state after the load/);
});

test('a responder that answers with another document is caught', async () => {
  addSystem(stacks, 'liar', { args: ['--wrong-every', '1000'] });
  const { code, stderr, records } = await measure('liar', ['--systems', 'liar']);
  assert.equal(code, 4, stderr);
  for (const { oracle, verdict, operations } of records.filter((r) => r.role === 'system')) {
    assert.equal(oracle?.ok, false);
    assert.ok(verdict.reasons.some((r) => r.code === 'oracle'));
    assert.ok(operations.get.errors.protocol > 0);
  }
});

test('--operations replaces every count', async () => {
  const { stdout } = await runCommand([
    profile,
    ...['--stacks', stacks, '--systems', 'liar', '--operations', '1500', '--dry-run', '--json', '--no-live'],
  ]);
  const plan = JSON.parse(stdout);
  const steps = plan.trials.flatMap((/** @type {any} */ t) => t.cells.map((/** @type {any} */ c) => c.step));
  assert.ok(steps.length > 0);
  assert.ok(steps.every((/** @type {any} */ s) => s.operations === 1500 && s.durationSec === undefined));
});

test('a server that stops answering ends the cell by name, not the run', async () => {
  addSystem(stacks, 'brittle', { args: ['--die-after', '3000'] });
  const { code, stderr, records } = await measure('brittle', ['--systems', 'brittle']);
  assert.equal(code, 3, stderr);
  const own = records.filter((r) => r.role === 'system');
  assert.ok(
    own.every((r) => r.status === 'failed' && r.reason),
    JSON.stringify(own.map((r) => r.reason)),
  );
  assert.match(readFileSync(join(newestRun(join(folder, 'brittle')).folder, 'README.md'), 'utf8'), /failed/);
});

test('Ctrl-C in the middle of a count ends the run with what was measured, and nothing is left', async () => {
  addSystem(stacks, 'counted-on', { args: ['--delay', '1ms'] });
  const reports = join(folder, 'stopped');
  mkdirSync(reports);
  const path = shortProfile(reports, {
    workloads: ['documents'],
    steps: [
      { id: 'sequential', model: 'closed', vus: 1, operations: 500 },
      { id: 'c10', model: 'closed', vus: 10, operations: 100_000 },
    ],
  });
  const args = ['--stacks', stacks, '--systems', 'counted-on', '--reports', reports, '--no-live'];
  const run = startCommand([path, ...args]);
  await run.says(/counted-on +1 user.* repeat 1 .*\[1\/2\]/);
  assert.ok(await eventually(() => processesWith(reports).length > 1, 30_000));
  await new Promise((resolve) => setTimeout(resolve, 3000));
  run.child.kill('SIGINT');
  assert.equal((await run.ended).code, 130);
  const { records, report } = newestRun(reports);
  assert.match(report, /Partial run/);
  assert.deepEqual(
    records.map((r) => [r.system, r.step.id, r.status]),
    [
      ['counted-on', 'sequential', 'ok'],
      ['counted-on', 'c10', 'aborted'],
    ],
  );
  assert.ok(await eventually(() => processesWith('counted-on').length === 0), 'its server is left');
});
