import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { demandReady } from '../../lib/engines/demand-ready.js';
import { namedByGiven } from '../../lib/engines/given.js';
import { launch, startNative } from '../../lib/engines/native.js';
import { ownName } from '../../lib/process/own-name.js';
import { ofGroups, processTable } from '../../lib/process/table.js';
import { runTool } from '../../lib/process/tool.js';
import { obtainNeed } from '../../lib/setup/needs.js';
import { standIn, systemHere } from './testing.js';

/** @import { Launched } from '../../lib/engines/native.js' */

const folder = mkdtempSync(join(tmpdir(), 'lb-convex-pg-'));
after(() => rmSync(folder, { recursive: true, force: true }));
process.env.CONVEX_BIN = standIn(join(folder, 'named'));
const tuned = systemHere('convex@tuned');
const [postgres] = tuned.manifest.native?.companions ?? [];
const [need] = postgres.needs ?? [];
const found = await obtainNeed(need);
const skip = 'problem' in found ? found.problem : false;
// Where initdb is found there is a program of the backend's name, too, which is not the one that the user named.
const onPath = join(folder, 'on-path');
mkdirSync(onPath);
writeFileSync(join(onPath, 'convex-local-backend'), '#!/bin/sh\nexit 9\n', { mode: 0o755 });
if ('found' in found) symlinkSync(realpathSync(found.found.path), join(onPath, 'initdb'));
process.env.PATH = [onPath, process.env.PATH].join(delimiter);
const options = () => ({ transport: 'http', signal: AbortSignal.timeout(60_000) });

/** @param {Launched} system @returns {number[]} PostgreSQL’s processes, each of which leads a group of its own */
const serversOf = ({ companions }) =>
  ofGroups(processTable() ?? [], companions.pgids()).map(({ pid }) => pid);

/** @param {number[]} pids @returns {Promise<number[]>} those that are still there after a while */
async function leftOf(pids) {
  let left = pids;
  for (let tries = 0; left.length > 0 && tries < 100; tries++) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    left = left.filter((pid) => existsSync(`/proc/${pid}`));
  }
  return left;
}

describe('the tuned system, with a program in the place of the backend', { skip }, () => {
  /** @type {Launched} */
  let system;
  before(async () => {
    system = await launch(tuned, options());
    const { child, port } = system;
    await demandReady(tuned.id, child, { ...options(), check: tuned.manifest.ready, port });
  });
  after(() => system?.end());

  test('the backend is given a database of its own in PostgreSQL, and no right beside it', async () => {
    const words = readFileSync(`/proc/${system.child.pid}/cmdline`, 'utf8').split('\0');
    assert.ok(words.includes(String(process.env.CONVEX_BIN)), words.join(' '));
    assert.equal(words[words.indexOf('--db') + 1], 'postgres-v5');
    assert.ok(words.includes('--do-not-require-ssl'));
    const address = words.find((word) => word.startsWith('postgresql:'));
    const name = words[words.indexOf('--instance-name') + 1].replaceAll('-', '_');
    const ask = (/** @type {string} */ statement) =>
      runTool(['psql', '-qXAt', '-d', `${address}/${name}`, '-c', statement], { env: system.env });
    const made = await ask('CREATE TABLE t (a int); INSERT INTO t VALUES (7) RETURNING a');
    assert.equal(made.stdout.trim(), '7', made.stderr);
    assert.match((await ask(`COPY t FROM PROGRAM 'id -u'`)).stderr, /must be superuser/);
    assert.equal(system.env.POSTGRES_MAX_CONNECTIONS, '64');
  });

  test('what it promises of PostgreSQL is read from it, and its version is told', async () => {
    assert.deepEqual(await system.companions.readBack(), []);
    const [{ manifest }] = await namedByGiven([tuned]);
    assert.match(String(manifest.traits?.postgres), /^\d+\.\d+$/);
    assert.equal(manifest.traits?.storage, 'PostgreSQL');
  });

  test('nothing is left of either when it ends', async () => {
    const pids = [system.child.pid, ...serversOf(system)];
    assert.ok(pids.length > 5, 'its helper processes are counted');
    await system.end();
    assert.deepEqual(await leftOf(pids), []);
    assert.equal(existsSync(system.data), false);
  });
});

test('nothing is left of PostgreSQL when the backend ends while it starts', { skip }, async () => {
  const native = { ...tuned.manifest.native, start: ['sh', '-c', 'exit 3'] };
  const broken = /** @type {typeof tuned} */ ({ ...tuned, manifest: { ...tuned.manifest, native } });
  await assert.rejects(startNative(broken, options()), /convex@tuned ended while starting/);
  const ours = (processTable() ?? []).filter(({ ppid }) => ppid === process.pid);
  assert.deepEqual(ours, []);
  assert.deepEqual(
    readdirSync(tmpdir()).filter((name) => name.startsWith(ownName(tuned.id))),
    [],
  );
});

test('nothing is left of PostgreSQL when the runner is killed', { skip }, async () => {
  const runner = spawn(process.execPath, ['--input-type=module', '-e', RUNNER], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await once(runner.stdout, 'data');
  const { pids, data } = JSON.parse(String(line));
  assert.ok(pids.length > 5);
  runner.kill('SIGKILL');
  assert.deepEqual(await leftOf(pids), []);
  // What a killed runner leaves is files alone, for `clean`.
  rmSync(data, { recursive: true });
});

/** Starts the system and prints its processes and its folder. */
const RUNNER = `
import { launch } from '${import.meta.resolve('../../lib/engines/native.js')}';
import { ofGroups, processTable } from '${import.meta.resolve('../../lib/process/table.js')}';
import { systemHere } from '${import.meta.resolve('./testing.js')}';
const { child, companions, data } = await launch(systemHere('convex@tuned'), { transport: 'http', signal: AbortSignal.timeout(60000) });
const pids = ofGroups(processTable(), [child.pid, ...companions.pgids()]).map((p) => p.pid);
console.log(JSON.stringify({ pids, data }));
`;
