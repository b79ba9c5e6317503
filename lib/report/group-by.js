/**
 * @template T
 * @param {readonly T[]} items
 * @param {(item: T) => string} key
 * @returns {T[][]} groups in order of their first item
 */
export function groupBy(items, key) {
  /** @type {Map<string, T[]>} */
  const groups = new Map();
  for (const item of items) groups.set(key(item), [...(groups.get(key(item)) ?? []), item]);
  return [...groups.values()];
}
