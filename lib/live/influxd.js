import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { waitUntilReady } from '../engines/ready.js';
import { removeNow, startChild } from '../process/child.js';
import { freePort } from '../process/ports.js';
import { temporaryFolder } from '../process/temporary.js';
import { dieWithUs } from '../setup/die-with-us.js';
import { findNeed } from '../setup/needs.js';
import { INFLUXD } from '../setup/setup.js';

const READY = { http: { path: '/ping', status: 204 }, timeoutSec: 10 };

/**
 * @typedef {object} LiveStore
 * @property {string} url `http://127.0.0.1:port/k6`
 * @property {() => Promise<void>} stop
 */

/**
 * The live view's store: an influxd of our own, on loopback, in a temporary folder. A run does without it.
 * @returns {Promise<LiveStore | null>} null where there is no influxd 1.x or it does not start
 */
export async function startInfluxd() {
  const found = findNeed(INFLUXD);
  if (!found) return null;
  const folder = temporaryFolder('influxd');
  const [http, rpc] = [await freePort(), await freePort()];
  const config = join(folder, 'influxd.conf');
  writeFileSync(config, configuration(folder, http, rpc));
  const child = await startChild(dieWithUs([found.path, '-config', config]), {
    env: found.env,
    logPath: join(folder, 'influxd.log'),
  });
  const stop = async () => {
    await child.stop(2000);
    removeNow(folder);
  };
  const where = { host: '127.0.0.1', port: http, stillRunning: child.running };
  const { ready } = await waitUntilReady(READY, where);
  if (ready) return { url: `http://127.0.0.1:${http}/k6`, stop };
  await stop();
  return null;
}

/**
 * Loopback only (Debian's default is all interfaces), no monitoring of itself, no limit on a batch.
 * @param {string} folder
 * @param {number} http
 * @param {number} rpc
 */
function configuration(folder, http, rpc) {
  return `reporting-disabled = true
bind-address = "127.0.0.1:${rpc}"
[meta]
  dir = "${join(folder, 'meta')}"
[data]
  dir = "${join(folder, 'data')}"
  wal-dir = "${join(folder, 'wal')}"
  index-version = "tsi1"
  query-log-enabled = false
[monitor]
  store-enabled = false
[http]
  bind-address = "127.0.0.1:${http}"
  log-enabled = false
  max-body-size = 0
`;
}
