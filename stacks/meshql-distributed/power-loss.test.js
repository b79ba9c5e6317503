import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { newestRun, responder, runCommand, shortProfile, temporaryFolder } from '../../lib/e2e/harness.js';
import { powerLossMissing } from '../../lib/engines/power-loss.js';
import { mountsBelow } from '../../lib/process/mounts.js';
import { obtainNeed } from '../../lib/setup/needs.js';
import { ownStack } from './testing.js';

/** The legacy database, started as the manifest does, on a disk that forgets what was not synced. */
const own = ownStack();
const postgres = own.manifest.native?.companions?.find((c) => c.name === 'postgres');
const [need] = postgres?.needs ?? [];
const found = await obtainNeed(need);
const skip = powerLossMissing() ?? ('problem' in found ? found.problem : false);

const folder = temporaryFolder();
const stacks = join(folder, 'stacks');
const env = { TMPDIR: join(folder, 'tmp') };
mkdirSync(env.TMPDIR);

const RATE_PER_SEC = 200;
const LOAD_SEC = 4;
/** Of 200 ms: who commits without waiting may lose as much three times (PostgreSQL, "Asynchronous Commit"). */
const DECLARED_SEC = 0.6;
/** A database that nothing but the end of its WAL buffers makes write: ten seconds, which the load does not last. */
const NEVER = ['-c', 'wal_writer_delay=10000ms', '-c', 'wal_writer_flush_after=1GB'];

/**
 * Adds a system: counters in that database.
 * @param {string} id
 * @param {import('../../lib/types.d.ts').StackManifest['durability']} durability
 * @param {string[]} more arguments of the database
 */
function addSystem(id, durability, more) {
  const { stack } = responder();
  const path = join(stacks, id);
  mkdirSync(path, { recursive: true });
  const inOwn = (/** @type {string[]} */ command) =>
    command.map((part) => part.replace('{stack}', own.folder));
  const psql = [
    'psql',
    '-h',
    '{host}',
    '-p',
    '{port.postgres}',
    '-U',
    'postgres',
    '-qX',
    '-v',
    'ON_ERROR_STOP=1',
  ];
  const statements = ['CREATE TABLE counters (name text PRIMARY KEY, value bigint)', 'CHECKPOINT'];
  const companion = {
    ...postgres,
    prepare: postgres?.prepare?.map(inOwn),
    start: [...inOwn(postgres?.start ?? []), ...more],
    setup: statements.map((statement) => [...psql, '-c', statement]),
    readBack: undefined,
  };
  writeFileSync(
    join(path, 'stack.json'),
    JSON.stringify({
      title: id,
      origin: 'reference',
      workloads: { counters: { transports: ['resp'] } },
      durability,
      restart: true,
      native: {
        companions: [companion],
        start: [process.execPath, join(own.folder, 'counters-in-postgres.js'), '{port}', '{port.postgres}'],
        env: { PGPASSWORD: '{secret}' },
      },
      endpoint: stack.manifest.endpoint,
      ready: { tcp: { send: 'PING\r\n', expect: '+PONG' }, timeoutSec: 30 },
    }),
  );
  writeFileSync(join(path, 'client.js'), `export { default } from '${join(stack.folder, 'client.js')}';\n`);
}
addSystem('waits', { policy: 'fsync', meaning: 'committed, and its log on disk' }, []);
addSystem('goes-on', { policy: 'fsync-interval', meaning: 'committed, and its log on disk within 0.6 s' }, [
  '-c',
  'synchronous_commit=off',
]);
addSystem('hoards-log', { policy: 'page-cache', meaning: 'committed, and its log on disk some time' }, [
  '-c',
  'synchronous_commit=off',
  ...NEVER,
]);

test('without power a database that waits for its log loses nothing, one that does not what it declares', {
  skip,
}, async () => {
  const reports = join(folder, 'reports');
  const profile = shortProfile(folder, {
    warmupSec: 0,
    dataset: { keys: 200 },
    steps: [
      {
        id: 'paced',
        model: 'open',
        vus: 4,
        ratePerSec: RATE_PER_SEC,
        durationSec: LOAD_SEC,
        kill: true,
        powerLoss: true,
      },
    ],
  });
  const systems = ['--stacks', stacks, '--systems', 'waits,goes-on,hoards-log'];
  const { code, stderr } = await runCommand([profile, ...systems, '--no-live', '--reports', reports], {
    env,
  });
  const { records, report } = newestRun(reports);
  /** @param {string} system */
  const of = (system) => {
    const record = records.find((r) => r.system === system);
    assert.ok(record?.recovery && record.recovery.acked > 0, `${system}: ${record?.reason}\n${stderr}`);
    return record.recovery;
  };
  assert.equal(code, 0, stderr);
  assert.equal(of('waits').lost, 0, JSON.stringify(of('waits')));
  // What is declared, and two seconds for which a busy machine may keep the writer of the log waiting.
  const declared = of('goes-on');
  assert.ok(declared.lost <= (DECLARED_SEC + 2) * RATE_PER_SEC, JSON.stringify(declared));
  assert.ok(declared.recovered > 0, JSON.stringify(declared));
  // The same with a writer that does not come: so the disk does forget, and the others owe what they kept to their syncs.
  assert.ok(of('hoards-log').lost > of('goes-on').lost, JSON.stringify(of('hoards-log')));
  assert.match(report, /\*\*waits\*\* lost nothing after a power cut/);
  assert.deepEqual(mountsBelow(folder), []);
});
