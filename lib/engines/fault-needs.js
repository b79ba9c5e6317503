import { needOf } from '../config/faults.js';
import { memoryLimitMissing } from '../process/memory-limit.js';
import { toolBuild } from '../setup/builds.js';
import { powerLossMissing } from './power-loss.js';

/**
 * What this machine must have for the faults of a profile.
 * @import { Step } from '../types.d.ts'
 * @import { Need } from '../config/faults.js'
 */

/** @type {Readonly<Record<Need, {missing: () => string | null, tool?: Parameters<typeof toolBuild>[0]}>>} */
const NEEDS = Object.freeze({
  disk: { missing: powerLossMissing, tool: 'power-loss' },
  memory: { missing: memoryLimitMissing },
  network: { missing: () => null, tool: 'network-faults' },
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
    const { missing, tool } = NEEDS[need];
    return tool && missing() === null ? [toolBuild(tool)] : [];
  });
}

/** @param {Step[]} steps */
function needsOf(steps) {
  return [...new Set(steps.flatMap((step) => needOf(step) ?? []))];
}
