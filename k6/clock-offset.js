/**
 * How far another clock is from this one, from answers that tell its time in whole seconds only: between two of them it
 * went to the next second. Pure: Node tests it.
 */

/**
 * @typedef {object} Look
 * @property {number} sentMs own clock, epoch ms
 * @property {number} receivedMs own clock, epoch ms
 * @property {number} secondMs the other's, cut to the second
 */

/** Looks further apart than this say too little. */
const CLOSE_MS = 40;

/**
 * @param {Look[]} looks in their order
 * @returns {{offsetMs: number, uncertaintyMs: number} | null} to be added to this clock for the other; null before the
 *   other has gone to its next second between two looks that are close to each other
 */
export function offsetOf(looks) {
  for (let i = looks.length - 1; i > 0; i--) {
    const [before, after] = [looks[i - 1], looks[i]];
    if (after.secondMs !== before.secondMs + 1000) continue;
    // It was answered before the second began, after it was sent: the second began between these two.
    const [low, high] = [before.sentMs, after.receivedMs];
    if (high - low > CLOSE_MS) continue;
    return { offsetMs: after.secondMs - (low + high) / 2, uncertaintyMs: (high - low) / 2 };
  }
  return null;
}
