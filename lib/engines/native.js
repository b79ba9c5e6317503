import { readFileSync, writeFileSync } from 'node:fs';
import { basename, delimiter, dirname, join } from 'node:path';
import { BenchError, EXIT } from '../errors.js';
import { removeNow, startChild } from '../run/child.js';
import { temporaryFolder } from '../run/temporary.js';
import { stackBuilds } from '../setup/builds.js';
import { lastLine, runTool } from '../setup/exec.js';
import { findNeed } from '../setup/needs.js';
import { sizeOfFolder } from './disk.js';
import { runHook } from './hooks.js';
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
 * @property {{socket: string, ids: string[]}} [containers] to be sampled in place of a process group
 * @property {{cpus: number | null, memoryBytes: number | null}} [limits] enforced by the engine
 * @property {string | null} version
 * @property {() => boolean} running
 * @property {Promise<void>} died resolves when it ends without being asked to
 * @property {() => string[] | Promise<string[]>} logTail
 * @property {() => Promise<import('../types.d.ts').ContainerFacts[]>} [identity] containers and when they started: two
 *   answers that differ mean a restart in between
 * @property {() => Promise<number | null>} diskBytes what its data takes on disk; null where that is not ours to see
 * @property {() => Promise<string>} [ending] after it died: `by SIGKILL`, `with code 1`
 * @property {() => Promise<void>} stop
 * @property {() => Promise<void>} [kill] ends it as a crash would (SIGKILL); absent where it is not ours to kill
 * @property {() => Promise<void>} [restart] after kill: starts it again on the data that it left, until it answers
 */

/**
 * A process of a system, started and not waited for.
 * @typedef {object} Launched
 * @property {Child} child
 * @property {number} port
 * @property {string} data its folder
 * @property {(text: string) => string} fill the manifest's placeholders
 * @property {Record<string, string>} env
 * @property {number} spawnedAt `performance.now()` right before it was started
 * @property {() => Promise<number | null>} diskBytes what its data takes on disk
 * @property {() => Promise<void>} again starts it anew on the same data, once it has ended
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
  const start = () => startChild(command, { cwd: data, env, logPath });
  const spawnedAt = performance.now();
  const notData = [logPath, ...(native.config ?? []).map((f) => join(data, basename(f)))];
  /** @type {Launched} */
  const launched = {
    child: await start(),
    port,
    data,
    fill,
    env,
    spawnedAt,
    diskBytes: () => sizeOfFolder(data, notData),
    again: async () => {
      launched.child = await start();
    },
    end: async () => {
      await launched.child.stop();
      removeNow(data);
    },
  };
  return launched;
}

/**
 * Starts a system as a child of ours, on a loopback port, on fresh data.
 * @param {Stack} stack
 * @param {Parameters<typeof launch>[1] & {signal: AbortSignal}} options
 * @returns {Promise<Instance>}
 * @throws {BenchError} port in use, ended at once, not ready in time: with its last log lines
 */
export async function startNative(stack, { signal, ...options }) {
  const launched = await launch(stack, options);
  const { port, data, fill, env, diskBytes } = launched;
  const url = fill(stack.manifest.endpoint.url);
  let expected = false;
  const stop = async () => {
    expected = true;
    await launched.end();
  };
  try {
    await demandReady(stack, launched.child, port, signal);
    await runHook(stack, 'after-up', { BASE_URL: url, DATA: data, ...buildFolders(stack) });
  } catch (error) {
    await stop();
    throw error;
  }
  const diedOf = (/** @type {Child} */ of) =>
    of.exited.then(() => (expected ? new Promise(() => {}) : undefined));
  /** @type {Instance} */
  const instance = {
    url,
    pgid: launched.child.pid,
    version: await versionOf(stack, fill, env),
    running: () => launched.child.running(),
    died: diedOf(launched.child),
    logTail: () => launched.child.logTail(),
    diskBytes,
    ending: async () => {
      const { code, signal: by } = await launched.child.exited;
      return by ? `by ${by}` : `with code ${code}`;
    },
    stop,
    kill: async () => {
      expected = true;
      launched.child.signal('SIGKILL');
      await launched.child.exited;
    },
    restart: async () => {
      await launched.again();
      await demandReady(stack, launched.child, port, signal);
      expected = false;
      instance.pgid = launched.child.pid;
      instance.died = diedOf(launched.child);
    },
  };
  return instance;
}

/**
 * @param {Stack} stack
 * @returns {Record<string, string>} for hooks: `BUILD_<NAME>`, the folder of each named build
 */
function buildFolders(stack) {
  const named = stackBuilds(stack).filter((b) => b.name);
  return Object.fromEntries(named.map((b) => [`BUILD_${b.name?.toUpperCase()}`, b.output]));
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
  const builds = stackBuilds(stack);
  const [build] = builds;
  const all = {
    ...values,
    stack: stack.folder,
    ...(build ? { cache: build.output } : {}),
    ...Object.fromEntries(builds.flatMap((b) => (b.name ? [[b.name, b.output]] : []))),
  };
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
  if (build) sources.push(build.origin);
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
  return versionIn(stdout || stderr);
}

/**
 * @param {string} output of a program that was asked for its version
 * @returns {string} the first version number of its last line, else of all of it, else that line
 */
export function versionIn(output) {
  const pattern = /\d+\.\d+(?:\.\d+)?(?:[-+~][\w.]+)?/;
  const text = lastLine(output);
  return (pattern.exec(text) ?? pattern.exec(output))?.[0] ?? text;
}
