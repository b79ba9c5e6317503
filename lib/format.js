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
