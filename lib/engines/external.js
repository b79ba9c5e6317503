import { BenchError, EXIT } from '../errors.js';
import { cachePath } from '../paths.js';
import { makeFolder } from '../store.js';
import { askServer, respCommand } from './ask.js';
import { loginOf, parseEndpoint } from './endpoint.js';
import { givenProcesses } from './given-processes.js';
import { hasHook, runHook } from './hooks.js';
import { answerOf, waitUntilReady } from './ready.js';
import { unwatched } from './unwatched.js';

/**
 * @import { ReadyCheck, Stack } from '../types.d.ts'
 * @import { Instance } from './native.js'
 */

/**
 * A system that somebody else runs: it is asked whether it answers, and left alone otherwise. It outlives the run, so its
 * hook gets a folder of the cache, `KEEP`, for what it must still know the next time.
 * @param {Stack} stack
 * @param {{url: string, signal: AbortSignal, fromPods?: boolean, watch?: number[]}} options `fromPods`: others load it, who
 *   may reach it where this machine does not; `watch`: its processes are looked at, none named: who listens at its port
 * @returns {Promise<Instance>}
 * @throws {BenchError} when it does not answer, or must be asked what only this machine can ask
 */
export async function attachExternal(stack, { url, signal, fromPods = false, watch }) {
  const { hostname: host, port: named } = parseEndpoint(stack, url);
  const { ready: usual, endpoint } = stack.manifest;
  const port = named ?? endpoint.port;
  const check = loggedIn(stack.id, {
    ...(endpoint.ready ?? usual),
    timeoutSec: Math.min(usual.timeoutSec, fromPods ? 2 : 5),
  });
  const { ready, last } = await waitUntilReady(check, { host, port, stillRunning: () => true, signal });
  if (!ready && fromPods) {
    if (stack.manifest.conformance || hasHook(stack))
      throw new BenchError(
        `${stack.id} at ${url} cannot be reached from this machine, which must set it up or check it`,
        {
          hint: 'give an address that this machine and the pods can reach',
          exitCode: EXIT.systemFailed,
        },
      );
    // This machine sees nothing of it: pods load it and look at what it has stored.
    return unwatched(url);
  }
  if (!ready) {
    throw new BenchError(`${stack.id} does not answer at ${url} (${last})`, {
      hint: `start it, or correct --endpoint ${stack.id}=URL`,
      exitCode: EXIT.systemFailed,
    });
  }
  const keep = cachePath('keep', stack.base);
  makeFolder(keep, { mode: 0o700 });
  await runHook(stack, 'external', { BASE_URL: url, KEEP: keep });
  const stated = await askServer(stack, { host, port }, loginOf(stack.id));
  const given = watch && givenProcesses(stack.id, port, watch);
  const mark = async () => (await markOf(stack, { host, port })) ?? given?.mark() ?? null;
  return { ...unwatched(url), version: stated.version, stated, mark, ...(given ? { given } : {}) };
}

/**
 * @param {string} id
 * @param {ReadyCheck} check
 * @returns {ReadyCheck} of a system that wants a password first
 */
function loggedIn(id, check) {
  const login = loginOf(id);
  if (login.length === 0 || !('tcp' in check)) return check;
  const { send, expect } = check.tcp;
  return { ...check, tcp: { send: respCommand(login) + send, expect: `+OK\r\n${expect}` } };
}

/**
 * @param {Stack} stack
 * @param {{host: string, port: number}} where
 * @returns {Promise<string | null>} what the system calls this start of it; null where it does not tell
 */
async function markOf({ id, manifest }, where) {
  const { mark } = manifest.endpoint;
  if (!mark) return null;
  const login = loginOf(id);
  const send = (login.length > 0 ? respCommand(login) : '') + mark.send;
  const answer = await answerOf(where, send, (text) => text.includes(mark.after));
  const [, rest] = answer.split(mark.after);
  return rest === undefined ? null : rest.split(/\s/)[0];
}
