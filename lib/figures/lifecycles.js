import { isFixedCount } from '../../k6/schedule/facts.js';
import { figureOf, figureOver } from './figure.js';

/**
 * @import { CeilingRaw, LifecycleRecord, Step, StorageReading } from '../types.d.ts'
 * @import { Figure } from './figure.js'
 */

/**
 * What the storage alone did with transactions of one size, on one kind of table.
 * @typedef {object} Reading
 * @property {number} perTransaction items
 * @property {boolean} fresh on an empty table
 * @property {Figure | null} itemsPerSec
 * @property {Figure | null} storedBefore items in the table at the beginning
 */

/**
 * A lifecycle record with its figures.
 * @typedef {LifecycleRecord & {start: Figure | null, storagePerSec: Figure | null, readings: Reading[]}} Lifecycle
 *   `start`: ms from spawning the process to its first right answer; `storagePerSec`: items that the storage alone stores
 */

/**
 * @param {LifecycleRecord[]} records
 * @returns {Lifecycle[]}
 */
export function lifecyclesOf(records) {
  return records.map((record) => ({
    ...record,
    start: figureOf(record.startMs.map((ms, i) => [i + 1, ms])),
    storagePerSec: figureOver(record.ceilings, (c) => c.itemsPerSec),
    readings: readingsOf(record.ceilings),
  }));
}

/**
 * @param {CeilingRaw[]} ceilings
 * @returns {Reading[]} by size of a transaction
 */
function readingsOf(ceilings) {
  const all = ceilings.flatMap(({ repeat, line }) =>
    /** @type {StorageReading[]} */ (line?.readings ?? []).map((r) => ({ repeat, ...r })),
  );
  const sizes = [...new Set(all.map((r) => r.perTransaction))].sort((a, b) => a - b);
  return sizes.flatMap((perTransaction) =>
    [true, false].flatMap((fresh) => {
      const own = all.filter((r) => r.perTransaction === perTransaction && (r.storedBefore === 0) === fresh);
      const of = (/** @type {'itemsPerSec' | 'storedBefore'} */ key) => figureOver(own, (r) => r[key]);
      return own.length === 0
        ? []
        : [{ perTransaction, fresh, itemsPerSec: of('itemsPerSec'), storedBefore: of('storedBefore') }];
    }),
  );
}

/**
 * @param {Lifecycle[]} lifecycles
 * @param {string} system
 * @param {Step | undefined} step one by count starts on a fresh table, one by time goes on with a grown one
 * @returns {Reading[]} of what its storage does alone, on the kind of table that the step has
 */
export function readingsAt(lifecycles, system, step) {
  const own = lifecycles.find((l) => l.system === system)?.readings ?? [];
  return own.filter((r) => r.fresh === Boolean(step && isFixedCount(step)));
}
