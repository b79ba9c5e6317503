import { readFileSync, writeFileSync } from 'node:fs';
import { basename, delimiter, dirname, join } from 'node:path';
import { BenchError, EXIT } from '../errors.js';
import { removeNow, startChild } from '../run/child.js';
import { temporaryFolder } from '../run/temporary.js';
import { stackBuilds } from '../setup/builds.js';
import { lastLine, runTool } from '../setup/exec.js';
import { findNeed } from '../setup/needs.js';
import { sizeOfFolder } from './disk.js';
import { demandFree, freePort, groupListens } from './ports.js';
import { waitUntilReady } from './ready.js';

/**
 * @import { Stack } from '../types.d.ts'
 * @import { Child } from '../run/child.js'
 */

/**
 * A running system, whatever engine started it.
 * @typedef {object} Instance
 * @property {string} url what the client connects to
 * @property {number | null} pgid process group to be sampled; null where it is not ours to see
 * @property {string | null} version
 * @property {() => boolean} running
 * @property {Promise<void>} died resolves when it ends without being asked to
 * @property {() => string[]} logTail
 * @property {() => Promise<number | null>} diskBytes what its data takes on disk; null where that is not ours to see
 * @property {() => Promise<void>} stop
 */

/**
 * A process of a system, started and not waited for.
 * @typedef {object} Launched
 * @property {Child} child
 * @property {number} port
 * @property {string} data its fresh folder
 * @property {string} logPath inside it
 * @property {(text: string) => string} fill the manifest's placeholders
 * @property {Record<string, string>} env
 * @property {number} spawnedAt `performance.now()` right before it was started
 * @property {() => Promise<void>} end stops it and removes its data
 */

/**
 * @param {Stack} stack
 * @param {{transport: string, port?: number, wrap?: (command: string[]) => string[]}} options `port`: fixed by the
 *   user; `wrap`: a program that watches it
 * @returns {Promise<Launched>}
 */
export async function launch(stack, { transport, port: fixed, wrap = (command) => command }) {
  const native = stack.manifest.native;
  if (!native) throw new BenchError(`${stack.id} has no native recipe`, { exitCode: EXIT.systemFailed });
  if (fixed !== undefined) await demandFree(fixed, stack.id);
  const port = fixed ?? (await freePort());
  const data = temporaryFolder(stack.id);
  const logPath = join(data, 'server.log');
  const { fill, env } = preparation(stack, { port: String(port), data, transport, host: '127.0.0.1' });
  for (const file of native.config ?? []) {
    writeFileSync(join(data, basename(file)), fill(readFileSync(join(stack.folder, file), 'utf8')));
  }
  const command = dieWithUs(wrap(native.start.map(fill)));
  const spawnedAt = performance.now();
  const child = await startChild(command, { cwd: data, env, logPath });
  const end = async () => {
    await child.stop();
    removeNow(data);
  };
  return { child, port, data, logPath, fill, env, spawnedAt, end };
}

/**
 * Starts a system as a child of ours, on a loopback port, on fresh data.
 * @param {Stack} stack
 * @param {Parameters<typeof launch>[1] & {signal: AbortSignal}} options
 * @returns {Promise<Instance>}
 * @throws {BenchError} port in use, ended at once, not ready in time: with its last log lines
 */
export async function startNative(stack, { signal, ...options }) {
  const { child, port, data, logPath, fill, env, end } = await launch(stack, options);
  let stopping = false;
  try {
    await demandReady(stack, child, port, signal);
  } catch (error) {
    await end();
    throw error;
  }
  return {
    url: fill(stack.manifest.endpoint.url),
    pgid: child.pid,
    version: await versionOf(stack, fill, env),
    running: child.running,
    died: child.exited.then(() => (stopping ? new Promise(() => {}) : undefined)),
    logTail: () => child.logTail(),
    diskBytes: () =>
      sizeOfFolder(data, [
        logPath,
        ...(stack.manifest.native?.config ?? []).map((f) => join(data, basename(f))),
      ]),
    stop: async () => {
      stopping = true;
      await end();
    },
  };
}

/**
 * @param {Stack} stack
 * @param {Record<string, string>} [values] of further placeholders
 * @returns {{fill: (text: string) => string, env: Record<string, string>}} for programs of a stack beside its server
 */
export function programsOf(stack, values = {}) {
  const { fill, env } = preparation(stack, { host: '127.0.0.1', ...values });
  return { fill, env };
}

/**
 * @param {Stack} stack
 * @param {Child} child
 * @param {number} port
 * @param {AbortSignal} signal
 */
async function demandReady(stack, child, port, signal) {
  const { ready } = stack.manifest;
  const { ready: answered, last } = await waitUntilReady(ready, {
    host: '127.0.0.1',
    port,
    stillRunning: child.running,
    signal,
  });
  const fail = (/** @type {string} */ what) =>
    new BenchError(`${stack.id} ${what}`, { exitCode: EXIT.systemFailed, detail: child.logTail() });
  if (signal.aborted) throw fail('was interrupted while starting');
  if (!child.running()) throw fail('ended while starting');
  if (!answered) throw fail(`did not become ready in ${ready.timeoutSec} s (${last})`);
  if (groupListens(port, child.pid) === false) {
    throw fail(`is not what answers on port ${port}: another process listens there`);
  }
}

/**
 * On Linux a child can ask the kernel to be killed when its parent dies, even by SIGKILL.
 * @param {string[]} command
 * @returns {string[]}
 */
export function dieWithUs(command) {
  const setpriv = findNeed({ binary: 'setpriv' });
  return process.platform === 'linux' && setpriv
    ? [setpriv.path, '--pdeathsig', 'KILL', '--', ...command]
    : command;
}

/**
 * @param {Stack} stack
 * @returns {string} where its program comes from on this machine
 */
export function provenanceOf(stack) {
  return preparation(stack, {}).provenance;
}

/**
 * What the manifest's placeholders stand for, and where its programs are.
 * @param {Stack} stack
 * @param {Record<string, string>} values
 */
function preparation(stack, values) {
  const build = stackBuilds(stack)[0];
  const all = { ...values, stack: stack.folder, ...(build ? { cache: build.output } : {}) };
  const fill = (/** @type {string} */ text) =>
    text.replace(
      /\{([a-z]+)\}/g,
      (whole, name) => /** @type {Record<string, string>} */ (all)[name] ?? whole,
    );
  /** @type {Record<string, string>} */
  const env = { ...stack.manifest.native?.env };
  const sources = [];
  for (const need of stack.manifest.native?.needs ?? []) {
    const found = findNeed(need);
    if (!found) continue;
    Object.assign(env, found.env);
    env.PATH = [dirname(found.path), env.PATH ?? process.env.PATH].join(delimiter);
    sources.push(found.source);
  }
  if (build) sources.push('built from this repository');
  return { fill, env, provenance: sources.join(', ') };
}

/**
 * @param {Stack} stack
 * @param {(text: string) => string} fill
 * @param {Record<string, string>} env
 * @returns {Promise<string | null>}
 */
async function versionOf(stack, fill, env) {
  const command = stack.manifest.native?.version;
  if (!command) return null;
  const { ok, stdout, stderr } = await runTool(command.map(fill), { env, timeoutMs: 10_000 });
  if (!ok) return null;
  const pattern = /\d+\.\d+(?:\.\d+)?(?:[-+~][\w.]+)?/;
  const text = lastLine(stdout || stderr);
  return (pattern.exec(text) ?? pattern.exec(stdout || stderr))?.[0] ?? text;
}
