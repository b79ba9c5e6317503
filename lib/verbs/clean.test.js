import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { test } from 'node:test';
import { BenchError } from '../errors.js';
import { readOptions } from '../options.js';
import { CACHE_TAG, cachePath, ROOT } from '../paths.js';
import { makeCache } from '../process/temporary.js';
import { cleanVerb } from './clean.js';

const NONE = readOptions([]).options;

const SILENT = /** @type {any} */ ({ say: () => {}, result: () => {} });
const clean = () => cleanVerb([], { ...NONE, cache: true }, SILENT);

/**
 * A home of its own, so that nothing of this machine is removed.
 * @param {import('node:test').TestContext} t
 */
function ownHome(t) {
  const folder = mkdtempSync(join(tmpdir(), 'lb-clean-'));
  const before = { ...process.env };
  Object.assign(process.env, { TMPDIR: join(folder, 'tmp'), LADDERBENCH_CACHE: join(folder, 'cache') });
  mkdirSync(join(folder, 'tmp'));
  t.after(() => {
    for (const name of ['TMPDIR', 'LADDERBENCH_CACHE', 'XDG_CACHE_HOME']) {
      if (before[name] === undefined) delete process.env[name];
      else process.env[name] = before[name];
    }
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
}

test('--cache removes a cache that the suite made, and no folder that was there before', async (t) => {
  const folder = ownHome(t);
  makeCache();
  assert.ok(existsSync(cachePath(CACHE_TAG)));
  writeFileSync(cachePath('build'), '');
  assert.equal(await clean(), 0);
  assert.equal(existsSync(cachePath()), false);
  assert.equal(await clean(), 0, 'and none that is not there');

  const project = join(folder, 'ladderbench');
  mkdirSync(project);
  writeFileSync(join(project, 'thesis.txt'), 'years of work');
  process.env.LADDERBENCH_CACHE = project;
  makeCache();
  assert.equal(existsSync(cachePath(CACHE_TAG)), false, 'it is not ours to mark');
  await assert.rejects(
    clean,
    (e) => e instanceof BenchError && e.exitCode === 2 && /has no CACHEDIR\.TAG/.test(e.message),
  );
  writeFileSync(
    join(project, CACHE_TAG),
    'Signature: 8a477f597d28d172789f06886806bc55\n# of another program\n',
  );
  await assert.rejects(clean, /has no CACHEDIR\.TAG of ladderbench/);
  assert.ok(existsSync(join(project, 'thesis.txt')));
});

test('--cache waits for a run that uses it', async (t) => {
  const folder = ownHome(t);
  makeCache();
  const runner = spawn('sleep', ['60']);
  t.after(() => runner.kill('SIGKILL'));
  mkdirSync(join(folder, 'tmp', `ladderbench-${runner.pid}-system-abc123`));
  await assert.rejects(clean, new RegExp(`process ${runner.pid} is using `));
  assert.ok(existsSync(cachePath()));
});

test('an empty variable is an unset one, and never the folder that one is in', (t) => {
  const folder = ownHome(t);
  process.env.XDG_CACHE_HOME = folder;
  process.env.LADDERBENCH_CACHE = '';
  assert.equal(cachePath('x'), join(folder, 'ladderbench', 'x'));
  process.env.XDG_CACHE_HOME = '';
  assert.match(cachePath('x'), /\.cache\/ladderbench\/x$/);
});

test('--dry-run says what would go, and leaves it', async (t) => {
  ownHome(t);
  makeCache();
  /** @type {string[]} */
  const said = [];
  const output = /** @type {any} */ ({ say: (/** @type {string} */ line) => said.push(line) });
  assert.equal(await cleanVerb([], { ...NONE, cache: true, dryRun: true }, output), 0);
  assert.ok(said.includes(`would remove ${cachePath()}`), said.join('\n'));
  assert.ok(existsSync(cachePath(CACHE_TAG)));
});

test('a cache that is a link is kept with its target, and so are targets of links in it', async (t) => {
  const folder = ownHome(t);
  const [other, elsewhere] = [join(folder, 'other'), join(folder, 'elsewhere')];
  process.env.LADDERBENCH_CACHE = other;
  makeCache();
  symlinkSync(other, join(folder, 'cache'));
  process.env.LADDERBENCH_CACHE = join(folder, 'cache');
  await assert.rejects(clean, /cache is a link, and what it leads to is not removed/);
  assert.ok(existsSync(join(other, CACHE_TAG)));
  const { pid } = spawnSync('true');
  mkdirSync(join(elsewhere, `ladderbench-${pid}-system-abc123`), { recursive: true });
  symlinkSync(elsewhere, join(other, 'work'));
  await cleanVerb([], NONE, SILENT);
  assert.equal(readdirSync(elsewhere).length, 1);
});

test('--cache waits for a run that has another TMPDIR', async (t) => {
  const folder = ownHome(t);
  const cli = join(ROOT, 'lib', 'process', 'temporary.js');
  const code = `import { useCache } from ${JSON.stringify(cli)}; useCache(); console.log('here'); setInterval(() => {}, 1000);`;
  mkdirSync(join(folder, 'other'));
  const runner = spawn(process.execPath, ['--input-type=module', '-e', code], {
    env: { ...process.env, TMPDIR: join(folder, 'other') },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.after(() => runner.kill('SIGKILL'));
  await once(runner.stdout, 'data');
  await assert.rejects(clean, new RegExp(`process ${runner.pid} is using `));
  assert.ok(existsSync(cachePath(CACHE_TAG)));
  runner.kill('SIGKILL');
  await once(runner, 'exit');
  assert.equal(await clean(), 0);
  assert.equal(existsSync(cachePath()), false);
});

test('a cache that is another user’s is one line', {
  skip: process.getuid?.() !== 0 && 'needs root',
}, (t) => {
  const folder = ownHome(t);
  makeCache();
  writeFileSync(cachePath('build'), '');
  // The runner of the tests has folders of its own around it, closed to other users.
  for (let around = folder; /^(?:lb-|t-)/.test(basename(around)); around = dirname(around))
    chmodSync(around, 0o755);
  const code = `import { cleanVerb } from ${JSON.stringify(join(ROOT, 'lib', 'verbs', 'clean.js'))};
    await cleanVerb([], { cache: true }, { say() {} }).catch((e) => console.log(e.name, e.exitCode, e.message));`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', code], {
    ...{ encoding: 'utf8', uid: 65_534, gid: 65_534, cwd: '/' },
    env: { ...process.env, HOME: '/' },
  });
  assert.match(stdout, /^BenchError 2 cannot remove .*: permission denied$/m, stderr);
  assert.ok(existsSync(cachePath('build')));
});
