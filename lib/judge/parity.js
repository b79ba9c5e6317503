/**
 * What must be equal before one figure may be divided by another. The version and the product differ by
 * nature and are not among them.
 * @type {readonly string[]}
 */
export const PARITY_KEYS = Object.freeze([
  'transport',
  'client',
  'connections',
  'pipelineDepth',
  'model',
  'targetPerSec',
  'durability',
  'cpuLimit',
  'memoryLimit',
  'engine',
  'generatorCpus',
]);

/**
 * @param {Record<string, string | number | null>} a
 * @param {Record<string, string | number | null>} b
 * @returns {string[]} `key x ≠ y` for each that differs or is missing on either side; empty means comparable
 */
export function parityDifferences(a, b) {
  return PARITY_KEYS.flatMap((key) => {
    if (a[key] === undefined || b[key] === undefined) return [`${key} unknown`];
    return a[key] === b[key] ? [] : [`${key} ${a[key]} ≠ ${b[key]}`];
  });
}
