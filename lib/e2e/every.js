/**
 * When a lie is told that is not told each time: the first of all is one as well, because on a busy machine there may be few.
 * @param {number} n how many there were, this one included
 * @param {number} of so many
 * @returns {boolean} whether this one is lied about
 */
export function every(n, of) {
  return n % of === 1;
}
