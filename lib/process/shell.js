/**
 * @param {string} text
 * @returns {string} the same as one word of a shell
 */
export function shellWord(text) {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
