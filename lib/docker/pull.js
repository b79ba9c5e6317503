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
  const pulls = refs.map((ref) => new Progress(ref));
  const from = [...new Set(refs.map((ref) => partsOf(ref).registry))].join(', ');
  output.say(`Missing images: ${await announced(refs, socket)}`);
  const done = output.task('images', () => `fetching from ${from}${progressText(pulls)}`);
  const pull = async (/** @type {Progress} */ progress) => {
    const { ref } = progress;
    try {
      await pullOne(progress, socket);
      output.say(`  ${ref.split('@')[0].padEnd(22)} ${Math.ceil(progress.bytes().total / MB)} MB fetched`);
    } catch (error) {
      const problem = reasonOf(/** @type {Error} */ (error).message, partsOf(ref).registry);
      problems.set(ref, problem);
      output.say(`  ${ref.split('@')[0].padEnd(22)} not fetched: ${problem}`);
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
  const all = told.reduce((a, b) => ({ layers: a.layers + b.layers, bytes: a.bytes + b.bytes }), {
    ...{ layers: 0, bytes: 0 },
  });
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
  /** @type {Record<string, string>} */
  const headers = {};
  // With its padding, which `base64url` leaves out and old engines want.
  if (login) {
    const text = Buffer.from(JSON.stringify(login)).toString('base64');
    headers['X-Registry-Auth'] = text.replaceAll('+', '-').replaceAll('/', '_');
  }
  const call = { method: 'POST', headers, timeoutMs: STANDSTILL_MS };
  for await (const message of streamEngine(socket, path, call)) {
    if (message.error) throw new Error(message.error);
    progress.take(message);
  }
}

/** How far an image is. */
class Progress {
  /** @type {Map<string, {done: boolean, current: number, total: number}>} */
  #layers = new Map();
  ended = false;
  began = Date.now();

  /** @param {string} ref */
  constructor(ref) {
    this.ref = ref;
  }

  /** @param {{id?: string, status?: string, progressDetail?: {current?: number, total?: number}}} message */
  take({ id, status = '', progressDetail }) {
    // The first message has the tag in its place.
    if (!id || /^Pulling from/.test(status)) return;
    const layer = this.#layers.get(id) ?? { done: false, current: 0, total: 0 };
    this.#layers.set(id, layer);
    if (status === 'Downloading') Object.assign(layer, progressDetail);
    if (/^(Download complete|Verifying)/.test(status)) layer.current = layer.total;
    layer.done ||= /^(Pull complete|Already exists)/.test(status);
  }

  /** @returns {{current: number, total: number}} as far as their sizes are known: only layers that have begun have one */
  bytes() {
    const sum = { current: 0, total: 0 };
    for (const { current, total } of this.#layers.values()) {
      sum.current += current;
      sum.total += Math.max(total, current);
    }
    return sum;
  }

  /** @returns {{done: number, all: number}} */
  layers() {
    const layers = [...this.#layers.values()];
    return { done: layers.filter((l) => l.done).length, all: layers.length };
  }
}

/**
 * @param {Progress[]} pulls
 * @returns {string} nothing before there is something to tell
 */
function progressText(pulls) {
  const sum = { current: 0, total: 0, done: 0, all: 0 };
  for (const pull of pulls) {
    const part = { ...pull.bytes(), ...pull.layers() };
    for (const key of /** @type {(keyof typeof sum)[]} */ (Object.keys(sum))) sum[key] += part[key];
  }
  if (sum.all === 0) return '';
  const perMs = sum.current / (Date.now() - pulls[0].began);
  const minutes = Math.ceil((sum.total - sum.current) / perMs / 60_000);
  return [
    `: ${pulls.filter((p) => p.ended).length} of ${pulls.length} images`,
    `${sum.done} of ${sum.all} layers`,
    `${Math.floor(sum.current / MB)} of ${Math.ceil(sum.total / MB)} MB`,
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
