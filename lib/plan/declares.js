/**
 * What the manifest of a system declares.
 * @import { Stack, StackManifest } from '../types.d.ts'
 */

/**
 * @param {Stack[]} stacks
 * @param {string} id
 * @returns {StackManifest | undefined}
 */
export function manifestOf(stacks, id) {
  return stacks.find((s) => s.id === id)?.manifest;
}

/**
 * @param {Stack[]} stacks
 * @param {string} id
 * @param {string} workload
 * @returns {string[]} over which it takes the workload
 */
export function transportsOf(stacks, id, workload) {
  return manifestOf(stacks, id)?.workloads[workload]?.transports ?? [];
}

/**
 * @param {Stack[]} stacks
 * @param {string} id
 * @returns {boolean} whether it can be started again on its data
 */
export function restarts(stacks, id) {
  return manifestOf(stacks, id)?.restart === true;
}

/**
 * @param {Stack[]} stacks
 * @param {string} id
 * @returns {boolean} whether it asks for figures of its life
 */
export function asks(stacks, id) {
  return manifestOf(stacks, id)?.lifecycle !== undefined;
}
