/** The only module that turns numbers into text. Missing is `–`, never 0. */

export const MISSING = '–';

/**
 * @param {number | null | undefined} value
 * @param {number} [digits] significant ones
 * @returns {string} with thin grouping of thousands, as in `123 000`
 */
export function significant(value, digits = 3) {
  if (value === null || value === undefined || !Number.isFinite(value)) return MISSING;
  if (value === 0) return '0';
  const rounded = Number(value.toPrecision(digits));
  const decimals = Math.max(0, digits - 1 - Math.floor(Math.log10(Math.abs(rounded))));
  const [whole, fraction] = rounded.toFixed(Math.min(decimals, 6)).split('.');
  const grouped = whole.length > 4 ? whole.replace(/\B(?=(\d{3})+$)/g, '\u202f') : whole;
  return fraction ? `${grouped}.${fraction}` : grouped;
}

/**
 * @param {{median: number, bound?: 'lower' | 'upper' | null} | null | undefined} figure
 * @param {(value: number) => string} [text] of its unit
 * @returns {string} its median, `≥ 1230` where the system does at least that
 */
export function figureText(figure, text = significant) {
  if (!figure) return MISSING;
  return `${figure.bound === 'lower' ? '≥ ' : ''}${text(figure.median)}`;
}

/**
 * @param {number} value
 * @returns {string} all of its digits, grouped
 */
export function wholeNumber(value) {
  return significant(value, Math.max(1, String(value).length));
}

/**
 * @param {number | null | undefined} value per second
 * @returns {string}
 */
export function perSecond(value) {
  return `${significant(value)}/s`;
}

/**
 * @param {number | null | undefined} value
 * @returns {string}
 */
export function milliseconds(value) {
  return `${significant(value)} ms`;
}

/**
 * @param {number | null | undefined} bytes
 * @returns {string} in MiB
 */
export function mebibytes(bytes) {
  return bytes === null || bytes === undefined ? MISSING : significant(bytes / 1_048_576);
}

/**
 * @param {number} seconds
 * @returns {string} `3 s`, `2 min 10 s`, `1 h 05 min`
 */
export function duration(seconds) {
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return whole % 60 === 0 ? `${minutes} min` : `${minutes} min ${whole % 60} s`;
  return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, '0')} min`;
}

/**
 * @param {number | null | undefined} value 0 … 1
 * @returns {string}
 */
export function percent(value) {
  return value === null || value === undefined ? MISSING : `${significant(value * 100)} %`;
}

/** C0 and C1 control characters, and those that turn the direction of text. */
const CONTROLS = /[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu;

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
