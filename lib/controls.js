/** What others wrote, before it goes anywhere. */

/** C0 and C1 control characters, those that end a line or turn the direction of text, and those that nobody sees. */
export const CONTROLS = /[\p{Cc}\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2064\u2066-\u2069\ufeff]+/gu;

/**
 * @param {unknown} value JSON-able
 * @returns {string} JSON in which what a terminal would obey is written out
 */
export function jsonText(value) {
  const text = JSON.stringify(value, null, 2).replace(CONTROLS, (all) =>
    [...all].map((c) => (c === '\n' ? c : `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)).join(''),
  );
  return `${text}\n`;
}

/**
 * @param {string} text
 * @returns {boolean} whether it would do more to a terminal than stand there
 */
export function hasControls(text) {
  return text.search(CONTROLS) !== -1;
}

/**
 * What a server or a tool said, fit for a terminal and a file: one line without control characters.
 * @param {string} text
 * @param {number} [most] characters
 * @returns {string}
 */
export function plainLine(text, most = 300) {
  const line = text.replace(CONTROLS, ' ').replace(/ {2,}/g, ' ').trim();
  return line.length > most ? `${line.slice(0, most)}…` : line;
}

/**
 * @param {string} text with an address in it, as a user gave it: right or wrong
 * @returns {string} the same without user and password; what might be one is left out rather than repeated
 */
export function withoutUserinfo(text) {
  if (text.includes('//')) return text.replace(/\/\/.*@/s, '//');
  return text.replace(/^([^=]*=)?[^=@]*:.*@/s, '$1');
}
