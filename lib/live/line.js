/**
 * @typedef {object} Point
 * @property {string} measurement
 * @property {Record<string, string | number | null | undefined>} tags what points are chosen and grouped by; empty ones are left out
 * @property {Record<string, string | number | null | undefined>} fields numbers become floats; null ones are left out
 * @property {number} timeMs epoch
 */

/**
 * One point in InfluxDB's line protocol, to be written with `precision=ms`.
 * @param {Point} point
 * @returns {string | null} null when no field is left: InfluxDB takes no such point
 */
export function lineOf({ measurement, tags, fields, timeMs }) {
  const own = present(fields).map(([name, value]) => `${name}=${fieldValue(value)}`);
  if (own.length === 0) return null;
  const names = present(tags).map(([name, value]) => `${name}=${tagValue(String(value))}`);
  return `${[measurement, ...names].join(',')} ${own.join(',')} ${Math.round(timeMs)}`;
}

/**
 * @param {Record<string, string | number | null | undefined>} values
 * @returns {[string, string | number][]}
 */
function present(values) {
  return /** @type {[string, string | number][]} */ (
    Object.entries(values).filter(
      ([, v]) => v !== null && v !== undefined && v !== '' && (typeof v === 'string' || Number.isFinite(v)),
    )
  );
}

/** @param {string | number} value */
function fieldValue(value) {
  if (typeof value === 'number') return String(value);
  return `"${value.replace(/[\\"]/g, '\\$&').replaceAll('\n', ' ')}"`;
}

/** @param {string} value a backslash at the end would escape what follows */
function tagValue(value) {
  return value.replaceAll('\n', ' ').replace(/\\+$/, '').replace(/[,= ]/g, '\\$&');
}
