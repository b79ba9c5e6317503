import assert from 'node:assert/strict';
import { chmodSync, cpSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { launch } from '../../lib/engines/native.js';
import { runTool } from '../../lib/process/tool.js';
import { obtainNeed } from '../../lib/setup/needs.js';
import { ownStack, processesIn } from './testing.js';

/** @import { Launched } from '../../lib/engines/native.js' */

/** The legacy database alone, as the manifest starts it. */
const stack = ownStack();
const postgres = stack.manifest.native?.companions?.find((c) => c.name === 'postgres');
const [need] = postgres?.needs ?? [];
const alone = /** @type {typeof stack} */ ({
  ...stack,
  manifest: {
    ...stack.manifest,
    native: { start: ['sleep', '600'], needs: [need], companions: [postgres] },
  },
});

const found = await obtainNeed(need);
const skip = 'problem' in found ? found.problem : false;
const root = process.getuid?.() === 0;

/** @param {number} pid */
function uidsOf(pid) {
  const line = /^Uid:\t(.*)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? '';
  return line.split('\t').map(Number);
}

/** @param {Launched} database @param {string} statement @param {{secret?: string, as?: string}} [by] */
function ask({ companions, env }, statement, { secret, as } = {}) {
  const other = as ? ['setpriv', '--reuid', as, '--regid', as, '--clear-groups', '--'] : [];
  const where = ['-h', '127.0.0.1', '-p', companions.variables.PORT_POSTGRES, '-U', 'postgres'];
  return runTool([...other, 'psql', ...where, '-qXAtw', '-c', statement], {
    env: { ...env, PGPASSWORD: secret, PGPASSFILE: '/dev/null' },
  });
}

/** @param {Launched} database */
const servers = ({ data }) =>
  processesIn(join(data, 'postgres')).filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/comm`, 'utf8').startsWith('postgres');
    } catch {
      return false; // A back end of a connection just closed.
    }
  });

describe('the legacy database lets in whoever knows its password', { skip }, () => {
  /** @type {Launched} */
  let database;
  before(async () => {
    database = await launch(alone, { transport: 'http', signal: AbortSignal.timeout(60_000) });
  });
  after(() => database?.end());

  test('nobody else on loopback', async () => {
    for (const as of root ? [undefined, '65534', '1'] : [undefined]) {
      const without = await ask(database, 'SELECT 1', { as });
      assert.equal(without.ok, false, `as ${as ?? 'ourselves'}`);
      assert.match(without.stderr, /no password supplied/);
      const wrong = await ask(database, 'SELECT 1', { as, secret: 'postgres' });
      assert.match(wrong.stderr, /password authentication failed/);
    }
  });

  test('who has it gets the rights of no privileged user', async () => {
    const secret = database.companions.variables.SECRET;
    const statement = `CREATE TEMP TABLE t (uid text); COPY t FROM PROGRAM 'id -u'; SELECT uid FROM t`;
    const { ok, stdout, stderr } = await ask(database, statement, { secret });
    assert.ok(ok, stderr);
    if (root) assert.notEqual(Number(stdout), 0);
    const pids = servers(database);
    assert.ok(pids.length > 3);
    const seen = pids.filter((pid) => {
      try {
        assert.equal(uidsOf(pid).includes(0), false, `process ${pid}`);
        assert.equal(readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(secret), false);
        assert.equal(readFileSync(`/proc/${pid}/environ`, 'utf8').includes(secret), false);
        return true;
      } catch (error) {
        // The back end of the connection above ends meanwhile.
        if (['ESRCH', 'ENOENT'].includes(String(Object(error).code))) return false;
        throw error;
      }
    });
    assert.ok(seen.length > 3);
  });

  test('it says that its writes are flushed before they are acknowledged', async () => {
    assert.deepEqual(await database.companions.readBack(), []);
  });

  test('it leaves nothing', async () => {
    const pids = servers(database);
    await database.end();
    for (const pid of pids) assert.throws(() => process.kill(pid, 0));
  });
});

test('a legacy database that was started with another setting is found out', { skip }, async () => {
  const loose = { ...postgres, start: [...(postgres?.start ?? []), '-c', 'synchronous_commit=off'] };
  const native = { ...alone.manifest.native, companions: [loose] };
  const database = await launch(/** @type {any} */ ({ ...alone, manifest: { ...alone.manifest, native } }), {
    transport: 'http',
    signal: AbortSignal.timeout(60_000),
  });
  try {
    assert.deepEqual(await database.companions.readBack(), [
      { setting: 'postgres.synchronous_commit', given: 'on', stated: 'off' },
    ]);
  } finally {
    await database.end();
  }
});

describe('a program in a folder that is shut for others', { skip: skip || (!root && 'needs root') }, () => {
  /** @type {string} */
  let shut;
  before(() => {
    shut = mkdtempSync(join(tmpdir(), 'shut-'));
    if ('problem' in found) return;
    cpSync(dirname(realpathSync(found.found.path)), join(shut, 'bin'), { recursive: true });
    chmodSync(shut, 0o700);
  });
  after(() => rmSync(shut, { recursive: true }));

  test('runs unprivileged all the same, or says why it does not', async () => {
    const script = join(import.meta.dirname, '..', '_shared', 'postgres', 'unprivileged.sh');
    const { ok, stdout, stderr } = await runTool([script, join(shut, 'bin', 'initdb'), '--version']);
    if (ok) assert.match(stdout, /^initdb/);
    else assert.match(stderr, /^PostgreSQL refuses to run as root, and the user nobody cannot reach /);
    assert.equal((await runTool(['stat', '-c', '%a', shut])).stdout.trim(), '700');
  });
});
