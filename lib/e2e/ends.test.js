/**
 * Every way to end a run from outside: what was measured is there, nothing is left running, one clear line, the
 * documented code, and `--resume` measures the rest.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { ROOT } from '../paths.js';
import { runTool, which } from '../process/tool.js';
import {
  addSystem,
  eventually,
  foldersLeft,
  newestRun,
  nothingIsLeft,
  processesWith,
  responder,
  runCommand,
  shortProfile,
  startCommand,
  temporaryFolder,
} from './harness.js';

const folder = temporaryFolder();
const stacks = join(folder, 'stacks');
addSystem(stacks, 'honest', { title: 'Honest' });
const RUN = join(ROOT, 'run-all.sh');
const STACK_TRACE = /\n\s+at .*:\d+:\d+/;
/** Two cells: one that ends, and one of a few seconds, within which the run is ended. */
const profile = shortProfile(folder, {
  warmupSec: 0,
  steps: [
    { id: 'c2', model: 'closed', vus: 2, durationSec: 1 },
    { id: 'c4', model: 'closed', vus: 4, durationSec: 3 },
  ],
});

/**
 * @param {string} name of the reports folder
 * @param {string} [system]
 * @returns {string[]} arguments of a run
 */
function runInto(name, system = 'honest') {
  return [profile, '--stacks', stacks, '--no-live', '--systems', system, '--reports', join(folder, name)];
}

/**
 * However a run ends, it says so in words.
 * @template {import('./harness.js').Ended} T
 * @param {T} ended
 * @returns {T}
 */
function wellEnded(ended) {
  for (const said of [ended.stdout, ended.stderr]) assert.doesNotMatch(said, STACK_TRACE);
  return ended;
}

/**
 * What was measured stays, and the rest is measured.
 * @param {string} name of the reports folder
 */
async function isCompletedByResume(name) {
  const before = newestRun(join(folder, name));
  const kept = before.records.filter((r) => r.status === 'ok');
  const resumed = wellEnded(await runCommand(['--resume', before.folder, '--stacks', stacks, '--no-live']));
  assert.ok(resumed.code === 0 || resumed.code === 4, resumed.stderr);
  const { records, report } = newestRun(join(folder, name));
  assert.equal(records.length, 2);
  assert.ok(records.every((r) => r.status === 'ok'));
  assert.doesNotMatch(report, /Partial run/);
  for (const { cell, startedAt } of kept)
    assert.equal(records.find((r) => r.cell === cell)?.startedAt, startedAt, `${cell} was measured again`);
  await nothingOfItIsLeft(name);
}

/** @param {string} name of the reports folder: whose runner may have gone before it has cleared up */
async function nothingOfItIsLeft(name) {
  await eventually(() => foldersLeft().length === 0);
  await nothingIsLeft(join(folder, name), stacks);
}

/** @param {string} name of the reports folder */
function isPartial(name) {
  const { report, records } = newestRun(join(folder, name));
  assert.match(report, /Partial run/);
  assert.ok(records.some((r) => r.status === 'ok'));
}

/**
 * @param {string} script of bash; `"$@"` is the command
 * @param {string[]} args
 * @returns {Promise<{code: number | null, stdout: string, stderr: string}>}
 */
function inShell(script, args) {
  const child = spawn('bash', ['-c', script, 'bash', RUN, ...args], {
    env: { ...process.env, DOCKER_HOST: 'unix:///nonexistent' },
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (d) => {
    stdout += d;
  });
  child.stderr.on('data', (d) => {
    stderr += d;
  });
  return new Promise((resolve) =>
    child.once('close', (code) => resolve(wellEnded({ code, stdout, stderr }))),
  );
}

test('a dropped connection (SIGHUP, more than once) ends a run like one Ctrl-C', async () => {
  const run = startCommand(runInto('hangup'));
  await run.says(/honest +.*2 users .*\[1\/2\]/);
  run.child.kill('SIGHUP');
  // The kernel and the shell each send theirs, one right after the other.
  await new Promise((resolve) => setTimeout(resolve, 10));
  run.child.kill('SIGHUP');
  const { code, stderr, stdout } = wellEnded(await run.ended);
  assert.equal(code, 130, stderr);
  assert.match(stdout, /README\.md\n$/);
  isPartial('hangup');
  await nothingOfItIsLeft('hangup');
  await isCompletedByResume('hangup');
});

test('a terminal that is closed in mid-run leaves a partial report', async (t) => {
  const script = which('script');
  if (!script || process.platform !== 'linux') return t.skip('needs script of util-linux');
  const command = [RUN, ...runInto('terminal')].map((w) => `'${w}'`).join(' ');
  const how = join(folder, 'how');
  // The shell outlives the terminal, hands its signal on, and says how the run ended.
  const asked = `trap 'kill -HUP "$run"' HUP; ${command} </dev/tty & run=$!; wait "$run"; wait "$run"; echo $? >'${how}'`;
  const terminal = spawn(script, ['-qec', asked, '/dev/null'], {
    env: { ...process.env, DOCKER_HOST: 'unix:///nonexistent', TERM: 'xterm' },
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const reports = join(folder, 'terminal');
  const resultThere = () =>
    existsSync(reports) &&
    readdirSync(reports, { recursive: true, encoding: 'utf8' }).some((f) => f.endsWith('honest.c2.r1.json'));
  assert.ok(await eventually(resultThere, 60_000));
  terminal.kill('SIGKILL');
  const written = () =>
    readdirSync(reports, { recursive: true, encoding: 'utf8' }).some((f) => f.endsWith('Z-short/README.md'));
  assert.ok(await eventually(written, 20_000), 'no report');
  assert.ok(await eventually(() => existsSync(how) && readFileSync(how, 'utf8') !== '', 20_000));
  assert.equal(readFileSync(how, 'utf8'), '130\n');
  isPartial('terminal');
  await nothingOfItIsLeft('terminal');
  await isCompletedByResume('terminal');
});

test('a reader that takes one line of a run and goes (2>&1 | head -1) costs it nothing', async () => {
  const { stdout, stderr } = await inShell('set -o pipefail; "$@" 2>&1 | head -1', runInto('head'));
  assert.match(stdout, /^engine native/);
  assert.doesNotMatch(stderr, STACK_TRACE);
  const { report, records } = newestRun(join(folder, 'head'));
  assert.doesNotMatch(report, /Partial run/);
  assert.equal(records.filter((r) => r.status === 'ok').length, 2);
  await nothingOfItIsLeft('head');
});

test('a reader of stdout that is gone prints no stack trace, and the code is the documented one', async () => {
  for (const args of [['systems'], ['--help'], ['check']]) {
    const { code, stderr } = await inShell('set -o pipefail; "$@" | true', args);
    assert.equal(code, 0, stderr);
    assert.doesNotMatch(stderr, STACK_TRACE);
  }
});

test('a full disk under stdout is one line and exit 2', async (t) => {
  if (!existsSync('/dev/full')) return t.skip('needs /dev/full');
  const { code, stderr } = await inShell('"$@" >/dev/full', ['--help']);
  assert.equal(code, 2, stderr);
  assert.equal(stderr, 'error: cannot write to stdout: no space left on the device\n');
});

test('a server that its supervisor restarts after it died makes the measurement INVALID', async () => {
  const { build } = responder();
  const supervisor = join(folder, 'supervisor.sh');
  writeFileSync(supervisor, `#!/bin/sh\nwhile :; do "${join(build.output, 'null')}" "$@"; done\n`, {
    mode: 0o755,
  });
  addSystem(stacks, 'supervised', { binary: supervisor, args: ['--die-after', '5000'] });
  const { code, stderr } = wellEnded(await runCommand(runInto('supervised', 'supervised')));
  assert.equal(code, 4, stderr);
  const { records } = newestRun(join(folder, 'supervised'));
  const own = records.filter((r) => r.system === 'supervised');
  assert.ok(own.length === 2 && own.every((r) => r.verdict.status === 'INVALID'));
  assert.ok(
    own.some((r) => r.verdict.reasons.some((x) => x.code === 'restarted')),
    stderr,
  );
});

test('SIGTERM ends a run like one Ctrl-C', async () => {
  const run = startCommand(runInto('terminated'));
  await run.says(/honest +.*2 users .*\[1\/2\]/);
  run.child.kill('SIGTERM');
  const { code, stderr } = wellEnded(await run.ended);
  assert.equal(code, 130, stderr);
  isPartial('terminated');
  await nothingOfItIsLeft('terminated');
  await isCompletedByResume('terminated');
});

test('SIGKILL of the load generator fails its measurement with that reason, the run goes on, and --resume repeats it', async () => {
  const run = startCommand(runInto('loadless'));
  await run.says(/honest +.*2 users .*\[1\/2\]/);
  const load = () =>
    processesWith('TRANSPORT=resp').filter((pid) => processesWith('SYSTEM=honest').includes(pid));
  assert.ok(await eventually(() => load().length > 0, 20_000));
  await new Promise((resolve) => setTimeout(resolve, 1000));
  for (const pid of load()) process.kill(pid, 'SIGKILL');
  const { code, stderr } = wellEnded(await run.ended);
  assert.equal(code, 3, stderr);
  const { records } = newestRun(join(folder, 'loadless'));
  const failed = records.filter((r) => r.status === 'failed');
  assert.equal(failed.length, 1);
  assert.match(String(failed[0].reason), /k6 was ended by SIGKILL/);
  await nothingOfItIsLeft('loadless');
  await isCompletedByResume('loadless');
});

test('a reports folder that is deleted in mid-run is one line and exit 2, and nothing is left', async () => {
  const run = startCommand(runInto('deleted'));
  await run.says(/honest +.*2 users .*\[1\/2\]/);
  rmSync(join(folder, 'deleted'), { recursive: true, force: true });
  const { code, stderr } = wellEnded(await run.ended);
  assert.equal(code, 2, stderr);
  assert.match(stderr, /error: .*deleted/);
  assert.doesNotMatch(stderr, STACK_TRACE);
  await nothingOfItIsLeft('deleted');
});

test('a run folder that becomes immutable in mid-run is one line and exit 2, and --resume completes it', async (t) => {
  const run = startCommand(runInto('immutable'));
  await run.says(/honest +.*2 users .*\[1\/2\]/);
  const reports = join(folder, 'immutable');
  const own = join(reports, readdirSync(reports).find((n) => n.startsWith('20')) ?? '');
  const frozen = await runTool(['chattr', '-R', '+i', own]);
  after(() => runTool(['chattr', '-R', '-i', own]));
  const { code, stderr } = wellEnded(await run.ended);
  if (!frozen.ok) return t.skip(`files cannot be made immutable here: ${frozen.stderr}`);
  assert.equal(code, 2, stderr);
  assert.match(stderr, /^error: cannot write .*permission denied$/m);
  await nothingOfItIsLeft('immutable');
  const refused = wellEnded(await runCommand(['--resume', own, '--stacks', stacks, '--no-live']));
  assert.equal(refused.code, 2, refused.stderr);
  assert.match(refused.stderr, /^error: .*permission denied$/m);
  assert.ok((await runTool(['chattr', '-R', '-i', own])).ok);
  const resumed = wellEnded(await runCommand(['--resume', own, '--stacks', stacks, '--no-live']));
  assert.ok(resumed.code === 0 || resumed.code === 4, resumed.stderr);
  assert.ok(newestRun(reports).records.every((r) => r.status === 'ok'));
});

test('a reports folder that cannot be written is reported before anything is started', async (t) => {
  const mount = join(folder, 'read-only');
  mkdirSync(mount);
  const mounted = await runTool(['mount', '-t', 'tmpfs', '-o', 'ro', 'tmpfs', mount]);
  if (!mounted.ok) return t.skip('a read-only file system cannot be mounted here');
  after(() => runTool(['umount', mount]));
  const { code, stderr } = wellEnded(await runCommand(runInto('read-only')));
  assert.equal(code, 2, stderr);
  assert.match(stderr, /error: cannot write .*the file system is read-only/);
  assert.doesNotMatch(stderr, STACK_TRACE);
  assert.doesNotMatch(stderr, /\[1\/2\]/);
});

test('a TMPDIR that is missing is one line and exit 2', async () => {
  const { code, stderr } = wellEnded(
    await runCommand(runInto('homeless'), {
      env: { TMPDIR: join(folder, 'nowhere') },
    }),
  );
  assert.equal(code, 2, stderr);
  assert.match(stderr, /error: .*nowhere/);
  assert.doesNotMatch(stderr, STACK_TRACE);
});

test('too few file descriptors are reported before the run, with the number that it needs', async () => {
  mkdirSync(join(folder, 'wide'));
  const { code, stderr } = await inShell('ulimit -n 100; "$@"', runInto('narrow'));
  assert.equal(code, 2, stderr);
  assert.match(stderr, /^error: too few file descriptors: ladderbench needs 512.*\nhint: .*ulimit -n/);
  const wide = shortProfile(join(folder, 'wide'), {
    steps: [{ id: 'c900', model: 'closed', vus: 900, durationSec: 3 }],
  });
  const users = await inShell('ulimit -n 1000; "$@"', [wide, ...runInto('narrow').slice(1)]);
  assert.equal(users.code, 2, users.stderr);
  assert.match(
    users.stderr,
    /error: too few file descriptors: 900 connections at once need 1028 open files, and the limit is 1000\nhint: type: ulimit -n 1028/,
  );
  assert.equal(existsSync(join(folder, 'narrow')), false);
});

test('too few addresses are said before anything is started, with what lifts the limit', async () => {
  const { code, stderr } = await inShell('ulimit -v 3000000; "$@"', runInto('small'));
  assert.equal(code, 2, stderr);
  assert.equal(
    stderr,
    'error: a process may have 2929 MiB of addresses here, and Node.js reserves up to 16 GiB\nhint: type: ulimit -v unlimited\n',
  );
  assert.equal(existsSync(join(folder, 'small')), false);
});

test('two runs at once into one reports folder both end whole, each in a folder of its own', async () => {
  const both = await Promise.all([runCommand(runInto('both')), runCommand(runInto('both'))]);
  for (const { code, stderr } of both) assert.ok(code === 0 || code === 4, stderr);
  const runs = both.map(({ stdout }) => stdout.trim());
  assert.notEqual(runs[0], runs[1]);
  for (const report of runs) assert.ok(existsSync(report), report);
  await nothingOfItIsLeft('both');
});
