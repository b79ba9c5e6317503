import { peersOf } from '../config/peers.js';
import { currentName } from '../config/profiles.js';
import { loadStacks } from '../config/stacks.js';

/** @import { Plan } from '../types.d.ts' */

/** @typedef {{color: string | null, fits: readonly string[]}} Declared */

/** @type {ReadonlyMap<string, Declared> | null} */
let ours = null;

/**
 * What a system's manifest says of it that no measurement needs. Plans older than that have it from the manifests of
 * this checkout.
 * @param {Plan} plan
 * @param {string} id
 * @returns {Declared}
 */
export function declaredOf(plan, id) {
  // A variant takes a free colour, and fits where its base does.
  if (id.includes('@')) return { color: null, fits: [] };
  const system = plan.systems.find((s) => s.id === id);
  if (system?.color || system?.fits) return { color: system.color ?? null, fits: system.fits ?? [] };
  ours ??= new Map(
    loadStacks().stacks.map((s) => [s.id, { color: s.manifest.color ?? null, fits: s.manifest.fits ?? [] }]),
  );
  return ours.get(id) ?? { color: null, fits: [] };
}

/**
 * @param {Plan} plan
 * @returns {string} what names its profile on a command line
 */
export function profileWord({ profileId, profileFile }) {
  return profileFile ?? currentName(profileId);
}

/**
 * @param {Plan} plan
 * @returns {{id: string, title: string}[]} who could have been measured beside a system that was measured alone
 */
export function peersIn(plan) {
  return plan.peers ?? peersOf(plan, loadStacks().stacks);
}
