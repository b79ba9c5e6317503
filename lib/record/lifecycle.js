import { medianOfKnown } from '../stats/summary.js';

/** @import { CeilingRaw, LifecycleRaw, LifecycleRecord } from '../types.d.ts' */

/**
 * Raw files to one record. Pure.
 * @param {LifecycleRaw} raw
 * @param {CeilingRaw[]} ceilings
 * @returns {LifecycleRecord}
 */
export function lifecycleRecord(raw, ceilings) {
  return {
    schemaVersion: 1,
    system: raw.system,
    status: raw.status,
    reason: raw.reason,
    startMs: raw.startMs,
    idleRssBytes: medianOfKnown(raw.idle.map((i) => i.rssBytes)),
    idleResidentBytes: medianOfKnown(raw.idle.map((i) => i.residentBytes)),
    runtime: raw.runtime,
    ceilings,
  };
}
