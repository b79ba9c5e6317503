import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { runTool } from '../process/tool.js';
import { callEngine, streamEngine } from './api.js';
import { HUB, partsOf, sizeOf } from './manifest.js';

/** @import { Output } from '../output.js' */

/** How long nothing may come of an image. The whole may take hours: some are gigabytes. */
const STANDSTILL_MS = 180_000;
const MB = 1e6;

/**
 * What engines say of a pull that failed, and what it means; the first that fits.
 * @type {[RegExp, (registry: string, said: string) => string][]}
 */
const REASONS = [
  [/no space left/i, () => 'the disk of the engine is full; `docker system df` shows what fills it'],
  [
    /toomanyrequests|too many requests|\b429\b/i,
    (registry) => `${registry} refuses more pulls (rate limit): ${logIn(registry)}, or wait`,
  ],
  [/no matching manifest|no match for platform|operating system/i, () => 'it is not built for this platform'],
  [
    /^(?!.*(denied|unauthorized)).*(dial |lookup |no such host|connection refused|unreachable|timed? ?out|deadline|awaiting headers)/i,
    (registry, said) => `${registry} cannot be reached (${said.split(': ').at(-1)})`,
  ],
  [
    /denied|unauthorized|authori[sz]ation|no basic auth|forbidden/i,
    (registry) => `${registry} denies access, or has no such image: ${logIn(registry)}`,
  ],
  [/manifest unknown|name unknown|not found/i, (registry) => `${registry} has no such image`],
  [
    /verif|digest|invalid checksum/i,
    (registry) => `${registry} sent something else than the digest says: pull it again`,
  ],
  [/\bEOF\b|reset by peer|broken pipe/i, (registry) => `the connection to ${registry} broke off`],
  [/did not answer/, () => `no data came for ${STANDSTILL_MS / 60_000} minutes`],
];

/**
 * Has the engine pull images, as `docker pull` does: with its mirrors and proxies, and with what `docker login` has kept. All at
 * once, and none waits for another's registry.
 * @param {string[]} refs that the engine has not
 * @param {string} socket
 * @param {Output} output gets what is fetched, the progress, and the result of each
 * @returns {Promise<Map<string, string>>} the reason, in one line, for each that could not be pulled
 */
export async function pullImages(refs, socket, output) {
  /** @type {Map<string, string>} */
  const problems = new Map();
  if (refs.length === 0) return problems;
  /** @type {Progress[]} */
  const pulls = refs.map((ref) => ({ ref, ended: false, layers: new Map() }));
  const from = [...new Set(refs.map((ref) => partsOf(ref).registry))].join(', ');
  const began = Date.now();
  output.say(`Missing images: ${await announced(refs, socket)}`);
  const done = output.task('images', () => `fetching from ${from}${progressText(pulls, began)}`);
  const pull = async (/** @type {Progress} */ progress) => {
    const { ref } = progress;
    const tell = (/** @type {string} */ end) => output.say(`  ${ref.split('@')[0].padEnd(22)} ${end}`);
    try {
      await pullOne(progress, socket);
      tell(`${Math.ceil(sumOf([progress]).total / MB)} MB fetched`);
    } catch (error) {
      const problem = reasonOf(/** @type {Error} */ (error).message, partsOf(ref).registry);
      problems.set(ref, problem);
      tell(`not fetched: ${problem}`);
    }
    progress.ended = true;
  };
  await Promise.all(pulls.map(pull));
  done(`${refs.length - problems.size} of ${refs.length} fetched`);
  return problems;
}

/**
 * @param {string[]} refs
 * @param {string} socket
 * @returns {Promise<string>} each with what it holds, as far as its registry says so
 */
async function announced(refs, socket) {
  const info = await callEngine(socket, '/info', { timeoutMs: STANDSTILL_MS });
  const mirrors = info?.RegistryConfig?.Mirrors ?? [];
  const sizes = await Promise.all(
    refs.map(async (ref) => sizeOf(ref, { mirrors, login: await loginOf(partsOf(ref).registry) })),
  );
  const text = (/** @type {{layers: number, bytes: number}} */ { layers, bytes }) =>
    `${layers} layer${layers === 1 ? '' : 's'}, ${Math.ceil(bytes / MB)} MB`;
  const each = refs.map((ref, i) => {
    const size = sizes[i];
    return ref.split('@')[0] + (size ? ` (${text(size)})` : '');
  });
  const told = sizes.flatMap((size) => size ?? []);
  const none = { layers: 0, bytes: 0 };
  const all = told.reduce((a, b) => ({ layers: a.layers + b.layers, bytes: a.bytes + b.bytes }), none);
  return each.join(', ') + (told.length > 1 ? `; ${text(all)} in all` : '');
}

/**
 * @param {Progress} progress
 * @param {string} socket
 */
async function pullOne(progress, socket) {
  const { ref } = progress;
  // A name alone would be every tag that there is.
  const whole = /[:@][^/]*$/.test(ref) ? ref : `${ref}:latest`;
  const path = `/images/create?fromImage=${encodeURIComponent(whole)}`;
  const login = await loginOf(partsOf(ref).registry);
  // With its padding, which `base64url` leaves out and old engines want.
  const shown = login && Buffer.from(JSON.stringify(login)).toString('base64');
  const headers = shown ? { 'X-Registry-Auth': shown.replaceAll('+', '-').replaceAll('/', '_') } : undefined;
  const call = { method: 'POST', headers, timeoutMs: STANDSTILL_MS };
  for await (const message of streamEngine(socket, path, call)) {
    if (message.error) throw new Error(message.error);
    take(progress, message);
  }
}

/**
 * How far an image is, by layer: as far as their sizes are known, which only those have that have begun.
 * @typedef {{ref: string, ended: boolean, layers: Map<string, {done: boolean, current: number, total: number}>}} Progress
 */

/**
 * @param {Progress} progress
 * @param {{id?: string, status?: string, progressDetail?: {current?: number, total?: number}}} message
 */
function take({ layers }, { id, status = '', progressDetail }) {
  // The first message has the tag in its place.
  if (!id || /^Pulling from/.test(status)) return;
  const layer = layers.get(id) ?? { done: false, current: 0, total: 0 };
  layers.set(id, layer);
  if (status === 'Downloading') Object.assign(layer, progressDetail);
  if (/^(Download complete|Verifying)/.test(status)) layer.current = layer.total;
  layer.done ||= /^(Pull complete|Already exists)/.test(status);
}

/** @param {Progress[]} pulls */
function sumOf(pulls) {
  const layers = pulls.flatMap((pull) => [...pull.layers.values()]);
  return {
    all: layers.length,
    done: layers.filter((l) => l.done).length,
    current: layers.reduce((sum, l) => sum + l.current, 0),
    total: layers.reduce((sum, l) => sum + Math.max(l.total, l.current), 0),
  };
}

/**
 * @param {Progress[]} pulls
 * @param {number} began `Date.now()`
 * @returns {string} nothing before there is something to tell
 */
function progressText(pulls, began) {
  const { all, done, current, total } = sumOf(pulls);
  if (all === 0) return '';
  const perMs = current / (Date.now() - began);
  const minutes = Math.ceil((total - current) / perMs / 60_000);
  return [
    `: ${pulls.filter((p) => p.ended).length} of ${pulls.length} images`,
    `${done} of ${all} layers`,
    `${Math.floor(current / MB)} of ${Math.ceil(total / MB)} MB`,
    ...(minutes > 0 && perMs > 0 ? [`about ${minutes} min more`] : []),
  ].join(', ');
}

/**
 * @param {string} said by the engine
 * @param {string} registry
 * @returns {string} one line
 */
export function reasonOf(said, registry) {
  const [, reason] = REASONS.find(([pattern]) => pattern.test(said)) ?? [];
  return reason ? reason(registry, said.trim()) : said.trim().split('\n')[0];
}

/** @param {string} registry */
function logIn(registry) {
  return `\`docker login${registry === HUB ? '' : ` ${registry}`}\``;
}

/**
 * @param {string} registry
 * @returns {Promise<Record<string, string> | null>} what `docker login` has kept for it; null without a login
 */
async function loginOf(registry) {
  const server = registry === HUB ? 'https://index.docker.io/v1/' : registry;
  const file = join(process.env.DOCKER_CONFIG ?? join(homedir(), '.docker'), 'config.json');
  try {
    const { auths = {}, credsStore, credHelpers = {} } = JSON.parse(readFileSync(file, 'utf8'));
    const helper = credHelpers[server] ?? credsStore;
    if (helper) {
      const { stdout } = await runTool([`docker-credential-${helper}`, 'get'], { input: server });
      const { Username: username, Secret: secret } = JSON.parse(stdout);
      return username === '<token>' ? { identitytoken: secret } : { username, password: secret };
    }
    const { auth, identitytoken } = auths[server];
    if (identitytoken) return { identitytoken };
    const [username, ...password] = Buffer.from(auth, 'base64').toString().split(':');
    return { username, password: password.join(':'), serveraddress: server };
  } catch {
    return null;
  }
}
