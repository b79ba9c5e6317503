/**
 * @template T
 * @param {readonly T[]} items
 * @param {(item: T) => string} key
 * @returns {T[][]} groups in order of their first item
 */
export function groupBy(items, key) {
  /** @type {Map<string, T[]>} */
  const groups = new Map();
  for (const item of items) {
    const name = key(item);
    const group = groups.get(name);
    if (group) group.push(item);
    else groups.set(name, [item]);
  }
  return [...groups.values()];
}
