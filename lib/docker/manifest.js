/**
 * What registries say of an image before an engine pulls it. They are asked as an engine asks them, mirrors first; who does not
 * answer us may still answer the engine, which has proxies and certificates of its own.
 */

const KINDS = ['oci.image.index.v1', 'oci.image.manifest.v1'].map((kind) => `application/vnd.${kind}+json`);
const OLDER = ['list', ''].map(
  (kind) => `application/vnd.docker.distribution.manifest.${kind && `${kind}.`}v2+json`,
);
const PATIENCE_MS = 3000;
export const HUB = 'docker.io';
const HUB_ORIGIN = 'https://registry-1.docker.io';

/**
 * @param {string} ref
 * @returns {{registry: string, repository: string, version: string}} `version`: its digest, else its tag
 */
export function partsOf(ref) {
  const [, first, rest] = /^([^/]+)\/(.+)$/.exec(ref) ?? [null, '', ref];
  const isHost = /[.:]/.test(first) || first === 'localhost';
  const [whole, digest] = (isHost ? rest : ref).split('@');
  const [, name, tag = 'latest'] = /^(.*?)(?::([^/]*))?$/.exec(whole) ?? [];
  const repository = isHost || name.includes('/') ? name : `library/${name}`;
  return { registry: isHost ? first : HUB, repository, version: digest ?? tag };
}

/**
 * @param {string} ref
 * @param {{mirrors: string[], login: Record<string, string> | null}} by `mirrors`: of Docker Hub, URLs
 * @returns {Promise<{layers: number, bytes: number} | null>} as it is sent; null where no registry says
 */
export async function sizeOf(ref, { mirrors, login }) {
  const { registry, repository, version } = partsOf(ref);
  const own = /^(localhost|127\.|\[::1\])/.test(registry) ? `http://${registry}` : `https://${registry}`;
  for (const origin of registry === HUB ? [...mirrors, HUB_ORIGIN] : [own]) {
    const base = `${origin.replace(/\/$/, '')}/v2/${repository}/manifests/`;
    const ask = asking(login, AbortSignal.timeout(PATIENCE_MS));
    const layers = await layersOf(base, version, ask).catch(() => null);
    if (layers) return { layers: layers.length, bytes: layers.reduce((sum, { size }) => sum + size, 0) };
  }
  return null;
}

/**
 * @param {string} base URL
 * @param {string} version
 * @param {(url: string) => Promise<any>} ask
 * @returns {Promise<{size: number}[] | null>} of the image for this machine
 */
async function layersOf(base, version, ask) {
  const told = await ask(base + version);
  if (!told.manifests) return told.layers ?? null;
  const architecture = process.arch === 'x64' ? 'amd64' : process.arch;
  const own = told.manifests.find(
    (/** @type {any} */ { platform }) => platform?.os === 'linux' && platform.architecture === architecture,
  );
  return own ? ((await ask(base + own.digest)).layers ?? null) : null;
}

/**
 * @param {Record<string, string> | null} login as `docker login` keeps it
 * @param {AbortSignal} signal
 * @returns {(url: string) => Promise<any>} asks again with what the registry wants to be shown
 */
function asking(login, signal) {
  const basic =
    login?.username && `Basic ${Buffer.from(`${login.username}:${login.password}`).toString('base64')}`;
  let authorization = '';
  const ask = async (/** @type {string} */ url) => {
    const headers = { accept: [...KINDS, ...OLDER].join(', '), ...(authorization && { authorization }) };
    return fetch(url, { headers, signal });
  };
  return async (url) => {
    let answer = await ask(url);
    if (answer.status === 401) {
      authorization = await shownTo(answer.headers.get('www-authenticate') ?? '', basic || '', signal);
      if (authorization) answer = await ask(url);
    }
    if (!answer.ok) throw new Error(String(answer.status));
    return answer.json();
  };
}

/**
 * @param {string} challenge of the registry
 * @param {string} basic empty: nobody has logged in
 * @param {AbortSignal} signal
 * @returns {Promise<string>} empty: there is nothing to show
 */
async function shownTo(challenge, basic, signal) {
  if (!/^bearer /i.test(challenge)) return basic;
  const { realm, ...asked } = Object.fromEntries(
    [...challenge.matchAll(/(\w+)="([^"]*)"/g)].map(([, name, value]) => [name, value]),
  );
  const url = `${realm}?${new URLSearchParams(asked)}`;
  const headers = basic ? { authorization: basic } : undefined;
  const { token, access_token } = /** @type {any} */ (await (await fetch(url, { headers, signal })).json());
  return `Bearer ${token ?? access_token}`;
}
