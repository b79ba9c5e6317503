import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { medianOfKnown } from '../stats/summary.js';
import { writeJson } from '../store.js';
import { readPart } from './read-part.js';

/** @import { CeilingRaw, LifecycleRaw, LifecycleRecord, Plan } from '../types.d.ts' */

/** @param {string} system */
export function lifecycleFiles(system) {
  return {
    raw: `raw/lifecycle.${system}.json`,
    ceiling: (/** @type {number} */ repeat) => `raw/ceiling.${system}.r${repeat}.json`,
    result: `results/lifecycle/${system}.json`,
  };
}

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

/**
 * @param {string} runFolder
 * @param {string} system
 * @returns {LifecycleRecord | null} from raw/, null where nothing was measured
 */
export function freshLifecycle(runFolder, system) {
  const files = lifecycleFiles(system);
  if (!existsSync(join(runFolder, files.raw))) return null;
  const prefix = `ceiling.${system}.r`;
  const ceilings = readdirSync(join(runFolder, 'raw'))
    .filter((f) => f.startsWith(prefix) && /^\d+\.json$/.test(f.slice(prefix.length)))
    .map((f) => /** @type {CeilingRaw} */ (readPart(join(runFolder, 'raw', f), 'Ceiling')))
    .sort((a, b) => a.repeat - b.repeat);
  return lifecycleRecord(readPart(join(runFolder, files.raw)), ceilings);
}

/**
 * @param {string} runFolder
 * @param {string} system
 */
export function storeLifecycle(runFolder, system) {
  const record = freshLifecycle(runFolder, system);
  if (record) writeJson(join(runFolder, lifecycleFiles(system).result), record);
}

/**
 * @param {string} runFolder
 * @param {Plan} plan
 * @returns {LifecycleRecord[]} in the order of the plan
 */
export function readLifecycle(runFolder, plan) {
  return (plan.lifecycle ?? [])
    .map(({ system }) => join(runFolder, lifecycleFiles(system).result))
    .filter((path) => existsSync(path))
    .map((path) => /** @type {LifecycleRecord} */ (readPart(path, 'Lifecycle')));
}
