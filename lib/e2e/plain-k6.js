import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { after } from 'node:test';
import { generatorBuild, isBuilt, runBuild } from '../setup/builds.js';

/** Plain k6 beside `--script`: what k6 does of a script is right, and a server counts what each of them asks. */

/**
 * @param {(path: string) => {status?: number, body?: string, delayMs?: number}} [answer]
 * @returns {Promise<{url: string, asked: Map<string, number>}>} how often each path was asked for
 */
export async function countingServer(answer = () => ({})) {
  /** @type {Map<string, number>} */
  const asked = new Map();
  const server = createServer(({ url = '' }, response) => {
    asked.set(url, (asked.get(url) ?? 0) + 1);
    const { status = 200, body = 'ok', delayMs = 20 } = answer(url);
    response.statusCode = status;
    setTimeout(() => response.end(body), delayMs);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  after(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return { url: `http://127.0.0.1:${port}`, asked };
}

/**
 * The k6 of this suite without anything of the suite.
 * @param {string[]} args after `k6 run`
 * @param {Record<string, string>} [env]
 * @returns {Promise<{code: number | null, output: string}>}
 */
export async function plainK6(args, env = {}) {
  const build = generatorBuild();
  if (!isBuilt(build)) await runBuild(build);
  const child = spawn(join(build.output, 'k6'), ['run', '--quiet', '--address', '', ...args], {
    env: { ...process.env, K6_NO_USAGE_REPORT: 'true', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (data) => {
      output += data;
    });
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, output })));
}
