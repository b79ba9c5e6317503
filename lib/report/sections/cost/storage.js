import { storedBeforeOf } from '../../../figures/lifecycles.js';

/**
 * @import { Figure } from '../../../figures/figure.js'
 * @import { Lifecycle, Reading } from '../../../figures/lifecycles.js'
 * @import { Step } from '../../../types.d.ts'
 * @import { Deployment } from './deployment.js'
 */

/**
 * @param {Lifecycle[]} lifecycles
 * @param {string} system
 * @param {Step | undefined} step one by count starts on a fresh table, one by time goes on with a grown one
 * @returns {Reading[]} of what its storage does alone, on the kind of table that the step has
 */
export function readingsOf(lifecycles, system, step) {
  const own = lifecycles.find((l) => l.system === system)?.readings ?? [];
  return own.filter((r) => r.fresh === isByCount(step));
}

/** @param {Step | undefined} step */
function isByCount(step) {
  return step?.operations !== undefined;
}

/**
 * What the storage alone did, for each size of a transaction in which that of any system was measured.
 * @param {Deployment} deployment
 * @param {string} id
 * @returns {{size: number, grown: Figure | null, figure: Figure | null}[]} `grown`: items in the table at the beginning
 */
export function storageOf({ plan, stepId, storage, systems }, id) {
  const step = plan.profile.steps.find((s) => s.id === stepId);
  const all = systems.flatMap((system) => readingsOf(storage, system, step));
  const sizes = [...new Set(all.map((r) => r.perTransaction))].sort((a, b) => a - b);
  const own = storage.filter((l) => systems.includes(l.system));
  const grown = isByCount(step) ? null : storedBeforeOf(own, false);
  const readings = readingsOf(storage, id, step);
  return sizes.map((size) => ({
    ...{ size, grown },
    figure: readings.find((r) => r.perTransaction === size)?.itemsPerSec ?? null,
  }));
}
