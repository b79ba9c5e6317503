/**
 * What the manifest of a system declares.
 * @import { Stack } from '../types.d.ts'
 */

/**
 * @param {Stack[]} stacks
 * @param {string} id
 * @returns {boolean}
 */
export function restarts(stacks, id) {
  return stacks.find((s) => s.id === id)?.manifest.restart === true;
}

/**
 * @param {Stack[]} stacks
 * @param {string} id
 * @returns {boolean} whether something can keep it busy beside the load
 */
export function hasBackground(stacks, id) {
  return stacks.find((s) => s.id === id)?.manifest.background !== undefined;
}

/**
 * @param {Stack[]} stacks
 * @param {string} id
 */
export function asks(stacks, id) {
  return stacks.find((s) => s.id === id)?.manifest.lifecycle !== undefined;
}
