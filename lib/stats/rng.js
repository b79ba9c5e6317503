/**
 * Seeded random numbers (mulberry32): the same seed gives the same run order and the same intervals.
 * @param {number} seed any integer
 * @returns {() => number} uniform in [0, 1)
 */
export function createRng(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/**
 * Fisher–Yates.
 * @template T
 * @param {readonly T[]} items
 * @param {() => number} random
 * @returns {T[]} a new array
 */
export function shuffle(items, random) {
  const out = [...items];
  for (let i = out.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [out[i], out[j]] = [out[j], out[i]];
  }
  return out;
}
