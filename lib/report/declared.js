import { peersOf } from '../config/peers.js';
import { loadStacks } from '../config/stacks.js';

/** @import { Plan } from '../types.d.ts' */

/** `jobs`: workloads of the suite that it does. @typedef {{color: string | null, fits: readonly string[], jobs: number}} Declared */

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
  if (id.includes('@')) return { color: null, fits: [], jobs: 0 };
  const system = plan.systems.find((s) => s.id === id);
  ours ??= new Map(
    loadStacks().stacks.map(({ id: own, manifest: { color = null, fits = [], workloads } }) => [
      own,
      { color, fits, jobs: Object.keys(workloads).length },
    ]),
  );
  const declared = ours.get(id) ?? { color: null, fits: [], jobs: 0 };
  if (system?.color || system?.fits)
    return { ...declared, color: system.color ?? null, fits: system.fits ?? [] };
  return declared;
}

/**
 * @param {Plan} plan
 * @returns {string} what names its profile on a command line
 */
export function profileWord({ profileId, profileFile }) {
  return profileFile ?? profileId;
}

/**
 * @param {Plan} plan
 * @returns {{id: string, title: string}[]} who could have been measured beside a system that was measured alone
 */
export function peersIn(plan) {
  return plan.peers ?? peersOf(plan, loadStacks().stacks);
}
