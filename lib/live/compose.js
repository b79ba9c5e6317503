import { join } from 'node:path';
import { compose, docker } from '../engines/docker/cli.js';
import { obtainImage } from '../engines/docker/images.js';
import { freePort } from '../engines/ports.js';
import { ROOT } from '../paths.js';
import { lastLine } from '../setup/exec.js';

/** @import { Project } from '../engines/docker/project.js' */

const FILE = join(ROOT, 'docker-compose.yml');

/** The project of the compose file itself: what stays up after a run is the same as what is started by hand. */
const STANDING_PROJECT = 'ladderbench';

/** How long the services may take to answer; without them a run does well. */
const WAIT_SEC = 60;

/**
 * The live view's services in containers. A run does without them.
 * @typedef {object} ComposedLive
 * @property {string | null} url of the database k6, as seen from this machine; null without InfluxDB
 * @property {string | null} networkUrl the same, as seen from the run's network
 * @property {string | null} grafanaUrl
 * @property {string[]} missing one line for each service that is not there
 * @property {() => Promise<void>} stop leaves them up where they were to stay
 */

/**
 * Starts InfluxDB, cAdvisor and Grafana, as far as their images can be had, and joins them to the run's network.
 * @param {Project} project
 * @param {{keep: boolean, pull: boolean}} options `keep`: at their usual ports, and still up when the run is over
 * @returns {Promise<ComposedLive>}
 */
export async function startComposedLive(project, { keep, pull }) {
  const { env, missing, services } = await imagesOf(project, pull);
  const ports = keep
    ? { INFLUXDB_PORT: 8086, GRAFANA_PORT: 3000, CADVISOR_PORT: 8080 }
    : { INFLUXDB_PORT: await freePort(), GRAFANA_PORT: await freePort(), CADVISOR_PORT: await freePort() };
  const name = keep ? STANDING_PROJECT : project.name;
  const where = {
    project: name,
    file: FILE,
    env: { ...project.env, ...env, ...textsOf(ports) },
    timeoutMs: (WAIT_SEC + 60) * 1000,
  };
  const call = (/** @type {string[]} */ args) => compose(project.engine.compose, where, args);
  const none = { url: null, networkUrl: null, grafanaUrl: null, missing, stop: async () => {} };
  if (!services.includes('influxdb')) return none;
  const wait = ['--wait', '--wait-timeout', String(WAIT_SEC)];
  const up = await call(['up', '--detach', '--pull', 'never', ...wait, ...services]);
  if (!up.ok) {
    await call(['rm', '--force', '--stop', '--volumes', ...services]);
    return { ...none, missing: [...missing, `live view: ${lastLine(up.stderr)}`] };
  }
  if (keep) await joinNetwork(project, services);
  return {
    url: `http://127.0.0.1:${ports.INFLUXDB_PORT}/k6`,
    networkUrl: 'http://influxdb:8086/k6',
    grafanaUrl: services.includes('grafana')
      ? `http://127.0.0.1:${ports.GRAFANA_PORT}/d/ladderbench-live`
      : null,
    missing,
    stop: async () => {
      if (!keep) await call(['rm', '--force', '--stop', '--volumes', ...services]);
    },
  };
}

/**
 * @param {Project} project
 * @param {boolean} pull
 * @returns {Promise<{env: Record<string, string>, missing: string[], services: string[]}>}
 */
async function imagesOf(project, pull) {
  const { stdout } = await compose(project.engine.compose, { project: project.name, file: FILE }, [
    ...['config', '--format', 'json'],
  ]);
  const { services } = JSON.parse(stdout);
  /** @type {Record<string, string>} */
  const env = {};
  /** @type {string[]} */
  const missing = [];
  const present = [];
  for (const name of ['influxdb', 'cadvisor', 'grafana']) {
    const variable = `${name.toUpperCase()}_IMAGE`;
    const result = await obtainImage(variable, services[name].image, pull);
    if ('problem' in result) {
      missing.push(`no ${name}: ${result.problem}`);
      continue;
    }
    env[variable] = result.image.ref;
    present.push(name);
  }
  return { env, missing, services: present };
}

/** @param {Record<string, number>} ports */
function textsOf(ports) {
  return Object.fromEntries(Object.entries(ports).map(([name, port]) => [name, String(port)]));
}

/**
 * Services of another project become guests in the run's network, under their own names.
 * @param {Project} project
 * @param {string[]} services
 */
async function joinNetwork(project, services) {
  const label = `com.docker.compose.project=${project.name}`;
  await docker([
    'network',
    'create',
    '--label',
    label,
    '--label',
    'com.docker.compose.network=bench',
    project.network,
  ]);
  for (const service of services) {
    await docker([
      'network',
      'connect',
      '--alias',
      service,
      project.network,
      `${STANDING_PROJECT}-${service}-1`,
    ]);
  }
}
