/**
 * When users who take operations in turns rest. This file imports nothing of k6, so that Node tests it.
 */

/**
 * A user rests after each round and one operation more: the operation after a rest finds caches and cores cold, and no
 * kind shall always be that one.
 * @param {number} turn the operation just performed, counted from 1 in its window
 * @param {number} round operations in a round
 * @returns {boolean}
 */
export function restsAfter(turn, round) {
  return turn % (round + 1) === 0;
}
