import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  appendOnlyServer,
  newestRun,
  runCommand,
  shortProfile,
  startResponder,
  systemsOf,
  temporaryFolder,
} from './harness.js';

/** A system of one's own, by the commands that the README shows: as a folder, and as an address that speaks like another one. */
const folder = temporaryFolder();
/** No folder of the checkout is called so. */
const NAME = 'keydb';

/** @param {string} reports @param {string} system */
function demandMeasured(reports, system) {
  const { records, report } = newestRun(reports);
  const own = records.filter((r) => r.system === system);
  assert.equal(own.length, 1);
  assert.equal(own[0].status, 'ok', String(own[0].reason));
  assert.deepEqual([own[0].oracle?.ok, own[0].oracle?.stored], [true, own[0].oracle?.acked]);
  assert.ok((own[0].oracle?.acked ?? 0) > 100);
  assert.ok(report.includes(system));
}

test('`new` writes a folder that passes the check and runs', async (t) => {
  const like = appendOnlyServer();
  if (!like) return t.skip('no real server of counters is here: ./run-all.sh smoke gets one');
  const stacks = join(folder, 'stacks');
  const made = await runCommand(['new', NAME, '--like', like.id, '--stacks', stacks]);
  assert.equal(made.code, 0, made.stderr);
  assert.deepEqual(readdirSync(stacks), [NAME]);
  const checked = await runCommand(['check', '--stacks', stacks]);
  assert.equal(checked.code, 0, checked.stderr);
  const reports = join(folder, 'new');
  const profile = shortProfile(folder);
  const { code, stderr } = await runCommand([
    ...[profile, '--stacks', stacks, '--systems', NAME, '--engine', 'native', '--reports', reports],
    '--no-live',
  ]);
  assert.ok(code === 0 || code === 4, stderr);
  demandMeasured(reports, NAME);
});

test('--endpoint NAME:SYSTEM=URL measures what speaks like a system, under a name of its own', async (t) => {
  const server = await startResponder();
  t.after(() => server.stop());
  const [like] = systemsOf('counters');
  const url = `${like.manifest.endpoint.url.split(':')[0]}://127.0.0.1:${server.port}`;
  const reports = join(folder, 'endpoint');
  const profile = shortProfile(folder);
  const { code, stderr } = await runCommand([
    ...[profile, '--endpoint', `${NAME}:${like.id}=${url}`, '--systems', NAME, '--reports', reports],
    '--no-live',
  ]);
  assert.ok(code === 0 || code === 4, stderr);
  demandMeasured(reports, NAME);
});
