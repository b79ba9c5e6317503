import { mkdirSync } from 'node:fs';
import { BenchError, EXIT } from '../errors.js';
import { cachePath } from '../paths.js';
import { askServer } from './ask.js';
import { hookFolders, runHook } from './hooks.js';
import { waitUntilReady } from './ready.js';

/**
 * @import { Stack } from '../types.d.ts'
 * @import { Instance } from './native.js'
 */

/**
 * A system that somebody else runs: it is asked whether it answers, and left alone otherwise. It outlives the run, so its
 * hook gets a folder of the cache, `KEEP`, for what it must still know the next time.
 * @param {Stack} stack
 * @param {{url: string, signal: AbortSignal}} options
 * @returns {Promise<Instance>}
 * @throws {BenchError} when it does not answer
 */
export async function attachExternal(stack, { url, signal }) {
  const { hostname, port } = parseEndpoint(stack.id, url);
  const { ready: usual, endpoint } = stack.manifest;
  const check = { ...(endpoint.ready ?? usual), timeoutSec: Math.min(usual.timeoutSec, 5) };
  const { ready, last } = await waitUntilReady(check, {
    host: hostname,
    port: port ?? stack.manifest.endpoint.port,
    stillRunning: () => true,
    signal,
  });
  if (!ready) {
    throw new BenchError(`${stack.id} does not answer at ${url} (${last})`, {
      hint: `start it, or correct --endpoint ${stack.id}=URL`,
      exitCode: EXIT.systemFailed,
    });
  }
  const keep = cachePath('keep', stack.base);
  mkdirSync(keep, { recursive: true, mode: 0o700 });
  await runHook(stack, 'after-up', { BASE_URL: url, KEEP: keep, ...hookFolders(stack, 'external') });
  const stated = await askServer(stack, { host: hostname, port: port ?? endpoint.port });
  return {
    url,
    pgid: null,
    version: stated.version,
    stated,
    running: () => true,
    died: new Promise(() => {}),
    logTail: () => [],
    diskBytes: async () => null,
    stop: async () => {},
  };
}

/**
 * @param {string} id
 * @param {string} url
 * @returns {{hostname: string, port: number | null}}
 * @throws {BenchError}
 */
export function parseEndpoint(id, url) {
  let parsed;
  try {
    parsed = new URL(url);
  } catch {
    throw new BenchError(`--endpoint ${id}=${url}: not a URL`, { hint: 'write scheme://host:port' });
  }
  if (!parsed.hostname) {
    throw new BenchError(`--endpoint ${id}=${url}: no host in it`, { hint: 'write scheme://host:port' });
  }
  return {
    hostname: parsed.hostname.replace(/^\[|\]$/g, ''),
    port: parsed.port ? Number(parsed.port) : null,
  };
}
