import { USUAL_PATTERN } from '../../k6/client-pattern.js';

/**
 * What must be equal before one figure may be divided by another. The version and the product differ by
 * nature and are not among them.
 * @type {readonly string[]}
 */
export const COMPARABLE_KEYS = Object.freeze([
  'transport',
  'client',
  'connections',
  'pipelineDepth',
  'clientPattern',
  'model',
  'targetPerSec',
  'durability',
  'cpuLimit',
  'memoryLimit',
  'engine',
  'generatorCpus',
]);

/** What nobody said: of two servers of one product it is taken for alike, and the page says so. */
const UNKNOWN = 'unknown';

/** What records say that are older than a key. */
const FORMERLY = Object.freeze({ clientPattern: USUAL_PATTERN });

/**
 * @param {Record<string, string | number | null>} one
 * @param {Record<string, string | number | null>} other
 * @returns {string[]} `key x ≠ y` for each that differs or is missing on either side; empty means comparable
 */
export function keyDifferences(one, other) {
  const [a, b] = [
    { ...FORMERLY, ...one },
    { ...FORMERLY, ...other },
  ].map((keys) => /** @type {Record<string, string | number | null>} */ (keys));
  return COMPARABLE_KEYS.flatMap((key) => {
    if (key === 'durability' && isPresumed(a, b)) return [];
    if ([a[key], b[key]].some((value) => value === undefined || value === UNKNOWN)) return [`${key} unknown`];
    return a[key] === b[key] ? [] : [`${key} ${a[key]} ≠ ${b[key]}`];
  });
}

/**
 * @param {Record<string, string | number | null>} a
 * @param {Record<string, string | number | null>} b
 * @returns {boolean} whether what acknowledgements mean is known of neither, and both are servers of one product
 */
export function isPresumed(a, b) {
  return (
    a.durability === UNKNOWN && b.durability === UNKNOWN && a.product !== undefined && a.product === b.product
  );
}
