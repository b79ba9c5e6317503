import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withSettings } from '../../../lib/config/settings.js';
import { loadStacks } from '../../../lib/config/stacks.js';
import { programsOf } from '../../../lib/engines/native.js';
import { waitUntilReady } from '../../../lib/engines/ready.js';
import { startChild } from '../../../lib/process/child.js';
import { freePort } from '../../../lib/process/ports.js';
import { which } from '../../../lib/process/tool.js';
import { isBuilt, runBuild, stackBuilds } from '../../../lib/setup/builds.js';
import { dieWithUs } from '../../../lib/setup/die-with-us.js';

/** @import { Stack } from '../../../lib/types.d.ts' */

/** @returns {Stack[]} every system whose manifest names the test of this contract */
export function implementations() {
  return loadStacks().stacks.filter((s) =>
    s.manifest.conformance?.command.some((a) => a.includes('_ingest/')),
  );
}

/**
 * @param {Stack} stack
 * @returns {string | undefined} why it cannot be built here
 */
export function missingTool(stack) {
  const tool = stackBuilds(stack)
    .map((b) => b.command[0])
    .find((t) => which(t) === null);
  return tool && `${tool} is not on PATH`;
}

/** @param {Stack} stack */
export async function build(stack) {
  for (const b of stackBuilds(stack)) if (!isBuilt(b)) await runBuild(b);
}

/** @returns {{path: string, remove: () => void}} a folder for data that outlives a server */
export function dataFolder() {
  const path = mkdtempSync(join(tmpdir(), 'lb-contract-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/**
 * Starts a system as its manifest says, on data that may be there already.
 * @param {Stack} stack
 * @param {string} data
 * @param {Record<string, string>} [variables] beside those of the manifest
 */
export async function startServer(stack, data, variables = {}) {
  const port = await freePort();
  const { fill, env } = programsOf(stack, { port: String(port), data, transport: 'http' });
  const { native, settings } = stack.manifest;
  const command = dieWithUs(withSettings(native?.start ?? [], settings).map(fill));
  const child = await startChild(command, {
    cwd: data,
    env: { ...env, ...variables },
    logPath: join(data, 'server.log'),
  });
  const { ready, last } = await waitUntilReady(stack.manifest.ready, {
    host: '127.0.0.1',
    port,
    stillRunning: child.running,
    signal: AbortSignal.timeout(30_000),
  });
  if (!ready) {
    await child.stop();
    throw new Error(`${stack.id} did not start: ${last}\n${child.logTail().join('\n')}`);
  }
  return { ...child, url: fill(stack.manifest.endpoint.url) };
}
