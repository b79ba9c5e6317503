import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { servicesIn } from '../../config/compose.js';
import { loadStacks } from '../../config/stacks.js';
import { askDocker } from '../../docker/answers.js';
import { docker } from '../../docker/cli.js';
import { stackRecipe } from '../../docker/recipes.js';
import { PROJECT_LABEL } from '../../engines/docker/project.js';
import { ROOT } from '../../paths.js';
import { runTool } from '../../process/tool.js';

/** Shared by the tests of the docker engine: they run where an engine answers, and say why where none does. */
const answer = await askDocker();

/** The engine under test. Never null inside {@link testInContainers}. */
export const engine = 'engine' in answer ? answer.engine : null;

/** Passed to commands, which the harness otherwise lets see no engine. */
export const ENGINE_ENV = { DOCKER_HOST: `unix://${engine?.socket}` };

/**
 * @param {string} name
 * @param {(t: import('node:test').TestContext) => Promise<void>} body
 * @param {number} [timeout] ms
 */
export function testInContainers(name, body, timeout = 600_000) {
  test(name, { skip: 'problem' in answer ? answer.problem : false, timeout }, body);
}

/** @type {ReturnType<typeof buildImages> | null} */
let built = null;

/** Images that no registry is needed for: built once for the tests of a file, unless they are there already. */
export function offlineImages() {
  built ??= buildImages();
  return built;
}

/** As {@link offlineImages}, each time anew. */
export async function buildImages() {
  const result = await runTool([join(ROOT, 'scripts', 'offline-images.sh')], { timeoutMs: 900_000 });
  if (!result.ok) throw new Error(`scripts/offline-images.sh failed:\n${result.stderr}`);
  return result;
}

/** Two systems with an upstream image and, where that cannot be had, one that was built here. */
export function comparedSystems() {
  const upstream = loadStacks().stacks.filter(
    (s) =>
      !s.id.includes('@') &&
      s.manifest.origin === 'upstream' &&
      stackRecipe(s) &&
      s.manifest.workloads.counters,
  );
  return upstream.slice(0, 2).map((s) => s.id);
}

/**
 * @param {string} workload
 * @returns {string[]} systems of our own with an image that is built here
 */
export function ownSystemsOf(workload) {
  return loadStacks()
    .stacks.filter((s) => !s.id.startsWith('_') && !s.id.includes('@') && s.manifest.docker)
    .filter((s) => s.manifest.origin === 'reference' && s.manifest.workloads[workload])
    .map((s) => s.id);
}

/** One system of our own, quick to start. */
export function ownSystem() {
  const own = loadStacks().stacks.find(
    (s) =>
      !s.id.startsWith('_') &&
      s.manifest.origin === 'reference' &&
      s.manifest.docker &&
      s.manifest.workloads.counters,
  );
  const recipe = own && stackRecipe(own);
  if (!own?.manifest.docker || !recipe) throw new Error('no reference system in a container');
  return { id: own.id, service: own.manifest.docker.service, variable: recipe.variable };
}

/** @returns {Promise<string[]>} containers, networks and volumes of runs, by name; of those that stay up, none */
export async function leftInDocker() {
  const lists = [
    ['ps', '--all', '--format', `{{.Names}} {{.Label "${PROJECT_LABEL}"}}`],
    ['network', 'ls', '--format', `{{.Name}} {{.Label "${PROJECT_LABEL}"}}`],
    ['volume', 'ls', '--format', `{{.Name}} {{.Label "${PROJECT_LABEL}"}}`],
  ];
  const all = await Promise.all(lists.map((args) => docker(args)));
  return all.flatMap((l) => l.stdout.split('\n').filter((line) => / ladderbench-\d+-/.test(line)));
}

/** @returns {Promise<any[]>} what the engine says of each container of the runs that are under way */
export async function inspectRun() {
  const { stdout } = await docker(['ps', '--format', '{{.Names}}']);
  const names = stdout.split('\n').filter((name) => /^ladderbench-\d+-/.test(name));
  return names.length === 0 ? [] : JSON.parse((await docker(['inspect', ...names])).stdout || '[]');
}

/** Services by name, as the compose files have them: who may do more says there what for (a test holds them to it). */
const SERVICES = Object.assign(
  {},
  ...[join(ROOT, 'docker-compose.yml'), ...loadStacks().stacks.map((s) => join(s.folder, 'compose.yml'))]
    .filter((path) => existsSync(path))
    .map((path) => servicesIn(readFileSync(path, 'utf8'))),
);

/**
 * @param {any} container as `docker inspect` has it
 * @returns {string[]} rights that it has and needs not, one line each
 */
export function rightsProblems({ Name: name, Config: config, HostConfig: host, NetworkSettings: network }) {
  // A user of the machine runs k6, and what stands before a system, as themselves.
  const own = `${process.getuid?.()}:${process.getgid?.()}`;
  const isOwn = /-(generator|network)-1$/.test(name) && config.User === own;
  const isRoot = ['', 'root', '0', '0:0'].includes(config.User);
  const declared = SERVICES[config.Labels['com.docker.compose.service']] ?? {};
  const mayBeRoot = isOwn || declared.user === 'root';
  const mayWrite = declared.read_only === false;
  const ports = /** @type {{HostIp: string}[]} */ (
    Object.values(network.Ports ?? {}).flatMap((p) => p ?? [])
  );
  return [
    isRoot && !mayBeRoot && 'runs as root',
    !host.CapDrop?.includes('ALL') && 'keeps capabilities',
    !host.SecurityOpt?.some((/** @type {string} */ o) => o.startsWith('no-new-privileges')) &&
      'may gain privileges',
    !(host.PidsLimit > 0) && 'may have any number of processes',
    !host.ReadonlyRootfs && !mayWrite && 'may write to its image',
    host.Privileged && 'is privileged',
    ports.some((p) => p.HostIp !== '127.0.0.1') && 'is published beyond loopback',
  ].flatMap((problem) => (problem ? [`${name} ${problem}: ${config.User}`] : []));
}

/**
 * @param {string} service
 * @returns {Promise<string>} name of the running container of a service of the newest run
 */
export async function containerOf(service) {
  const { stdout } = await docker([
    'ps',
    ...['--filter', `label=com.docker.compose.service=${service}`],
    ...['--format', '{{.Names}}'],
  ]);
  const name = stdout.split('\n').find((n) => /^ladderbench-\d+-/.test(n));
  if (!name) throw new Error(`no container of ${service}: ${stdout}`);
  return name;
}

/** @returns {Promise<string | null>} the mirror on loopback that the engine asks first; scripts/vendor-images.sh fills one */
export async function mirrorOnLoopback() {
  const { ok, stdout } = await docker(['info', '--format', '{{json .RegistryConfig.Mirrors}}']);
  const mirrors = /** @type {string[]} */ ((ok && JSON.parse(stdout || '[]')) || []);
  return mirrors.find((mirror) => mirror.startsWith('http://127.0.0.1:')) ?? null;
}

/**
 * @param {string} mirror
 * @returns {Promise<Record<string, string>>} by variable, what compose files take from vendors and the mirror has
 */
export async function imagesOfMirror(mirror) {
  const { repositories } = /** @type {any} */ (await (await fetch(`${mirror}v2/_catalog?n=1000`)).json());
  /** @type {Record<string, string>} */
  const images = {};
  for (const { image } of Object.values(SERVICES)) {
    const [, variable, pinned] = /^\$\{(\w+_IMAGE):-([^}@]+)/.exec(image) ?? [];
    if (!variable) continue;
    const [, other, path, tag] = /^([^/]+\.[^/]+\/)?(.+):([^:]+)$/.exec(pinned) ?? [];
    const own = other || path.includes('/') ? path : `library/${path}`;
    // In a place of its own is what has another server than its vendor's.
    const found = repositories.find((/** @type {string} */ r) => r === own || r.endsWith(`/${own}`));
    if (!found) continue;
    const head = { method: 'HEAD', headers: { accept: '*/*' } };
    if (!(await fetch(`${mirror}v2/${found}/manifests/${tag}`, head)).ok) continue;
    // Only Docker Hub has mirrors: what comes from elsewhere is named by where it is.
    images[variable] = other || found !== own ? `${new URL(mirror).host}/${found}:${tag}` : `${path}:${tag}`;
  }
  return images;
}
