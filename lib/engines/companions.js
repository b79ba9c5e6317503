import { chmodSync, existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { BenchError, EXIT } from '../errors.js';
import { startChild } from '../process/child.js';
import { freePort } from '../process/ports.js';
import { lastLine, runTool } from '../process/tool.js';
import { dieWithUs } from '../setup/die-with-us.js';
import { untakenOf } from './ask.js';
import { demandReady } from './demand-ready.js';

/**
 * Processes that a system needs beside its own, say its database: started before it, each when those answer that it
 * waits for, stopped after it in the reverse order, and counted to it.
 * @import { NativeCompanion, Stack, UntakenSetting } from '../types.d.ts'
 * @import { Child } from '../process/child.js'
 */

/**
 * @typedef {object} Companions
 * @property {string[]} logs their files, absolute
 * @property {() => Promise<void>} prepare once, on fresh data
 * @property {(signal: AbortSignal) => Promise<void>} start again after a kill: on the same data
 * @property {() => number[]} pgids
 * @property {() => {name: string, child: Child} | undefined} ended one that has ended by itself
 * @property {() => Promise<unknown>} died resolves when one ends
 * @property {() => void} kill all of them, as a crash would
 * @property {() => Promise<unknown>} gone resolves when all have ended
 * @property {Record<string, string>} variables `PORT_<NAME>` of each port, and `SECRET`, for hooks
 * @property {boolean} elsewhere a part of the system is not ours to see
 * @property {() => Promise<UntakenSetting[]>} readBack settings that one says are otherwise than its manifest has them; `not told` where it
 *   does not answer
 * @property {() => Promise<void>} stop
 */

/**
 * @param {NativeCompanion[]} companions
 * @returns {Promise<Record<string, string>>} free loopback ports by placeholder
 */
export async function companionPorts(companions) {
  const names = companions.flatMap((c) => [c.name, ...(c.ports ?? [])]);
  const ports = await Promise.all(names.map(() => freePort()));
  return Object.fromEntries(names.map((name, i) => [`port.${name}`, String(ports[i])]));
}

/**
 * @param {string[][]} commands one after another
 * @param {{cwd: string, env: Record<string, string>, timeoutMs?: number}} options
 * @param {string} failed begin of the message about the first that fails
 * @throws {BenchError}
 */
export async function runCommands(commands, options, failed) {
  for (const command of commands) {
    const { ok, stdout, stderr } = await runTool(command, options);
    if (ok) continue;
    throw new BenchError(`${failed}: ${lastLine(stderr || stdout) || 'no message'}`, {
      exitCode: EXIT.systemFailed,
      detail: (stderr || stdout).trim().split('\n').slice(-10, -1),
    });
  }
}

/**
 * Starts each when those are up that it waits for: all before it, unless it names them.
 * @param {NativeCompanion[]} companions
 * @param {(c: NativeCompanion, signal: AbortSignal) => Promise<void>} startOne
 * @param {AbortSignal} signal
 * @throws the first failure, when none of them is starting any more
 */
async function inTheirOrder(companions, startOne, signal) {
  const failed = new AbortController();
  const either = AbortSignal.any([signal, failed.signal]);
  /** @type {Map<string, Promise<void>>} */
  const answers = new Map();
  for (const c of companions) {
    const before = c.after ?? [...answers.keys()];
    const waiting = Promise.all(before.map((name) => answers.get(name)));
    const started = waiting.then(() => (failed.signal.aborted ? undefined : startOne(c, either)));
    answers.set(c.name, started);
  }
  await allOrNone([...answers.values()], () => failed.abort());
}

/**
 * @param {Stack} stack
 * @param {{data: string, logs?: string, ports: Record<string, string>, secret: string, fill: (text: string) => string,
 *   env: Record<string, string>}} context
 * @returns {Companions}
 */
export function companionsOf(stack, { data, logs = data, ports, secret, fill, env }) {
  const all = stack.manifest.native?.companions ?? [];
  const own = all.filter((c) => c.start);
  const logOf = (/** @type {NativeCompanion} */ c) => join(logs, `${c.name}.log`);
  const placeOf = (/** @type {NativeCompanion} */ c) => ({
    cwd: c.start ? join(data, c.name) : data,
    env: { ...env, ...filled(c.env ?? {}, fill) },
  });
  /** @type {{name: string, child: Child, companion: NativeCompanion}[]} */
  let started = [];
  let fresh = true;

  /** @param {NativeCompanion} c @param {string[][]} commands @param {string} what */
  const runAll = (c, commands, what) => {
    const whole = commands.map((command) => command.map(fill));
    return runCommands(whole, placeOf(c), `${stack.id}: its ${c.name} could not be ${what}`);
  };
  /** @param {NativeCompanion} c @param {AbortSignal} signal */
  const startOne = async (c, signal) => {
    const logPath = logOf(c);
    const from = existsSync(logPath) ? statSync(logPath).size : 0;
    const child = await startChild(dieWithUs((c.start ?? []).map(fill)), { ...placeOf(c), logPath });
    started.push({ name: c.name, child, companion: c });
    await demandReady(`${stack.id}: its ${c.name}`, child, {
      check: /** @type {NonNullable<NativeCompanion['ready']>} */ (c.ready),
      port: Number(ports[`port.${c.ready?.port ?? c.name}`]),
      signal,
      fill,
      output: () => readFileSync(logPath).subarray(from).toString(),
    });
    if (fresh) await runAll(c, c.setup ?? [], 'set up');
  };
  /** @param {NativeCompanion} c @returns {Promise<UntakenSetting[]>} */
  const readBackOf = async (c) => {
    if (!c.readBack) return [];
    const { ok, stdout } = await runTool(c.readBack.command.map(fill), placeOf(c));
    const told = ok ? Object.fromEntries(stdout.split('\n').map((line) => line.split('\t'))) : {};
    const names = Object.keys(c.readBack.settings);
    const stated = Object.fromEntries(names.map((name) => [name, told[name] ?? 'not told']));
    return untakenOf(c.readBack.settings, stated).map((u) => ({ ...u, setting: `${c.name}.${u.setting}` }));
  };
  const clearGiven = async () => {
    for (const c of all) if (!c.start) await runAll(c, c.given?.clear ?? [], 'cleared');
  };
  return {
    logs: own.map(logOf),
    prepare: async () => {
      // A companion may run as another user: it must reach its own folder.
      if (own.length > 0) chmodSync(data, 0o711);
      for (const c of own) mkdirSync(join(data, c.name));
      await allOrNone(own.map((c) => runAll(c, c.prepare ?? [], 'prepared')));
      await clearGiven();
    },
    start: async (signal) => {
      started = [];
      await inTheirOrder(own, startOne, signal);
      fresh = false;
    },
    pgids: () => started.map(({ child }) => child.pid),
    ended: () => started.find(({ child }) => !child.running()),
    died: () => Promise.race(started.map(({ child }) => child.exited)),
    kill: () => {
      for (const { child } of started) child.signal('SIGKILL');
    },
    gone: () => Promise.all(started.map(({ child }) => child.exited)),
    variables: {
      ...Object.fromEntries(
        Object.entries(ports).map(([name, port]) => [name.replace('.', '_').toUpperCase(), port]),
      ),
      SECRET: secret,
    },
    elsewhere: own.length < all.length,
    readBack: async () => (await Promise.all(own.map(readBackOf))).flat(),
    stop: async () => {
      const last = (/** @type {{companion: NativeCompanion}} */ s) => own.indexOf(s.companion);
      for (const { child, companion } of started.sort((a, b) => last(b) - last(a))) {
        await child.stop((companion.graceSec ?? 5) * 1000, companion.stop);
      }
      started = [];
      // What cannot be cleared now is cleared before the next start, or said then.
      await clearGiven().catch(() => {});
    },
  };
}

/**
 * @param {Promise<void>[]} parts of one thing, all under way
 * @param {() => void} [failed] called when the first of them fails
 * @returns {Promise<void>} when all of them are over, so that nothing goes on behind a failure
 * @throws what the first one threw
 */
async function allOrNone(parts, failed = () => {}) {
  const first = Promise.all(parts);
  await first.catch(failed);
  await Promise.allSettled(parts);
  await first;
}

/**
 * @param {Record<string, string>} values
 * @param {(text: string) => string} fill
 * @returns {Record<string, string>}
 */
export function filled(values, fill) {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, fill(value)]));
}
