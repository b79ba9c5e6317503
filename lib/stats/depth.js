/**
 * Level by level, without recursion: the depth is what is in question.
 * @param {unknown} root
 * @param {number} most
 * @returns {boolean} whether objects and lists lie in each other on more levels than that
 */
export function isDeeper(root, most) {
  const isNested = (/** @type {unknown} */ value) => typeof value === 'object' && value !== null;
  let level = [root].filter(isNested);
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > most) return true;
    level = level.flatMap((value) => Object.values(/** @type {object} */ (value)).filter(isNested));
  }
  return false;
}
