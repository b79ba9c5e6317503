import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { compose, docker } from '../docker/cli.js';
import { fetchImages, obtainImage } from '../docker/images.js';
import { letContainersRead } from '../docker/readable.js';
import { ROOT } from '../paths.js';
import { freePort } from '../process/ports.js';
import { lastLine } from '../process/tool.js';

/**
 * @import { Project } from '../engines/docker/project.js'
 * @import { Output } from '../output.js'
 */

const FILE = join(ROOT, 'docker-compose.yml');

/** The project of the compose file itself: what stays up after a run is the same as what is started by hand. */
const STANDING_PROJECT = 'ladderbench';

/** Without it the others have nothing to write to and nothing to show. */
const STORE = 'influxdb';
const SERVICES = [STORE, 'cadvisor', 'grafana'];

/** Who writes; the compose file's own password is for what is started by hand, or stays up. */
const WRITER = 'ladderbench';
const USUAL_PASSWORD = 'ladderbench';

/** How long the services may take to answer; without them a run does well. */
const WAIT_SEC = 60;

/**
 * The live view's services in containers. A run does without them.
 * @typedef {object} ComposedLive
 * @property {string | null} url of the database k6, as seen from this machine, with user and password; null without
 *   InfluxDB
 * @property {string | null} networkUrl the same, as seen from the run's network
 * @property {undefined} [stop] they go with the run's project, or they stay
 */

/**
 * Starts InfluxDB, cAdvisor and Grafana, as far as their images are available, and joins them to the run's network. Says
 * which of them are not there, and where Grafana is.
 * @param {Project} project
 * @param {{keep: boolean, pull: boolean}} options `keep`: at their usual ports, and still up when the run is over
 * @param {Output} output
 * @returns {Promise<ComposedLive>}
 */
export async function startComposedLive(project, { keep, pull }, output) {
  const { env, present } = await imagesOf(project, pull, output);
  letContainersRead(FILE);
  const ports = await portsOf(keep);
  const name = keep ? STANDING_PROJECT : project.name;
  const password = keep ? (process.env.INFLUXDB_PASSWORD ?? USUAL_PASSWORD) : randomBytes(16).toString('hex');
  const user = `${WRITER}:${encodeURIComponent(password)}`;
  const where = {
    project: name,
    file: FILE,
    env: { ...project.env, ...env, ...ports, INFLUXDB_PASSWORD: password },
    timeoutMs: (WAIT_SEC + 60) * 1000,
  };
  const call = (/** @type {string[]} */ args) => compose(project.engine.compose, where, args);
  const start = async (/** @type {string} */ service) => {
    const wait = ['--wait', '--wait-timeout', String(WAIT_SEC)];
    const { ok, stderr } = await call(['up', '--detach', '--pull', 'never', ...wait, service]);
    if (ok) return [service];
    await call(['rm', '--force', '--stop', '--volumes', service]);
    output.say(`live view: no ${service}: ${whyNot(service, lastLine(stderr), ports)}`);
    return [];
  };
  const [store, ...shows] = present;
  const isNew = keep && !(await docker(['volume', 'inspect', `${name}_influxdb-data`])).ok;
  const up = store === STORE ? await start(store) : [];
  // What a run's own project has goes with it; of the standing one, what else is up by hand keeps its network.
  if (up.length === 0 && keep) await docker(['network', 'rm', `${name}_bench`]);
  if (up.length === 0 && isNew) await docker(['volume', 'rm', `${name}_influxdb-data`]);
  if (up.length === 0) return { url: null, networkUrl: null };
  const services = [...up, ...(await Promise.all(shows.map(start))).flat()];
  if (keep) await joinNetwork(project, services);
  if (services.includes('grafana'))
    output.say(`live view: Grafana at http://127.0.0.1:${ports.GRAFANA_PORT}/d/ladderbench-live`);
  return {
    url: `http://${user}@127.0.0.1:${ports.INFLUXDB_PORT}/k6`,
    networkUrl: `http://${user}@influxdb:8086/k6`,
  };
}

/**
 * @param {Project} project
 * @param {boolean} pull
 * @param {Output} output
 * @returns {Promise<{env: Record<string, string>, present: string[]}>}
 */
async function imagesOf(project, pull, output) {
  const { stdout } = await compose(project.engine.compose, { project: project.name, file: FILE }, [
    ...['config', '--format', 'json'],
  ]);
  const { services } = JSON.parse(stdout);
  /** @type {Record<string, string>} */
  const env = {};
  const present = [];
  const variableOf = (/** @type {string} */ name) => `${name.toUpperCase()}_IMAGE`;
  const images = SERVICES.map(
    (name) => /** @type {[string, string]} */ ([variableOf(name), services[name].image]),
  );
  if (pull) await fetchImages(images, project.engine.socket, output);
  for (const name of SERVICES) {
    const variable = variableOf(name);
    const result = await obtainImage(variable, services[name].image);
    if ('problem' in result) {
      output.say(`live view: no ${name}: ${result.problem}`);
      continue;
    }
    env[variable] = result.image.ref;
    present.push(name);
  }
  return { env, present };
}

/**
 * @param {string} service
 * @param {string} problem as Docker says it
 * @param {Record<string, string>} ports
 * @returns {string}
 */
function whyNot(service, problem, ports) {
  const port = `${service.toUpperCase()}_PORT`;
  if (/address already in use|already allocated/.test(problem))
    return `port ${ports[port]} is taken; ${port}=… names another`;
  if (service === 'cadvisor' && /unhealthy/.test(problem))
    return 'it sees no container of this engine, so Grafana shows no cost of containers (the report does)';
  return problem;
}

/**
 * @param {boolean} keep
 * @returns {Promise<Record<string, string>>} the compose file's own, or its user's, for what stays up; else free ones
 */
async function portsOf(keep) {
  const usual = { INFLUXDB_PORT: 8086, GRAFANA_PORT: 3000, CADVISOR_PORT: 8080 };
  /** @type {Record<string, string>} */
  const ports = {};
  for (const [name, port] of Object.entries(usual)) {
    ports[name] = String(keep ? (process.env[name] ?? port) : await freePort());
  }
  return ports;
}

/**
 * Services of another project become guests in the run's network, under their own names.
 * @param {Project} project
 * @param {string[]} services
 */
async function joinNetwork(project, services) {
  const labels = [`project=${project.name}`, 'network=bench'];
  const flags = labels.flatMap((label) => ['--label', `com.docker.compose.${label}`]);
  await docker(['network', 'create', ...flags, project.network]);
  for (const service of services) {
    const container = `${STANDING_PROJECT}-${service}-1`;
    await docker(['network', 'connect', '--alias', service, project.network, container]);
  }
}
