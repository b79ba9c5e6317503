import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { delimiter, join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../../paths.js';
import { generatorBuild } from '../../setup/builds.js';
import { newestRun, shortProfile } from '../harness.js';
import { ENGINE_ENV, engine, leftInDocker, offlineImages, ownSystem } from './containers.js';

/**
 * Who has fetched the checkout into a folder with a space, with umask 077, and may do one thing more than other users:
 * speak with the engine.
 */

const USER = 54_321;
const GROUP = 54_322;
const socket = String(engine?.socket);
const skip = !engine ? 'no engine' : process.getuid?.() !== 0 ? 'only root can become somebody else' : false;

/** Every Docker client of this machine. */
const clients = [
  ...new Set(
    String(process.env.PATH)
      .split(delimiter)
      .flatMap((folder) => {
        try {
          return realpathSync(join(folder, 'docker'));
        } catch {
          return [];
        }
      }),
  ),
];

/** @param {string} folder that everybody may pass @returns {string} a checkout of that user's, with a cache and a HOME */
function checkout(folder) {
  const to = join(folder, 'my checkout');
  mkdirSync(join(to, 'tmp'), { recursive: true });
  chmodSync(folder, 0o755);
  const list = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--', '.', ':!reports'];
  const files = execFileSync('git', ['-C', ROOT, ...list]);
  const copy = `tar -C '${ROOT}' --null -T - -c --ignore-failed-read | (umask 077 && tar -C "$0" -x --no-same-permissions)`;
  execFileSync('sh', ['-c', copy, to], { input: files });
  cpSync(join(ROOT, 'node_modules'), join(to, 'node_modules'), { recursive: true, verbatimSymlinks: true });
  const { output } = generatorBuild();
  cpSync(output, join(to, 'cache', 'builds', 'k6', String(output.split('/').at(-1))), { recursive: true });
  const plugins = join(to, 'home', '.docker', 'cli-plugins');
  mkdirSync(plugins, { recursive: true });
  const [compose] = engine?.compose ?? [];
  if (compose !== 'docker') cpSync(String(compose), join(plugins, 'docker-compose'));
  clients.forEach((client, i) => {
    mkdirSync(join(to, `bin-${i}`));
    symlinkSync(client, join(to, `bin-${i}`, 'docker'));
  });
  execFileSync('chown', ['-R', `${USER}:${USER}`, to]);
  return to;
}

/**
 * @param {string} root
 * @param {string[]} args
 * @param {string} bin folder of the Docker client
 * @returns {Promise<{code: number | null, text: string}>}
 */
function runAsUser(root, args, bin) {
  const who = ['--reuid', String(USER), '--regid', String(USER), '--groups', String(GROUP)];
  const env = {
    ...{ ...process.env, ...ENGINE_ENV, HOME: join(root, 'home'), LADDERBENCH_CACHE: join(root, 'cache') },
    TMPDIR: join(root, 'tmp'),
    PATH: `${bin}:${process.env.PATH}`,
  };
  const asUser = ['-c', 'umask 077 && exec setpriv "$@"', 'sh', ...who];
  const child = spawn('sh', [...asUser, join(root, 'run-all.sh'), ...args], {
    ...{ cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] },
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (data) => {
      text += data;
    });
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, text })));
}

test('a user of the engine’s group, with umask 077, in a folder with a space, by each Docker client that is here', {
  skip,
  timeout: 600_000,
}, async (t) => {
  await offlineImages();
  const { gid, mode } = statSync(socket);
  t.after(() => {
    chownSync(socket, 0, gid);
    chmodSync(socket, mode & 0o777);
  });
  chownSync(socket, 0, GROUP);
  chmodSync(socket, 0o660);
  // The folder for temporary files of a test is nobody else's.
  const folder = mkdtempSync('/tmp/lb-user-');
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const root = checkout(folder);
  const { id } = ownSystem();
  const profile = shortProfile(root);
  chownSync(profile, USER, USER);
  for (const [i, client] of clients.entries()) {
    t.diagnostic(execFileSync(client, ['--version']).toString().trim());
    const reports = join(root, `reports-${i}`);
    const args = [profile, '--engine', 'docker', '--systems', id, '--reports', reports];
    const { code, text } = await runAsUser(root, args, join(root, `bin-${i}`));
    assert.ok(code === 0 || code === 4, `${client}: ${text}`);
    assert.doesNotMatch(text, /live view: no (influxdb|cadvisor)/);
    const { records, folder } = newestRun(reports);
    assert.ok(
      records.some((r) => r.system === id && r.status === 'ok' && r.oracle?.ok),
      text,
    );
    assert.equal(statSync(folder).uid, USER);
    assert.deepEqual(await leftInDocker(), []);
  }
});
