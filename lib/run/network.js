import { join } from 'node:path';
import { runContainer } from '../engines/docker/run-container.js';
import { waitUntilReady } from '../engines/ready.js';
import { BenchError, causeOf, EXIT } from '../errors.js';
import { removeNow, startChild } from '../process/child.js';
import { freePort } from '../process/ports.js';
import { temporaryFolder } from '../process/temporary.js';
import { toolBuild } from '../setup/builds.js';
import { dieWithUs } from '../setup/die-with-us.js';

/**
 * @import { Project } from '../engines/docker/project.js'
 * @import { Child } from '../process/child.js'
 */

const READY = { http: { path: '/version', status: 200 }, timeoutSec: 10 };
/** Of a container, which has an address of its own: any port is free there. */
const INSIDE_PORT = 7000;
/** In the systems' network: its container's own name is too long for one of the Internet. */
const NAME = 'network-faults';
const EVERYWHERE = '0.0.0.0';

/**
 * What stands between load and server, and lets everything through until it is told otherwise.
 * @typedef {object} Network
 * @property {string} url of the server, through it
 * @property {(toxics: {type: string, stream: string, attributes: object}[]) => Promise<void>} begin as Toxiproxy calls them
 * @property {() => Promise<void>} end what was begun
 * @property {() => Promise<void>} stop
 */

/**
 * @param {string} url of the server
 * @param {{project: Project, image: string, network: string} | null} inside the containers that it stands among; null: as a
 *   process of this machine
 * @returns {Promise<Network>}
 * @throws {BenchError} when it does not start
 */
export async function startNetwork(url, inside) {
  const folder = temporaryFolder('network');
  const apiPort = await freePort();
  const call = { apiPort, logPath: join(folder, 'network.log') };
  const { child, listen, host, release } = await (inside ? startInside(inside, call) : startHere(call));
  const stop = async () => {
    await child.stop(1000);
    await release();
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
  const upstream = new URL(url.replace(/^[a-z0-9+.-]+:/, 'http:')).host;
  /** @type {string[]} */
  let begun = [];
  try {
    const where = { host: '127.0.0.1', port: apiPort, stillRunning: child.running };
    const { ready, last } = await waitUntilReady(READY, where);
    if (!ready) throw new Error(last);
    await ask('POST', '/proxies', {
      name: 'system',
      listen,
      upstream,
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
    url: url.replace(upstream, host),
    begin: async (toxics) => {
      for (const toxic of toxics) {
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
 * @typedef {object} Proxy
 * @property {Child} child
 * @property {string} listen where it listens for the load
 * @property {string} host with its port, as the load reaches it
 * @property {() => Promise<void>} release what is left of it once it ended
 */

/**
 * @param {{apiPort: number, logPath: string}} call
 * @returns {Promise<Proxy>}
 */
async function startHere({ apiPort, logPath }) {
  const child = await startChild(dieWithUs([program(), '--api-port', String(apiPort)]), { logPath });
  const host = `127.0.0.1:${await freePort()}`;
  return { child, listen: host, host, release: async () => {} };
}

/**
 * @param {NonNullable<Parameters<typeof startNetwork>[1]>} inside
 * @param {{apiPort: number, logPath: string}} call
 * @returns {Promise<Proxy>} in the systems' own network, which the load does not leave
 */
async function startInside(inside, { apiPort, logPath }) {
  const { child, release } = await runContainer(['--api-host', EVERYWHERE, '--api-port', String(apiPort)], {
    ...inside,
    role: 'network',
    paths: { readOnly: [program()] },
    ports: [apiPort],
    flags: ['--entrypoint', program(), '--network-alias', NAME],
    logPath,
  });
  return { child, listen: `${EVERYWHERE}:${INSIDE_PORT}`, host: `${NAME}:${INSIDE_PORT}`, release };
}

/** @returns {string} absolute path */
function program() {
  return join(toolBuild(NAME).output, NAME);
}
