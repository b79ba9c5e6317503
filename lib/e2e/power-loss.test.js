import assert from 'node:assert/strict';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { powerLossMissing } from '../engines/power-loss.js';
import { mountsBelow } from '../process/mounts.js';
import {
  appendOnlyServer,
  eventually,
  newestRun,
  processesWith,
  runCommand,
  shortProfile,
  startCommand,
  temporaryFolder,
} from './harness.js';

const folder = temporaryFolder();
const stacks = join(folder, 'stacks');
/** Systems' folders of these tests alone, so that what is mounted there is theirs. */
const env = { TMPDIR: join(folder, 'tmp') };
mkdirSync(env.TMPDIR);
const RATE_PER_SEC = 500;
const cut = { kill: true, powerLoss: true };
const paced = { id: 'paced', model: /** @type {const} */ ('open'), vus: 4, ratePerSec: RATE_PER_SEC };

const server = appendOnlyServer();
const skip = powerLossMissing() ?? (server ? false : 'no server with an append-only file is here');

/** @param {string} id @param {Record<string, string>} settings */
function variant(id, settings) {
  if (!server) return;
  const path = join(stacks, id);
  mkdirSync(path, { recursive: true });
  const manifest = {
    ...server.manifest,
    title: id,
    settings: { ...server.manifest.settings, ...settings },
    variants: undefined,
    docker: undefined,
    workloads: { counters: { transports: ['resp'] } },
  };
  writeFileSync(join(path, 'stack.json'), JSON.stringify(manifest));
  writeFileSync(join(path, 'client.js'), `export { default } from '${join(server.folder, 'client.js')}';\n`);
}
variant('never', {});
variant('everysec', { appendonly: 'yes', appendfsync: 'everysec' });
variant('always', { appendonly: 'yes', appendfsync: 'always' });

test('without power goes what was not synced: everything, about a second, nothing, as each setting says', {
  skip,
}, async () => {
  const reports = join(folder, 'reports');
  const profile = shortProfile(folder, { warmupSec: 0, steps: [{ ...paced, durationSec: 3, ...cut }] });
  const { code, stderr } = await runCommand(
    [
      profile,
      ...['--stacks', stacks, '--systems', 'never,everysec,always', '--no-live', '--reports', reports],
    ],
    { env },
  );
  assert.equal(code, 0, stderr);
  const { records, report } = newestRun(reports);
  /** @param {string} system */
  const of = (system) => {
    const record = records.find((r) => r.system === system);
    assert.ok(record?.recovery && record.recovery.acked > RATE_PER_SEC, `${system}: ${record?.reason}`);
    return record.recovery;
  };
  assert.equal(of('never').recovered, 0);
  assert.equal(of('always').lost, 0);
  // A second as it is declared, and the one that its sync may take.
  assert.ok(of('everysec').lost <= 2 * RATE_PER_SEC, JSON.stringify(of('everysec')));
  assert.ok(of('everysec').recovered > 0);
  assert.match(report, /\*\*always\*\* lost nothing after a power cut/);
  assert.match(report, /, power cut \|/);
  assert.deepEqual(mountsBelow(folder), []);
});

test('what a runner and its disk leave mounted when both are killed outright is taken away by `clean`', {
  skip,
}, async () => {
  const profile = shortProfile(folder, { warmupSec: 0, steps: [{ ...paced, durationSec: 20, ...cut }] });
  const args = ['--stacks', stacks, '--systems', 'always', '--no-live', '--reports', join(folder, 'killed')];
  const run = startCommand([profile, ...args], { env });
  assert.ok(await eventually(() => mountsBelow(folder).length === 1, 30_000));
  const [mount] = mountsBelow(folder);
  const disks = processesWith(join(dirname(mount), 'synced'));
  assert.equal(disks.length, 1);
  process.kill(disks[0], 'SIGKILL');
  run.child.kill('SIGKILL');
  await run.ended;
  assert.deepEqual(mountsBelow(folder), [mount]);
  const { code, stdout, stderr } = await runCommand(['clean'], { env });
  assert.equal(code, 0, stderr);
  assert.match(`${stdout}${stderr}`, /unmounted /);
  assert.deepEqual(mountsBelow(folder), []);
  assert.equal(existsSync(dirname(mount)), false);
});
