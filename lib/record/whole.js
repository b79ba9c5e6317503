import { LIMITS } from '../judge/method.js';

/** @import { CellRecord } from '../types.d.ts' */

/**
 * A load of which one runner is missing, began twice or after the others, is no more measured than one whose only generator
 * died: a run that goes on measures it again.
 * @param {Pick<CellRecord, 'status' | 'generators'> | null | undefined} record null: there is none
 * @returns {boolean} whether all of the cell was measured, whatever came out
 */
export function isWhole(record) {
  if (record?.status !== 'ok') return false;
  const { missing = [], restarted = [], startSkewMs } = record.generators ?? {};
  return missing.length === 0 && restarted.length === 0 && (startSkewMs ?? 0) <= LIMITS.startSkewMs;
}
