/** @import { Why } from '../types.d.ts' */

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

/**
 * @param {Record<string, string | number | null>} a
 * @param {Record<string, string | number | null>} b
 * @returns {Why[]} `unlike`, for each condition that differs or is not known of either side; empty means comparable
 */
export function keyDifferences(a, b) {
  return COMPARABLE_KEYS.flatMap((key) => {
    if (key === 'durability' && isPresumed(a, b)) return [];
    const known = [a[key], b[key]].every((value) => value !== undefined && value !== UNKNOWN);
    if (!known) return [{ code: 'unlike', key }];
    return a[key] === b[key] ? [] : [{ code: 'unlike', key, a: a[key], b: b[key] }];
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
