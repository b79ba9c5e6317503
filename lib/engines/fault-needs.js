import { needOf } from '../config/faults.js';
import { memoryLimitMissing } from '../process/memory-limit.js';
import { networkBuild, powerLossBuild } from '../setup/builds.js';
import { powerLossMissing } from './power-loss.js';

/**
 * What this machine must have for the faults of a profile.
 * @import { Step } from '../types.d.ts'
 * @import { Need } from '../config/faults.js'
 */

/** @type {Readonly<Record<Need, {missing: () => string | null, build?: () => import('../setup/builds.js').Build}>>} */
const NEEDS = Object.freeze({
  disk: { missing: powerLossMissing, build: powerLossBuild },
  memory: { missing: memoryLimitMissing },
  network: { missing: () => null, build: networkBuild },
});

/**
 * @param {Step[]} steps
 * @returns {Partial<Record<Need, string | null>>} of what they need why it cannot be had here, in one line; null where it can
 */
export function lackedHere(steps) {
  return Object.fromEntries(needsOf(steps).map((need) => [need, NEEDS[need].missing()]));
}

/**
 * @param {Step[]} steps
 * @returns {import('../setup/builds.js').Build[]} programs of ours that their faults need
 */
export function faultTools(steps) {
  return needsOf(steps).flatMap((need) => {
    const { missing, build } = NEEDS[need];
    return build && missing() === null ? [build()] : [];
  });
}

/** @param {Step[]} steps */
function needsOf(steps) {
  return [...new Set(steps.flatMap((step) => needOf(step) ?? []))];
}
