import { VARIABLE_LABEL } from './build.js';
import { docker } from './cli.js';

/** @import { UsedImage } from '../types.d.ts' */

/** A registry that answers at all answers a question about an image within this time. */
const ANSWER_MS = 15_000;
const PULL_MS = 15 * 60_000;

/** Registries that did not answer: they are not asked again. */
const silent = new Set();

/**
 * An image for a variable of the compose files: the user's, the pinned one, or one that was built here in its place.
 * @param {string} variable
 * @param {string} pinned
 * @param {boolean} pull whether a registry may be asked
 * @returns {Promise<{image: UsedImage} | {problem: string}>}
 */
export async function obtainImage(variable, pinned, pull) {
  const named = process.env[variable];
  const wanted = named || pinned;
  if (await presentOrPulled(wanted, pull)) {
    return { image: await describe(wanted, named ? `named by ${variable}` : 'upstream') };
  }
  if (named) return { problem: `${named}, named by ${variable}, is not here and cannot be pulled` };
  const standIn = await builtHere(variable);
  if (standIn) return { image: await describe(standIn, `built here in place of ${pinned.split('@')[0]}`) };
  return { problem: `its image ${pinned.split('@')[0]} is not here and cannot be pulled` };
}

/**
 * @param {string} ref
 * @param {boolean} pull
 * @returns {Promise<boolean>} whether the engine has it now
 */
export async function presentOrPulled(ref, pull) {
  if ((await docker(['image', 'inspect', '--format', '{{.Id}}', ref])).ok) return true;
  const registry = registryOf(ref);
  if (!pull || silent.has(registry)) return false;
  if (!(await docker(['manifest', 'inspect', ref], { timeoutMs: ANSWER_MS })).ok) {
    silent.add(registry);
    return false;
  }
  return (await docker(['pull', '--quiet', ref], { timeoutMs: PULL_MS })).ok;
}

/**
 * @param {string} ref
 * @returns {string} host of its registry
 */
function registryOf(ref) {
  const first = ref.split('/')[0];
  return ref.includes('/') && /[.:]/.test(first) ? first : 'docker.io';
}

/**
 * @param {string} variable
 * @returns {Promise<string | null>} the newest image that was built for it
 */
async function builtHere(variable) {
  const { stdout } = await docker([
    'image',
    'ls',
    ...['--filter', `label=${VARIABLE_LABEL}=${variable}`],
    ...['--format', '{{.Repository}}:{{.Tag}}'],
  ]);
  return stdout.split('\n').find((ref) => ref !== '' && !ref.endsWith(':<none>')) ?? null;
}

/**
 * @param {string} ref
 * @param {string} source
 * @returns {Promise<UsedImage>}
 */
export async function describe(ref, source) {
  const { stdout } = await docker(['image', 'inspect', ref]);
  const [{ Id: id, RepoDigests: digests }] = JSON.parse(stdout);
  return { ref, id, digest: digests?.[0]?.split('@')[1] ?? null, source };
}
