/** @import { Attribution } from '../types.d.ts' */

/** Shares of a CPU from which a thread counts as full, and below which the load has time to spare. */
export const FULL = Object.freeze({ system: 0.9, loop: 0.8, waits: 0.5, idleCores: 0.2 });

/**
 * Who set an absolute figure, by what the threads did: running, waiting for a CPU, or stolen by the hypervisor (which
 * is in neither of the two). The generator is taken for the limit unless the evidence says otherwise.
 * @param {object} evidence
 * @param {number | null} evidence.system share of a CPU that the system's busiest thread wanted (run + wait + steal)
 * @param {number | null} evidence.loop the same of the event loop that loaded it (run + wait)
 * @param {number | null} evidence.idleCores CPU that the system takes without any load, in cores
 * @returns {Attribution}
 */
export function attribute({ system, loop, idleCores }) {
  if (system === null || loop === null) return 'unattributed';
  // A server that spins looks full whatever it does.
  if (idleCores === null || idleCores >= FULL.idleCores) return 'unattributed';
  if (system >= FULL.system && loop <= FULL.loop) return 'system';
  if (system < FULL.system && loop <= FULL.waits) return 'waits';
  return 'generator';
}

/** @param {Attribution} setBy @returns {boolean} whether the system could have done more for a better client */
export function isBound(setBy) {
  return setBy === 'generator' || setBy === 'unattributed';
}
