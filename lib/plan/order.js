import { createRng, shuffle } from '../stats/rng.js';

/**
 * The order of the systems in each repeat: every second repeat runs the one before it backwards (ABBA for two
 * systems), and each such pair begins with a new seeded shuffle, so that no system owns the first place.
 * @param {readonly string[]} systems
 * @param {number} repeats
 * @param {number} seed
 * @returns {string[][]} one list for each repeat
 */
export function interleave(systems, repeats, seed) {
  const random = createRng(seed);
  /** @type {string[][]} */
  const order = [];
  for (let r = 0; r < repeats; r++) {
    order.push(r % 2 === 0 ? shuffle(systems, random) : [...order[r - 1]].reverse());
  }
  return order;
}
