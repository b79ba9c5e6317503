import { loadStacks } from '../../../lib/config/stacks.js';
import { startNative } from '../../../lib/engines/native.js';
import { isBuilt, runBuild, stackBuilds } from '../../../lib/setup/builds.js';

/** @import { Instance } from '../../../lib/engines/native.js' */

/**
 * The real server, started as in a measurement.
 * @returns {Promise<Instance & {port: number}>}
 */
export async function startServer() {
  const stack = loadStacks().stacks.find((s) => s.id === 'quotadb-reference');
  if (!stack) throw new Error('no stack quotadb-reference');
  for (const build of stackBuilds(stack)) if (!isBuilt(build)) await runBuild(build);
  const server = await startNative(stack, { transport: 'resp', signal: new AbortController().signal });
  return { ...server, port: Number(new URL(server.url).port) };
}
