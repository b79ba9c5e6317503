import { join } from 'node:path';
import { BenchError, causeOf, EXIT } from '../errors.js';
import { removeNow, startChild } from '../process/child.js';
import { freePort } from '../process/ports.js';
import { temporaryFolder } from '../process/temporary.js';
import { networkBuild } from '../setup/builds.js';
import { dieWithUs } from '../setup/die-with-us.js';

/** @import { FaultKind } from '../types.d.ts' */

const READY_MS = 10_000;

/** Toxics of each fault; what goes to the server is delayed by half, what comes back by the other half. */
const TOXICS = Object.freeze({
  'slow-network': [
    ...['upstream', 'downstream'].map((stream) => ({
      type: 'latency',
      stream,
      attributes: { latency: 10, jitter: 3 },
    })),
    { type: 'reset_chunk', stream: 'upstream', attributes: { share: 0.01 } },
  ],
  partition: ['upstream', 'downstream'].map((stream) => ({ type: 'hold', stream, attributes: {} })),
});

/**
 * @param {FaultKind} kind
 * @returns {kind is keyof typeof TOXICS}
 */
export function isOfNetwork(kind) {
  return kind in TOXICS;
}

/**
 * What stands between load and server, and lets everything through until it is told otherwise.
 * @typedef {object} Network
 * @property {string} url of the server, through it
 * @property {(kind: keyof typeof TOXICS) => Promise<void>} begin
 * @property {() => Promise<void>} end what was begun
 * @property {() => Promise<void>} stop
 */

/**
 * @param {string} url of the server
 * @returns {Promise<Network>}
 * @throws {BenchError} when it does not start
 */
export async function startNetwork(url) {
  const folder = temporaryFolder('network');
  const logPath = join(folder, 'network.log');
  const [apiPort, port] = [await freePort(), await freePort()];
  const child = await startChild(
    dieWithUs([join(networkBuild().output, 'network-faults'), '--api-port', String(apiPort)]),
    { cwd: folder, logPath },
  );
  const stop = async () => {
    await child.stop(1000);
    removeNow(folder);
  };
  /** @param {string} method @param {string} path @param {object} [body] */
  const ask = async (method, path, body) => {
    const answer = await fetch(`http://127.0.0.1:${apiPort}${path}`, {
      method,
      headers: { 'user-agent': 'ladderbench' },
      ...(body ? { body: JSON.stringify(body) } : {}),
      signal: AbortSignal.timeout(5000),
    });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
  };
  const { host } = new URL(url.replace(/^[a-z0-9+.-]+:/, 'http:'));
  /** @type {string[]} */
  let begun = [];
  try {
    await untilReady(() => ask('GET', '/version'), child.running);
    await ask('POST', '/proxies', {
      name: 'system',
      listen: `127.0.0.1:${port}`,
      upstream: host,
      enabled: true,
    });
  } catch (error) {
    const detail = child.logTail();
    await stop();
    throw new BenchError(`the network between load and server did not start: ${causeOf(error)}`, {
      exitCode: EXIT.systemFailed,
      detail,
    });
  }
  return {
    url: url.replace(host, `127.0.0.1:${port}`),
    begin: async (kind) => {
      for (const toxic of TOXICS[kind]) {
        const name = `${toxic.type}-${toxic.stream}`;
        await ask('POST', '/proxies/system/toxics', { name, toxicity: 1, ...toxic });
        begun.push(name);
      }
    },
    end: async () => {
      for (const name of begun.reverse()) await ask('DELETE', `/proxies/system/toxics/${name}`);
      begun = [];
    },
    stop,
  };
}

/**
 * @param {() => Promise<void>} ask
 * @param {() => boolean} running
 */
async function untilReady(ask, running) {
  const until = Date.now() + READY_MS;
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!running() || Date.now() > until) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
}
