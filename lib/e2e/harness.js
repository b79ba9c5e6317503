import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { fileURLToPath } from 'node:url';
import { loadStacks } from '../config/stacks.js';
import { nativeAvailability } from '../engines/index.js';
import { readRun } from '../figures/run.js';
import { ROOT } from '../paths.js';
import { freePort } from '../process/ports.js';
import { processTable } from '../process/table.js';
import { withRun } from '../record/archive.js';
import { generatorBuild, isBuilt, runBuild, stackBuilds } from '../setup/builds.js';

/** @import { CellRecord, Profile } from '../types.d.ts' */

/** A folder that is removed when the test file ends. */
export function temporaryFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'lb-e2e-'));
  after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** The calibration target of RESP, which the tests also start as a system, honest or not. */
export function responder() {
  const stack = loadStacks().stacks.find((s) => s.id.startsWith('_') && s.manifest.workloads.counters);
  if (!stack) throw new Error('no calibration target for counters');
  return { stack, build: stackBuilds(stack)[0] };
}

/**
 * @param {string} workload
 * @returns {import('../types.d.ts').Stack[]} systems of this checkout that have it, variants too
 */
export function systemsOf(workload) {
  return loadStacks().stacks.filter(
    ({ id, manifest }) => !id.startsWith('_') && manifest.workloads[workload],
  );
}

/** @returns {import('../types.d.ts').Stack | undefined} a real server that keeps its data, here without an append-only file, and needs no build */
export function appendOnlyServer() {
  return systemsOf('counters').find(
    (s) =>
      s.manifest.restart &&
      s.manifest.workloads.documents &&
      s.manifest.settings?.appendonly === 'no' &&
      !s.manifest.native?.build &&
      nativeAvailability(s).state === 'ready',
  );
}

/**
 * Where a test asks nothing of speed, its system answers after this: users who wait for it leave the machine to the tests
 * that run beside.
 */
const UNHURRIED = ['--delay', '500us'];

/**
 * A counting responder outside of any run, as a system that somebody else has started. The generator is built, too.
 * @returns {Promise<{port: number, pid: number, stop: () => void}>}
 */
export async function startResponder() {
  const { build } = responder();
  for (const one of [build, generatorBuild()]) if (!isBuilt(one)) await runBuild(one);
  const port = await freePort();
  const child = spawn(join(build.output, 'null'), [
    '--resp',
    `127.0.0.1:${port}`,
    '--counting',
    ...UNHURRIED,
  ]);
  return { port, pid: Number(child.pid), stop: () => child.kill('SIGKILL') };
}

/**
 * Adds a system: one folder and nothing else.
 * @param {string} folder of stacks
 * @param {string} id
 * @param {{args?: string[], ready?: object, binary?: string, title?: string, needs?: object[],
 *   more?: object}} [options]
 *   `args` of the counting responder: without any it does not hurry, with none (`[]`) it is as quick as it can be; `more`
 *   fields of its manifest
 */
export function addSystem(folder, id, { args = UNHURRIED, ready, binary, title = id, needs, more } = {}) {
  const { stack, build } = responder();
  const path = join(folder, id);
  mkdirSync(path, { recursive: true });
  const manifest = {
    ...stack.manifest,
    docker: undefined,
    workloads: Object.fromEntries(
      Object.keys(stack.manifest.workloads).map((workload) => [workload, { transports: ['resp'] }]),
    ),
    title,
    native: {
      ...(needs ? { needs } : {}),
      start: [binary ?? join(build.output, 'null'), '--resp', '127.0.0.1:{port}', '--counting', ...args],
    },
    ...(ready ? { ready } : {}),
    ...more,
  };
  writeFileSync(join(path, 'stack.json'), JSON.stringify(manifest));
  writeFileSync(join(path, 'client.js'), `export { default } from '${join(stack.folder, 'client.js')}';\n`);
  return path;
}

/** Servers that each do one thing wrong, or at an odd price. */
export const MUTANT = fileURLToPath(new URL('./mutants.js', import.meta.url));

/**
 * Adds one of them as a system.
 * @param {string} folder of stacks
 * @param {string} fault its id, too
 * @param {string[]} [args] further ones
 */
export function addMutant(folder, fault, args = []) {
  addLikeResponder(folder, fault, 'counters', [MUTANT, '{port}', '{data}', fault, ...args]);
}

/**
 * Adds a server of ours that can be started again on its data, with the responder's client.
 * @param {string} folder of stacks
 * @param {string} id
 * @param {string} workload
 * @param {string[]} start what Node.js is started with
 */
export function addLikeResponder(folder, id, workload, start) {
  const { stack } = responder();
  const path = join(folder, id);
  mkdirSync(path, { recursive: true });
  const manifest = {
    ...stack.manifest,
    docker: undefined,
    restart: true,
    workloads: { [workload]: { transports: ['resp'] } },
    title: `Mutant ${id}`,
    native: { start: [process.execPath, ...start] },
  };
  writeFileSync(join(path, 'stack.json'), JSON.stringify(manifest));
  writeFileSync(join(path, 'client.js'), `export { default } from '${join(stack.folder, 'client.js')}';\n`);
}

/**
 * Adds a server of ours that speaks HTTP, with the client of real ones.
 * @param {string} folder of stacks
 * @param {string} id
 * @param {{client: string, workloads: string[], start: string[], more?: object}} how `client`: the folder of stacks
 *   that it is in; `start`: what Node.js is started with; `more` fields of its manifest
 */
export function addHttpSystem(folder, id, { client, workloads, start, more }) {
  const path = join(folder, id);
  mkdirSync(path, { recursive: true });
  const manifest = {
    title: id,
    origin: 'reference',
    workloads: Object.fromEntries(workloads.map((workload) => [workload, { transports: ['http'] }])),
    durability: { policy: 'none', meaning: 'in memory' },
    native: { start: [process.execPath, ...start] },
    endpoint: { url: 'http://{host}:{port}', port: 8080 },
    ready: { http: { path: '/ready', status: 200 }, timeoutSec: 10 },
    ...more,
  };
  writeFileSync(join(path, 'stack.json'), JSON.stringify(manifest));
  const module = join(ROOT, 'stacks', client, 'client.js');
  writeFileSync(join(path, 'client.js'), `export * from '${module}';\n`);
}

/**
 * @param {string} path of a client of counters
 * @param {number} brakeNsPerOp CPU that the generator burns for each operation
 * @returns {string} the same client for a dearer generator, as a module
 */
export function dearClient(path, brakeNsPerOp) {
  return `import client from '${path}';
const burst = (target) => ({ ...client.counters.burst(target), brakeNsPerOp: ${brakeNsPerOp} });
export default { ...client, counters: { ...client.counters, burst } };
`;
}

/** For profiles that have the null responder beside their systems, which runs as fast as it can. */
export const CALIBRATED = Object.freeze({ durationSec: 3 });

/**
 * @param {string} folder
 * @param {Partial<Profile>} [over]
 * @returns {string} path of a profile of a few seconds, without the null responder
 */
export function shortProfile(folder, over = {}) {
  const path = join(folder, 'short.json');
  const profile = {
    title: 'Short, for tests',
    seed: 5,
    repeats: 1,
    workloads: ['counters'],
    warmupSec: 1,
    coolDownSec: 0,
    drive: 'burst',
    dataset: { keys: 500 },
    calibration: { ...CALIBRATED, steps: [] },
    // Start-up, and what a storage does alone, are figures of their own: as few as may be, and none of what takes ten seconds.
    coldStarts: 3,
    ceilings: false,
    // Tests look at what a load says and does; how much of it there is they ask of none.
    fitWindows: false,
    steps: [{ id: 'c8', model: 'closed', vus: 8, durationSec: 3 }],
    thresholds: { errorRatio: 0.001 },
    ...over,
  };
  writeFileSync(path, JSON.stringify(profile));
  return path;
}

/**
 * @typedef {object} Ended
 * @property {number | null} code
 * @property {string} stdout
 * @property {string} stderr
 */

/** Tests of processes see no Docker engine, whatever this machine has; those of containers name theirs. */
const NO_ENGINE = { DOCKER_HOST: `unix://${join(tmpdir(), 'lb-no-engine.sock')}` };

/**
 * Starts the command as a user would.
 * @param {string[]} args
 * @param {{env?: Record<string, string>, cwd?: string}} [options]
 */
export function startCommand(args, { env = {}, cwd = ROOT } = {}) {
  const child = spawn(join(ROOT, 'run-all.sh'), args, {
    cwd,
    env: { ...process.env, ...NO_ENGINE, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (d) => {
    stdout += d;
  });
  child.stderr.on('data', (d) => {
    stderr += d;
  });
  /** @type {Promise<Ended>} */
  const ended = new Promise((resolve) =>
    // As a shell has it: a signal that meets a process on its last steps ends it with 128 and its number.
    child.once('close', (code, signal) =>
      resolve({ code: code ?? 128 + constants.signals[signal ?? 'SIGKILL'], stdout, stderr }),
    ),
  );
  return {
    child,
    stderr: () => stderr,
    ended,
    /** @param {RegExp} pattern @param {number} [withinMs] */
    async says(pattern, withinMs = 180_000) {
      const until = Date.now() + withinMs;
      while (!pattern.test(stderr)) {
        if (Date.now() > until || child.exitCode !== null)
          throw new Error(`never said ${pattern}:\n${stderr}`);
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    },
  };
}

/**
 * @param {string[]} args
 * @param {Parameters<typeof startCommand>[1]} [options]
 * @returns {Promise<Ended>}
 */
export function runCommand(args, options) {
  return startCommand(args, options).ended;
}

/**
 * @param {string} reports
 * @returns {{folder: string, records: CellRecord[], report: string}} the newest run
 */
export function newestRun(reports) {
  const name = readdirSync(reports)
    .filter((n) => n.startsWith('20'))
    .sort()
    .pop();
  if (!name) throw new Error(`no run in ${reports}`);
  const folder = join(reports, name);
  const { records } = withRun(folder, (data) => readRun(data));
  return {
    folder,
    records: records.filter((r) => r.paired === undefined),
    report: readFileSync(join(folder, 'README.md'), 'utf8'),
  };
}

/**
 * Where tests have a folder for temporary files of their own, so do the processes that they started, and others are not seen.
 * @param {string} text part of the command line
 * @returns {number[]} processes that run it
 */
export function processesWith(text) {
  const ours = process.env.TMPDIR ? `TMPDIR=${process.env.TMPDIR}` : '';
  const read = (/** @type {number} */ pid, /** @type {string} */ file) =>
    readFileSync(`/proc/${pid}/${file}`, 'utf8');
  return (processTable() ?? [])
    .map((p) => p.pid)
    .filter((pid) => {
      try {
        return (
          pid !== process.pid && read(pid, 'cmdline').includes(text) && read(pid, 'environ').includes(ours)
        );
      } catch {
        return false;
      }
    });
}

/**
 * @param {() => boolean | Promise<boolean>} condition
 * @param {number} [withinMs]
 * @returns {Promise<boolean>}
 */
export async function eventually(condition, withinMs = 5000) {
  const until = Date.now() + withinMs;
  while (!(await condition())) {
    if (Date.now() > until) return false;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return true;
}

/** @returns {string[]} temporary folders that runs make, and that are there now */
function foldersOfRuns() {
  return readdirSync(tmpdir()).filter((n) => n.startsWith('ladderbench-'));
}
const before = foldersOfRuns();

/** @returns {string[]} those that were not there when the tests of this file began */
export function foldersLeft() {
  return foldersOfRuns().filter((n) => !before.includes(n));
}

/**
 * @param {...string} texts no process has any of them on its command line, and no temporary folder of a run is left
 */
export async function nothingIsLeft(...texts) {
  for (const text of texts)
    assert.ok(await eventually(() => processesWith(text).length === 0), `a process with ${text} is left`);
  assert.deepEqual(foldersLeft(), [], 'a temporary folder is left');
}
