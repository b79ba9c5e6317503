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
