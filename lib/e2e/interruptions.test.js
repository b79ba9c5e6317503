import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { runTool } from '../process/tool.js';
import { holdRun, letGo } from '../record/lock.js';
import {
  addSystem,
  CALIBRATED,
  eventually,
  newestRun,
  nothingIsLeft,
  processesWith,
  runCommand,
  shortProfile,
  startCommand,
  temporaryFolder,
} from './harness.js';

const folder = temporaryFolder();
const stacks = join(folder, 'stacks');
addSystem(stacks, 'honest', { title: 'Honest' });
const common = ['--stacks', stacks, '--no-live'];

test('one Ctrl-C ends cleanly with a partial report and exit 130, and --resume measures the rest', async () => {
  const profile = shortProfile(folder, {
    steps: [
      { id: 'c2', model: 'closed', vus: 2, durationSec: 3 },
      { id: 'c4', model: 'closed', vus: 4, durationSec: 5 },
    ],
  });
  const reports = join(folder, 'interrupted');
  const run = startCommand([profile, ...common, '--systems', 'honest', '--reports', reports]);
  await run.says(/honest +.*2 users .*\[1\/2\]/);
  await new Promise((resolve) => setTimeout(resolve, 1500));
  run.child.kill('SIGINT');
  const { code, stderr } = await run.ended;
  assert.equal(code, 130, stderr);
  const partial = newestRun(reports);
  assert.match(partial.report, /Partial run/);
  assert.equal(partial.records.find((r) => r.step.id === 'c4' && r.role === 'system')?.status, 'aborted');
  const measured = () => newestRun(reports).records.find((r) => r.cell === 'counters.resp.honest.c2.r1');
  const kept = measured();
  await nothingIsLeft(join(folder, 'interrupted'), '--counting');

  holdRun(partial.folder);
  const second = await runCommand(['--resume', 'latest', ...common, '--reports', reports]);
  letGo(partial.folder);
  assert.equal(second.code, 2, second.stderr);
  assert.match(
    second.stderr,
    new RegExp(`error: the run \\S+ is being written by process ${process.pid} since`),
  );

  const elsewhere = join(folder, 'elsewhere');
  const resumed = await runCommand(['--resume', partial.folder, ...common, '--reports', elsewhere]);
  assert.equal(existsSync(elsewhere), false, 'a path names the run itself');
  assert.ok(resumed.code === 0 || resumed.code === 4, resumed.stderr);
  const whole = newestRun(reports);
  assert.equal(whole.folder, partial.folder);
  assert.doesNotMatch(whole.report, /Partial run/);
  assert.ok(whole.records.every((r) => r.status === 'ok'));
  assert.deepEqual(measured(), kept);
  assert.deepEqual(
    readdirSync(whole.folder).filter((name) => name !== 'charts'),
    ['README.md', 'data.columns', 'report.html'],
  );
  const again = await runCommand(['--resume', whole.folder, ...common]);
  assert.equal(again.code, resumed.code, again.stderr);
  assert.match(again.stderr, /is complete: there is nothing to measure/);
});

test('a second Ctrl-C stops at once, and nothing is left', async () => {
  const reports = join(folder, 'twice');
  const profile = shortProfile(folder, { steps: [{ id: 'c2', model: 'closed', vus: 2, durationSec: 30 }] });
  const run = startCommand([profile, ...common, '--systems', 'honest', '--reports', reports]);
  await run.says(/Plan:/);
  assert.ok(await eventually(() => processesWith(reports).length > 1, 30_000));
  await new Promise((resolve) => setTimeout(resolve, 1000));
  run.child.kill('SIGINT');
  await new Promise((resolve) => setTimeout(resolve, 200));
  const second = Date.now();
  run.child.kill('SIGINT');
  assert.equal((await run.ended).code, 130);
  assert.ok(Date.now() - second < 2000, 'it took its time');
  await nothingIsLeft(join(folder, 'twice'), '--counting');
});

test('when the runner itself is killed, its servers and its load end with it, and --resume completes its run', async (t) => {
  if (process.platform !== 'linux') return t.skip('needs the parent-death signal of Linux');
  const reports = join(folder, 'killed');
  const profile = shortProfile(folder, { steps: [{ id: 'c2', model: 'closed', vus: 2, durationSec: 5 }] });
  const run = startCommand([profile, ...common, '--systems', 'honest', '--reports', reports]);
  // Before its run has a plan, two processes may be those that start it.
  const isPlanned = () =>
    existsSync(reports) && readdirSync(reports).some((run) => existsSync(join(reports, run, 'plan.json')));
  const isUnderWay = () => isPlanned() && processesWith(reports).length > 1;
  assert.ok(await eventually(isUnderWay, 30_000));
  run.child.kill('SIGKILL');
  await run.ended;
  assert.ok(await eventually(() => processesWith(reports).length === 0), 'a process is left');
  const cleaned = await runCommand(['clean']);
  assert.equal(cleaned.code, 0, cleaned.stderr);
  await nothingIsLeft();
  const resumed = await runCommand(['--resume', 'latest', ...common, '--reports', reports]);
  assert.ok(resumed.code === 0 || resumed.code === 4, resumed.stderr);
  assert.ok(newestRun(reports).records.every((r) => r.status === 'ok'));
  const verified = await runCommand(['report', 'latest', '--verify', '--reports', reports]);
  assert.equal(verified.code, 0, verified.stderr);
});

test('a system that dies under load fails that measurement with its last log lines, and the run goes on with exit 3', async () => {
  addSystem(stacks, 'dying', { args: ['--die-after', '20000'] });
  const reports = join(folder, 'dying');
  const { code, stderr } = await runCommand([
    shortProfile(folder),
    ...common,
    '--systems',
    'dying,honest',
    '--reports',
    reports,
  ]);
  assert.equal(code, 3, stderr);
  const { records, report } = newestRun(reports);
  const dead = records.find((r) => r.system === 'dying');
  assert.equal(dead?.status, 'failed');
  assert.match(String(dead?.reason), /the system ended under the load/);
  assert.ok(dead && dead.logTail.length > 0, 'its last log lines are kept');
  assert.equal(records.find((r) => r.system === 'honest')?.status, 'ok');
  assert.match(report, /dying has no figure/);
  await nothingIsLeft(join(folder, 'dying'), '--counting');
});

test('a system that never becomes ready is failed and torn down', async () => {
  const ready = { tcp: { send: 'PING\r\n', expect: '+NEVER' }, timeoutSec: 1 };
  addSystem(stacks, 'sleepy', { ready });
  const { code, stderr } = await runCommand([
    shortProfile(folder),
    ...common,
    '--systems',
    'sleepy',
    '--reports',
    join(folder, 'sleepy'),
  ]);
  assert.equal(code, 3, stderr);
  assert.match(stderr, /sleepy did not become ready in 1 s \(\+PONG\)/);
  await nothingIsLeft(join(folder, 'sleepy'), '--counting');
});

test('each kind of bad input is one clear line with its exit code', async () => {
  const profile = shortProfile(folder);
  const file = join(folder, 'a-file');
  writeFileSync(file, '');
  addSystem(stacks, 'toolless', { needs: [{ binary: 'no-such-binary-anywhere' }] });
  /** @type {[string[], number, RegExp][]} */
  const cases = [
    [['ladr'], 2, /error: unknown profile or command "ladr": did you mean "ladder"\?/],
    [['smoke', '--systems', 'honst'], 2, /error: unknown name "honst" in --systems: did you mean "honest"\?/],
    [
      ['smoke', '--workloads', 'counter'],
      2,
      /error: unknown name "counter" in --workloads: did you mean "counters"\?/,
    ],
    [['smoke', '--sistems', 'a'], 2, /error: unknown flag "--sistems": did you mean "--systems"\?/],
    [['smoke', '--engine', 'nativ'], 2, /error: unknown --engine "nativ": did you mean "native"\?/],
    [['smoke', '--repeats', '0'], 2, /error: --repeats 0: needs a whole number from 1 to 100/],
    [['smoke', '--repeats'], 2, /error: .*--repeats/],
    [['smoke', '--repeats', '0x10'], 2, /error: --repeats 0x10: needs a whole number/],
    [['constructor'], 2, /error: unknown profile or command "constructor"/],
    [['__proto__'], 2, /error: unknown profile or command "__proto__"/],
    [['--resume', ''], 2, /error: which run\?/],
    [['smoke', '--reports', file], 2, /error: --reports .*: not a folder/],
    [['smoke', '--stacks', file], 2, /error: .*a-file: not a folder of stacks/],
    [['report', 'x', '--reports', file], 2, /error: --reports .*: not a folder/],
    [
      ['smoke', '--endpoint', 'honest'],
      2,
      /error: --endpoint honest: no value\nhint: write --endpoint system=url/,
    ],
    [['smoke', '--endpoint', 'honest=nowhere'], 2, /error: --endpoint honest=nowhere: not a URL/],
    [['report', 'no-such-run'], 2, /error: no run "no-such-run"/],
    [['compare', 'x', 'y'], 2, /error: no run "x"/],
    [[join(folder, 'missing.json')], 2, /error: unknown profile/],
    [[profile, '--systems', 'toolless'], 2, /error: nothing to measure/],
    [
      [profile, '--systems', 'honest', '--reports', join(file, 'below')],
      2,
      /error: --reports .*a-file\/below: not a folder/,
    ],
  ];
  for (const [args, expected, message] of cases) {
    const { code, stderr } = await runCommand([
      ...args,
      ...(args[0] === 'report' || args[0] === 'compare' ? [] : common),
    ]);
    assert.equal(code, expected, `${args.join(' ')}\n${stderr}`);
    assert.match(stderr, message);
    assert.doesNotMatch(stderr, /\n\s+at /, 'a stack trace is no message');
  }
});

test('a plan is printed without measuring anything, and --json is one object on stdout', async () => {
  const reports = join(folder, 'dry');
  const profile = shortProfile(folder, { calibration: CALIBRATED });
  const args = [profile, ...common, '--systems', 'honest', '--reports', reports, '--dry-run'];
  const lines = await runCommand(args);
  assert.equal(lines.code, 0, lines.stderr);
  assert.deepEqual(lines.stdout.trim().split('\n'), [
    '_null  8 users  repeat 1',
    'honest  8 users  repeat 1',
  ]);
  const json = await runCommand([...args, '--json']);
  assert.equal(JSON.parse(json.stdout).trials.length, 2);
  assert.equal(existsSync(reports), false, 'a dry run writes nothing');
  const listed = JSON.parse((await runCommand(['systems', '--json', '--stacks', stacks])).stdout);
  assert.ok(listed.systems.some((/** @type {any} */ s) => s.system === 'honest'));
});

test('a port in use is reported before anything is measured on it', async () => {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  after(() => server.close());
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  const { code, stderr } = await runCommand([
    shortProfile(folder),
    ...common,
    '--systems',
    'honest',
    '--port',
    `honest=${port}`,
    '--reports',
    join(folder, 'port'),
  ]);
  assert.equal(code, 3);
  assert.match(stderr, new RegExp(`port ${port} for honest is in use on 127\\.0\\.0\\.1`));
});

test('a server that does not answer at its endpoint is failed with one line', async () => {
  const { code, stderr } = await runCommand([
    shortProfile(folder),
    ...common,
    '--systems',
    'honest',
    '--endpoint',
    'honest=x://127.0.0.1:1',
    '--reports',
    join(folder, 'endpoint'),
  ]);
  assert.equal(code, 3);
  assert.match(stderr, /honest does not answer at x:\/\/127\.0\.0\.1:1 \(connect ECONNREFUSED/);
});

test('a broken manifest stops the run, and check lists all problems', async () => {
  const broken = join(folder, 'broken');
  mkdirSync(join(broken, 'bad'), { recursive: true });
  writeFileSync(join(broken, 'bad', 'stack.json'), '{ "titel": 1 }');
  const run = await runCommand(['smoke', '--stacks', broken]);
  assert.equal(run.code, 2);
  assert.match(run.stderr, /bad\/stack\.json/);
  const checked = await runCommand(['check', '--stacks', broken]);
  assert.equal(checked.code, 2);
  assert.match(checked.stderr, /unknown field "titel"; did you mean "title"\?/);
});

test('a full disk stops the run with one line, and what was measured before is whole', async (t) => {
  const mount = join(folder, 'small');
  mkdirSync(mount);
  const mounted = await runTool(['mount', '-t', 'tmpfs', '-o', 'size=160k', 'tmpfs', mount]);
  if (!mounted.ok) return t.skip('a small file system cannot be mounted here');
  after(() => runTool(['umount', mount]));
  const steps = Array.from({ length: 8 }, (_, i) => ({
    id: `s${i}`,
    model: /** @type {const} */ ('closed'),
    vus: 2,
    durationSec: 1,
  }));
  const { code, stderr } = await runCommand([
    shortProfile(folder, { steps }),
    ...common,
    '--systems',
    'honest',
    '--reports',
    mount,
  ]);
  assert.equal(code, 2, stderr);
  assert.match(stderr, /error: cannot write .*no space left on the device/);
  const run = join(mount, readdirSync(mount).find((n) => n.startsWith('20')) ?? '');
  for (const name of existsSync(join(run, 'results')) ? readdirSync(join(run, 'results')) : []) {
    if (name.endsWith('.json')) JSON.parse(readFileSync(join(run, 'results', name), 'utf8'));
  }
  await nothingIsLeft(join(folder, 'small'), '--counting');
});
