/**
 * The choice of keys is the same for every step; ids may not repeat between the steps that one system sees.
 * @param {string} text what a step, or a window of it, is known by
 * @returns {number} seed of its ids (FNV-1a)
 */
export function seedOfIds(text) {
  let hash = 0x811c9dc5;
  for (const c of text) hash = Math.imul(hash ^ c.charCodeAt(0), 0x01000193) >>> 0;
  return hash;
}
