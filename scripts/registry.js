import { sha256 } from '../lib/store.js';

/** What a registry says of an image, over its own HTTP API: no container engine is needed. */

const ANSWER_MS = 15_000;
const HUB = 'docker.io';
/** An index of architectures before the manifest of one. */
const ACCEPTED = [
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.docker.distribution.manifest.v2+json',
].join(', ');

/**
 * @typedef {object} ImageName
 * @property {string} registry host
 * @property {string} repository
 * @property {string} tag
 * @property {string | null} digest pinned beside the tag
 */

/**
 * @typedef {object} Resolved
 * @property {string} digest of what the tag names now, computed from what was received
 * @property {string[]} architectures `amd64`, `arm64`; empty where the registry names none
 */

/** No answer at all: nothing is said about the image. */
export class Offline extends Error {}

/**
 * @param {string} image `name:tag`, `host/name:tag@sha256:…`
 * @returns {ImageName}
 */
export function parseImage(image) {
  const [named, digest = null] = image.split('@');
  const first = named.split('/')[0];
  const hasHost = named.includes('/') && /[.:]/.test(first);
  const [path, tag] = splitTag(hasHost ? named.slice(first.length + 1) : named);
  const registry = hasHost ? first : HUB;
  return {
    registry,
    repository: registry === HUB && !path.includes('/') ? `library/${path}` : path,
    tag,
    digest,
  };
}

/** @param {string} text @returns {[string, string]} */
function splitTag(text) {
  const at = text.lastIndexOf(':');
  return [text.slice(0, at), text.slice(at + 1)];
}

/**
 * @param {ImageName} image
 * @param {(registry: string) => string} [addressOf] of a registry's API
 * @returns {Promise<Resolved>}
 * @throws {Offline} nobody answers
 * @throws {Error} the registry refuses, knows no such tag, or sends something else than it says
 */
export async function resolveImage({ registry, repository, tag }, addressOf = publicAddress) {
  const url = `${addressOf(registry)}/v2/${repository}/manifests/${tag}`;
  const headers = { accept: ACCEPTED };
  let answer = await ask(url, headers);
  if (answer.status === 401) {
    const token = await tokenFor(answer.headers.get('www-authenticate') ?? '', repository);
    answer = await ask(url, { ...headers, authorization: `Bearer ${token}` });
  }
  if (answer.status !== 200) throw new Error(`${registry} answers ${answer.status}`);
  const body = Buffer.from(await answer.arrayBuffer());
  const digest = `sha256:${sha256(body)}`;
  const said = answer.headers.get('docker-content-digest');
  if (said && said !== digest) throw new Error(`${registry} sent ${digest} and calls it ${said}`);
  return { digest, architectures: architecturesOf(JSON.parse(body.toString('utf8'))) };
}

/** @param {string} registry */
function publicAddress(registry) {
  return `https://${registry === HUB ? 'registry-1.docker.io' : registry}`;
}

/**
 * @param {{manifests?: {platform?: {os?: string, architecture?: string}}[]}} manifest
 * @returns {string[]} of an index; attestations name no platform
 */
function architecturesOf({ manifests = [] }) {
  const all = manifests.flatMap(({ platform }) =>
    platform?.os === 'linux' && platform.architecture ? [platform.architecture] : [],
  );
  return [...new Set(all)].sort();
}

/**
 * @param {string} challenge `Bearer realm="https://…",service="…"`
 * @param {string} repository
 * @returns {Promise<string>} of somebody without a name, who may read
 */
async function tokenFor(challenge, repository) {
  const of = (/** @type {string} */ name) => new RegExp(`${name}="([^"]*)"`).exec(challenge)?.[1];
  const realm = of('realm');
  if (!/^bearer /i.test(challenge) || !realm) throw new Error('wants a password');
  const url = new URL(realm);
  url.searchParams.set('scope', `repository:${repository}:pull`);
  const service = of('service');
  if (service) url.searchParams.set('service', service);
  const answer = await ask(url.href, {});
  if (answer.status !== 200) throw new Error(`${url.host} answers ${answer.status}`);
  const { token, access_token: other } = await answer.json();
  return token ?? other;
}

/**
 * @param {string} url
 * @param {Record<string, string>} headers
 */
async function ask(url, headers) {
  try {
    return await fetch(url, { headers, signal: AbortSignal.timeout(ANSWER_MS) });
  } catch (error) {
    const cause = /** @type {any} */ (error).cause ?? error;
    throw new Offline(`${new URL(url).host}: ${cause.code ?? cause.message}`);
  }
}
