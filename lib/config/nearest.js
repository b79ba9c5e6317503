/**
 * Edit distance (Levenshtein 1966), two rows.
 * @param {string} a
 * @param {string} b
 * @returns {number} insertions, deletions and replacements needed
 */
export function editDistance(a, b) {
  let previous = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const replace = previous[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1);
      row.push(Math.min(replace, previous[j] + 1, row[j - 1] + 1));
    }
    previous = row;
  }
  return previous[b.length];
}

/** Nobody reads a longer list in a line of an error: a hint says where it stands. */
const MOST_LISTED = 20;

/**
 * @param {string} name what was typed
 * @param {Iterable<string>} known the valid names
 * @returns {string} `did you mean "x"?`, or the list of valid names when nothing is near
 */
export function suggest(name, known) {
  const names = [...known];
  const most = Math.max(2, Math.floor(name.length / 3));
  // Names are at least as far from each other as their lengths are: a long text is compared with none.
  const near = names.filter((n) => Math.abs(n.length - name.length) <= most);
  const [best] = near.map((n) => ({ n, d: editDistance(name, n) })).sort((x, y) => x.d - y.d);
  // Of three letters two are most of the name.
  const isNear = best?.d <= most && (best.d < 2 || name.length > 3 || best.n[0] === name[0]);
  if (isNear) return `did you mean "${best.n}"?`;
  if (names.length > MOST_LISTED) return `none of the ${names.length} that are known is like it`;
  return names.length > 0 ? `known: ${names.join(', ')}` : 'none are known';
}
