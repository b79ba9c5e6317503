import { builtFor } from './build.js';
import { docker, inspectImage } from './cli.js';
import { pullImages } from './pull.js';
import { OWN_NAME } from './recipes.js';

/** @import { UsedImage } from '../types.d.ts' */

/** Images of scripts/vendor-images.sh, which have their vendors' names, carry it: no report calls them upstream's. */
const SHAPED_LABEL = 'ladderbench.shaped';
/** What is in such an image in the place of a storage: no figure is the product's. */
const STANDS_IN_LABEL = 'ladderbench.stands-in';

/** Why an image could not be pulled, by its name: it is not asked for again. @type {Map<string, string>} */
const refused = new Map();

/**
 * Has the engine pull what it lacks. Images of our own are never pulled: an image of somebody else under their name would run.
 * @param {[variable: string, pinned: string][]} wanted
 * @param {string} socket of the engine
 * @param {import('../output.js').Output} output
 */
export async function fetchImages(wanted, socket, output) {
  const refs = new Set(wanted.map(([variable, pinned]) => process.env[variable] || pinned));
  const asked = [...refs].filter((ref) => !ref.startsWith(OWN_NAME) && !refused.has(ref));
  const present = await Promise.all(asked.map(isPresent));
  const missing = asked.filter((_, i) => !present[i]);
  for (const [ref, problem] of await pullImages(missing, socket, output)) refused.set(ref, problem);
}

/**
 * An image for a variable of the compose files, of those that the engine has: the user's, the pinned one, or one that was
 * built here in its place.
 * @param {string} variable
 * @param {string} pinned
 * @returns {Promise<{image: UsedImage} | {problem: string}>}
 */
export async function obtainImage(variable, pinned) {
  const named = process.env[variable];
  const wanted = named || pinned;
  if (await isPresent(wanted)) {
    return { image: await describe(wanted, named ? `named by ${variable}` : 'upstream') };
  }
  const standIn = named ? null : await builtFor(variable);
  if (standIn) return { image: await describe(standIn, `built here in place of ${pinned.split('@')[0]}`) };
  const name = named ? `${named}, named by ${variable},` : `its image ${pinned.split('@')[0]}`;
  return { problem: `${name} ${whyMissing(wanted, variable)}` };
}

/**
 * @param {string} ref
 * @param {string} variable
 */
function whyMissing(ref, variable) {
  if (ref.startsWith(OWN_NAME)) return `is missing, and no registry has it: name another with ${variable}=…`;
  const problem = refused.get(ref);
  return problem ? `cannot be pulled: ${problem}` : 'is missing; a run without --no-build pulls it';
}

/**
 * @param {string} ref
 * @returns {Promise<boolean>} whether the engine has it
 */
export async function isPresent(ref) {
  return (await inspectImage(ref)) !== '';
}

/**
 * @param {string} ref
 * @param {string} source
 * @returns {Promise<UsedImage>}
 */
export async function describe(ref, source) {
  const { stdout } = await docker(['image', 'inspect', ref]);
  const [{ Id: id, RepoDigests: digests, Config: config }] = JSON.parse(stdout);
  const labels = config?.Labels ?? {};
  const shaped = labels[SHAPED_LABEL] && 'built here in the shape of its vendor’s, for tests';
  const standsIn = labels[STANDS_IN_LABEL];
  return {
    ...{ ref, id, digest: digests?.[0]?.split('@')[1] ?? null, source: shaped || source },
    ...(standsIn ? { standsIn } : {}),
  };
}
