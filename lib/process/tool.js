import { execFile, spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { orNull } from '../errors.js';
import { liveGroups } from './child.js';
import { PLAIN } from './plain.js';
import { send } from './send.js';

/**
 * Tools under way, ended with us on every exit path.
 * @type {Set<import('node:child_process').ChildProcess>}
 */
const underWay = new Set();
process.on('exit', () => {
  for (const child of underWay) child.kill('SIGKILL');
});

/**
 * @typedef {object} ToolEnd
 * @property {boolean} ok
 * @property {number | null} code
 * @property {string} stdout
 * @property {string} stderr
 * @property {boolean} timedOut
 * @property {string | null} cause why it has no code, where it was not for the time
 */

/**
 * Runs a short tool and waits for it.
 * @param {string[]} command argument list
 * @param {{cwd?: string, env?: Record<string, string | undefined>, timeoutMs?: number, input?: string}} [options] `input`:
 *   what it reads on its standard input
 * @returns {Promise<ToolEnd>} never rejects: `ok` is false when it
 *   cannot be started, fails, or takes too long
 */
export function runTool(command, { cwd, env, timeoutMs = 120_000, input } = {}) {
  return new Promise((resolve) => {
    const child = execFile(
      command[0],
      command.slice(1),
      {
        cwd,
        env: { ...process.env, ...PLAIN, ...env },
        timeout: timeoutMs,
        maxBuffer: 64 * 1024 * 1024,
        encoding: 'utf8',
      },
      (error, stdout, stderr) => {
        underWay.delete(child);
        const code = error === null ? 0 : typeof error.code === 'number' ? error.code : null;
        const timedOut = error?.killed === true && typeof error.code !== 'string';
        resolve({
          ok: error === null,
          code,
          stdout,
          stderr: stderr || (error?.message ?? ''),
          timedOut,
          cause: error && code === null && !timedOut ? causeText(error) : null,
        });
      },
    );
    underWay.add(child);
    if (input === undefined) return;
    // One that ends before it has read all says so by its code.
    child.stdin?.on('error', () => {});
    child.stdin?.end(input);
  });
}

/** @param {import('node:child_process').ExecFileException} error */
function causeText({ code, signal }) {
  return typeof code === 'string' ? `cannot be started (${code})` : `was ended by ${signal}`;
}

/**
 * Runs a tool and hands over each line while it runs.
 * @param {string[]} command argument list
 * @param {{env?: Record<string, string | undefined>, out: (line: string) => void, err: (line: string) => void}} options
 * @returns {{ended: Promise<number | null>, signal: (name: NodeJS.Signals) => void}} `ended` is its code, null where a signal
 *   ended it, or it cannot be started; never rejects
 */
export function followTool(command, { env, out, err }) {
  const child = spawn(command[0], command.slice(1), {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  underWay.add(child);
  createInterface({ input: child.stdout }).on('line', out);
  createInterface({ input: child.stderr }).on('line', err);
  /** @type {Promise<number | null>} */
  const ended = new Promise((resolve) => {
    child.once('error', (error) => {
      err(error.message);
      resolve(null);
    });
    child.once('close', (code) => resolve(code));
  });
  return { ended: ended.finally(() => underWay.delete(child)), signal: (name) => child.kill(name) };
}

/**
 * Ends its group when its input is closed: a killed runner cannot do it itself. Whatever its group
 * starts in turn goes with it, compilers too. At the end it says on a pipe of its own what CPU time all of them took.
 */
const WATCHED = [
  'exec 4<&0',
  '{ cat <&4; kill -KILL 0; } >/dev/null 2>&1 3>&- &',
  'exec 4<&-',
  '"$@" </dev/null 3>&-',
  'code=$?',
  'times >&3',
  'exit "$code"',
].join('\n');

/** What the shell's `times` says of user and system time. */
const SHELL_TIME = /(\d+)m(\d+)[.,](\d+)s/g;

/**
 * Runs a tool that takes long and starts others: all of them are one group, which ends with it, and with us, however
 * that happens.
 * @param {string[]} command argument list
 * @param {{cwd?: string, env?: Record<string, string | undefined>, timeoutMs: number}} options
 * @returns {Promise<{ok: boolean, stderr: string, cpuSec: number}>} never rejects; `stderr` is its last 64 KiB; `cpuSec`: of
 *   all that it waited for, 0 where it was ended
 */
export function runGroup(command, { cwd, env, timeoutMs }) {
  return new Promise((resolve) => {
    const child = spawn('sh', ['-c', WATCHED, 'sh', ...command], {
      cwd,
      env: { ...process.env, ...PLAIN, ...env },
      detached: true,
      stdio: ['pipe', 'ignore', 'pipe', 'pipe'],
    });
    const endGroup = groupEnder(child.pid);
    let stderr = '';
    const timer = setTimeout(() => {
      stderr += `\nit was ended after ${timeoutMs} ms`;
      endGroup();
    }, timeoutMs);
    const done = (/** @type {boolean} */ ok, times = '') => {
      clearTimeout(timer);
      endGroup();
      resolve({ ok, stderr, cpuSec: secondsIn(times) });
    };
    const times = text(/** @type {import('node:stream').Readable} */ (child.stdio[3])).catch(() => '');
    child.stderr?.on('data', (data) => {
      stderr = (stderr + data).slice(-65_536);
    });
    child.once('error', (error) => {
      stderr += error.message;
      done(false);
    });
    // Not 'close': the watcher holds nothing of ours, but what the tool left behind may.
    child.once('exit', async (code) => done(code === 0, await times));
  });
}

/** @param {string} times of a shell and of what it started @returns {number} */
function secondsIn(times) {
  return [...times.matchAll(SHELL_TIME)].reduce(
    (sum, [, minutes, seconds, parts]) => sum + Number(minutes) * 60 + Number(`${seconds}.${parts}`),
    0,
  );
}

/** @param {number | undefined} pgid @returns {() => void} */
function groupEnder(pgid) {
  if (pgid === undefined) return () => {};
  liveGroups.add(pgid);
  return () => {
    liveGroups.delete(pgid);
    send(-pgid, 'SIGKILL');
  };
}

/**
 * @param {string} binary name, or a path
 * @returns {string | null} where it is on PATH
 */
export function which(binary) {
  if (binary.includes('/')) return isExecutable(binary) ? binary : null;
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    const path = join(folder, binary);
    if (folder !== '' && isExecutable(path)) return path;
  }
  return null;
}

/** @param {string} path */
function isExecutable(path) {
  return orNull(() => accessSync(path, constants.X_OK)) !== null;
}

/**
 * @param {Pick<ToolEnd, 'ok' | 'stdout'>} end
 * @returns {any} what it has printed; null where it failed, or printed no JSON
 */
export function jsonOf({ ok, stdout }) {
  return ok ? orNull(() => JSON.parse(stdout)) : null;
}

/**
 * @param {string} text
 * @returns {string} its last line that says something
 */
export function lastLine(text) {
  return text.trim().split('\n').filter(Boolean).pop() ?? '';
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

/**
 * @param {Pick<ToolEnd, 'ok' | 'stdout' | 'stderr'>} end of a program that was asked for its version
 * @returns {string | null} null where it does not tell
 */
export function versionTold({ ok, stdout, stderr }) {
  return ok ? versionIn(stdout || stderr) : null;
}
