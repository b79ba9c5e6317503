import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, delimiter, dirname, isAbsolute, join } from 'node:path';
import { fillSettings, withSettings } from '../config/settings.js';
import { BenchError, EXIT } from '../errors.js';
import { cachePath } from '../paths.js';
import { removeNow, startChild } from '../process/child.js';
import { memoryGroup } from '../process/memory-limit.js';
import { ownName } from '../process/own-name.js';
import { demandFree, freePort, listenerOf } from '../process/ports.js';
import { send } from '../process/send.js';
import { temporaryFolder } from '../process/temporary.js';
import { runTool, versionTold, which } from '../process/tool.js';
import { stackBuilds } from '../setup/builds.js';
import { dieWithUs } from '../setup/die-with-us.js';
import { findNeed } from '../setup/needs.js';
import { readJsonOr, writeJson } from '../store.js';
import { askServer } from './ask.js';
import { companionPorts, companionsOf, filled } from './companions.js';
import { demandReady } from './demand-ready.js';
import { sizeOfFolder } from './disk.js';
import { runHook } from './hooks.js';
import { diskThatForgets } from './power-loss.js';

/**
 * @import { Stack } from '../types.d.ts'
 * @import { Child } from '../process/child.js'
 * @import { ContainerView } from '../sample/container-view.js'
 * @import { Companions } from './companions.js'
 * @import { Disk } from './power-loss.js'
 */

/**
 * A running system, whatever engine started it.
 * @typedef {object} Instance
 * @property {string} url what the client connects to
 * @property {string} [hostUrl] how this host reaches it, where the client does not run here
 * @property {number | null} pgid process group to be sampled; null where it is not ours to see
 * @property {import('./given-processes.js').GivenProcesses} [given] processes that a user named as those of a system by its
 *   address
 * @property {Pick<Companions, 'pgids' | 'variables' | 'elsewhere'>} [companions] processes that it needs beside its own
 * @property {{socket: string, ids: string[], views: ContainerView[] | null}} [containers] to be sampled in place of a
 *   process group; `views`: as this machine's files show them, null where they do not
 * @property {{cpus: number | null, memoryBytes: number | null}} [limits] enforced by the engine
 * @property {string | null} version
 * @property {import('./ask.js').Stated} [stated] what the server says of itself
 * @property {import('../types.d.ts').UntakenSetting[]} [untaken] settings of its companions that did not take
 * @property {() => boolean} running
 * @property {() => Promise<void>} [demandThere] of a system that others run: throws where it does not answer any more
 * @property {Promise<void>} died resolves when it ends without being asked to
 * @property {() => string[] | Promise<string[]>} logTail
 * @property {() => Promise<import('../types.d.ts').ContainerFacts[]>} [identity] containers and when they started: two
 *   answers that differ mean a restart in between
 * @property {() => Promise<string | null>} [mark] what changes when it is restarted, by whomever; null where it does
 *   not tell
 * @property {() => Promise<number | null>} diskBytes what its data takes on disk; null where that is not ours to see
 * @property {() => Promise<string>} [ending] after it died: `by SIGKILL`, `with code 1`
 * @property {() => Promise<void>} stop
 * @property {() => void | Promise<void>} [freeze] stops its processes where they are (SIGSTOP, `docker pause`); absent
 *   where they are not ours
 * @property {() => void | Promise<void>} [thaw] lets them go on
 * @property {Disk} [disk] that its data lies on, where it was started with one that can lose its power, or be full
 * @property {import('../process/memory-limit.js').MemoryGroup} [memory] where it was started with one that can be limited
 * @property {() => Promise<void>} [kill] ends it as a crash would (SIGKILL); absent where it is not ours to kill
 * @property {() => Promise<void>} [restart] after kill: starts it again on the data that it left, until it answers
 */

/**
 * A process of a system, started and not waited for; what it needs beside it runs and answers.
 * @typedef {object} Launched
 * @property {Child} child
 * @property {number} port
 * @property {string} data its folder
 * @property {(text: string) => string} fill the manifest's placeholders
 * @property {Record<string, string>} env
 * @property {number} spawnedAt `performance.now()` right before its first process was started
 * @property {Companions} companions
 * @property {Pick<Instance, 'disk' | 'memory'>} prepared
 * @property {() => Promise<number | null>} diskBytes what its data takes on disk
 * @property {(signal: AbortSignal) => Promise<void>} again starts it again on the same data, once it has ended
 * @property {() => Promise<void>} end stops it and removes its data
 */

/**
 * @param {Stack} stack
 * @param {{transport: string, signal: AbortSignal, port?: number, wrap?: (command: string[]) => string[],
 *   needs?: import('../config/faults.js').Need}} options `port`: fixed by the user; `wrap`: a program that watches it;
 *   `needs`: what its fault needs
 * @returns {Promise<Launched>}
 * @throws {BenchError} a port in use, or something that it needs does not start: nothing is left then
 */
export async function launch(stack, { transport, signal, port: fixed, wrap = (command) => command, needs }) {
  const native = stack.manifest.native;
  if (!native) throw new BenchError(`${stack.id} has no native recipe`, { exitCode: EXIT.systemFailed });
  if (fixed !== undefined) await demandFree(fixed, stack.id);
  const port = fixed ?? (await freePort());
  const ports = await companionPorts(native.companions ?? []);
  const folder = temporaryFolder(stack.id);
  const disk = needs === 'disk' ? diskThatForgets(folder) : undefined;
  const memory = needs === 'memory' ? memoryGroup(ownName(stack.id)) : undefined;
  const data = disk?.mount ?? folder;
  const logPath = join(folder, 'server.log');
  const secret = randomBytes(16).toString('hex');
  const own = { port: String(port), data, transport, secret, ...ports };
  const { fill, env } = programsOf(stack, own);
  const companions = companionsOf(stack, { data, logs: folder, ports, secret, fill, env });
  const config = (native.config ?? []).map((file) => ({ file, path: join(data, basename(file)) }));
  const command = dieWithUs(wrap(withSettings(native.start, stack.manifest.settings).map(fill)));
  const start = async () => {
    const child = await startChild(command, { cwd: data, env, logPath });
    for (const pid of [child.pid, ...companions.pgids()]) memory?.add(pid);
    return child;
  };
  const end = async () => {
    await companions.stop();
    await disk?.off();
    memory?.remove();
    removeNow(folder);
  };
  try {
    for (const { file, path } of config)
      writeFileSync(path, fill(readFileSync(join(stack.folder, file), 'utf8')));
    await companions.prepare();
    await disk?.on();
    const spawnedAt = performance.now();
    await companions.start(signal);
    const notData = [logPath, ...companions.logs, ...config.map(({ path }) => path)];
    /** @type {Launched} */
    const launched = {
      child: await start(),
      companions,
      port,
      data,
      fill,
      env,
      spawnedAt,
      prepared: { disk, memory },
      diskBytes: () => sizeOfFolder(data, notData),
      again: async (again) => {
        await disk?.on();
        await companions.start(again);
        launched.child = await start();
      },
      end: async () => {
        await launched.child.stop();
        await end();
      },
    };
    return launched;
  } catch (error) {
    await end();
    throw error;
  }
}

/**
 * Starts a system as a child of ours, on a loopback port, on fresh data.
 * @param {Stack} stack
 * @param {Parameters<typeof launch>[1] & {signal: AbortSignal}} options
 * @returns {Promise<Instance>}
 * @throws {BenchError} port in use, ended at once, not ready in time: with its last log lines
 */
export async function startNative(stack, { signal, ...options }) {
  const launched = await launch(stack, { signal, ...options });
  const { port, data, fill, diskBytes, companions } = launched;
  const url = fill(stack.manifest.endpoint.url);
  let expected = false;
  const stop = async () => {
    expected = true;
    await launched.end();
  };
  const ready = () => demandReady(stack.id, launched.child, { check: stack.manifest.ready, port, signal });
  try {
    await ready();
    await runHook(stack, 'native', {
      BASE_URL: url,
      DATA: data,
      // Its programs are on it, wherever they were found.
      ...(launched.env.PATH ? { PATH: launched.env.PATH } : {}),
      ...companions.variables,
    });
  } catch (error) {
    await stop();
    throw error;
  }
  const stated = await askServer(stack, { host: '127.0.0.1', port });
  const untaken = await companions.readBack();
  const version = await versionOf(stack.manifest.native?.version, launched);
  const diedOf = () =>
    Promise.race([launched.child.exited, companions.died()]).then(() =>
      expected ? new Promise(() => {}) : undefined,
    );
  const signalAll = (/** @type {NodeJS.Signals} */ name) => {
    for (const pgid of [launched.child.pid, ...companions.pgids()]) send(-pgid, name);
  };
  /** @type {Instance} */
  const instance = {
    url,
    pgid: launched.child.pid,
    companions,
    // One that was built by hand may not know it: who gives it (`X_BIN`) can name that, too.
    version: version ?? stated.version ?? programVariable(stack, (own) => own.replace(/_BIN$/, '_VERSION')),
    stated,
    untaken,
    running: () => launched.child.running() && !companions.ended(),
    died: diedOf(),
    logTail: () => (companions.ended()?.child ?? launched.child).logTail(),
    mark: async () => listenerOf(port),
    diskBytes,
    ending: () => endingOf(launched),
    stop,
    freeze: () => signalAll('SIGSTOP'),
    thaw: () => signalAll('SIGCONT'),
    ...launched.prepared,
    kill: async () => {
      expected = true;
      launched.child.signal('SIGKILL');
      companions.kill();
      await launched.child.exited;
      await companions.gone();
    },
    restart: async () => {
      await launched.again(signal);
      await ready();
      expected = false;
      instance.pgid = launched.child.pid;
      instance.died = diedOf();
    },
  };
  return instance;
}

/**
 * @param {Launched} launched of which something has ended by itself
 * @returns {Promise<string>} how, and what, where it was not the system's own process
 */
async function endingOf({ child, companions }) {
  const companion = companions.ended();
  const { code, signal } = await (companion?.child ?? child).exited;
  const how = signal ? `by ${signal}` : `with code ${code}`;
  return companion ? `(its ${companion.name}, ${how})` : how;
}

/**
 * @param {Stack} stack
 * @returns {string} where its program comes from on this machine
 */
export function provenanceOf(stack) {
  return programsOf(stack).provenance;
}

/**
 * @param {Stack} stack
 * @param {(own: string) => string} nameOf a variable, by that of the program (`X_BIN`)
 * @returns {string | null} what a user who gives a program of theirs says of it there; null: nothing, or no program
 */
function programVariable({ manifest: { native } }, nameOf) {
  const variables = [native?.override?.env, ...(native?.needs ?? []).map((need) => need.env)];
  const own = variables.find((name) => name?.endsWith('_BIN') && process.env[name]);
  return (own && process.env[nameOf(own)]) || null;
}

/** @param {Stack} stack @returns {string | null} what its user says of a program that is no build of the vendor's (`X_BIN_FROM`) */
export function builtAs(stack) {
  return programVariable(stack, (own) => `${own}_FROM`);
}

/**
 * @param {Stack} stack whose programs are here
 * @returns {Promise<string | null>} as its program says, without being started
 */
export async function installedVersion(stack) {
  const { fill, env } = programsOf(stack);
  const command = stack.manifest.native?.version?.map(fill) ?? [];
  const folders = (env.PATH ?? process.env.PATH ?? '').split(delimiter);
  const files = [...folders.map((folder) => join(folder, command[0] ?? '')), ...command.filter(isAbsolute)];
  const ages = files.flatMap((f) => statSync(f, { throwIfNoEntry: false })?.mtimeMs ?? []);
  const key = JSON.stringify([command, env.PATH, ages]);
  versions ??= readJsonOr(VERSIONS(), {});
  if (!Object.hasOwn(versions, key)) {
    versions[key] = await versionOf(stack.manifest.native?.version, { fill, env });
    if (existsSync(cachePath())) writeJson(VERSIONS(), versions);
  }
  return versions[key];
}

/** What programs said of their version, for who only looks around: to start each of them takes longer than all the rest. */
const VERSIONS = () => cachePath('versions.json');
/** @type {Record<string, string | null> | undefined} */
let versions;

/**
 * What the manifest's placeholders stand for, and where its programs are: for the server, and for what runs beside it.
 * @param {Stack} stack
 * @param {Record<string, string>} [values] of further placeholders
 */
export function programsOf(stack, values = {}) {
  const builds = stackBuilds(stack);
  const [build] = builds;
  /** @type {Record<string, string>} */
  const all = {
    host: '127.0.0.1',
    ...values,
    stack: stack.folder,
    ...(build ? { cache: build.output } : {}),
    ...Object.fromEntries(builds.flatMap((b) => (b.name ? [[b.name, b.output]] : []))),
  };
  const fill = (/** @type {string} */ text) =>
    fillSettings(text, stack.manifest.settings).replace(
      /\{([a-z][a-z0-9.]*)\}/g,
      (whole, name) => all[name] ?? whole,
    );
  const companions = stack.manifest.native?.companions ?? [];
  for (const { name, url } of companions) if (url) all[`url.${name}`] = fill(url);
  const env = filled(stack.manifest.native?.env ?? {}, fill);
  const found = (stack.manifest.native?.needs ?? []).flatMap((need) => findNeed(need) ?? []);
  Object.assign(env, ...found.map((f) => f.env));
  // Not the folder of one that is on PATH: it would hide what the user names and is there under the same name.
  const beside = found.filter(({ path }) => which(basename(path)) !== path).map(({ path }) => dirname(path));
  if (beside.length > 0) env.PATH = [...beside, env.PATH ?? process.env.PATH].join(delimiter);
  const sources = found.map(({ source }) => source);
  if (build) sources.push(build.origin);
  // Programs of the others say it.
  sources.push(...companions.flatMap((c) => (c.start ? [] : [`${c.name} given by ${c.given?.env}`])));
  return { fill, env, provenance: [...new Set(sources)].join(', ') };
}

/**
 * @param {string[] | undefined} command that prints it, of the manifest
 * @param {Pick<ReturnType<typeof programsOf>, 'fill' | 'env'>} programs
 * @returns {Promise<string | null>} null where it is not told
 */
export async function versionOf(command, { fill, env }) {
  if (!command) return null;
  return versionTold(await runTool(command.map(fill), { env, timeoutMs: 10_000 }));
}
