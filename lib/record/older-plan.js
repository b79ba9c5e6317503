/**
 * Earlier runs in today's words: the one place that knows the old ones.
 * @import { ConformanceOutcome, LifecycleRecord, Plan } from '../types.d.ts'
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readJson } from '../store.js';

/**
 * @param {any} plan as it was written
 * @returns {Plan}
 */
export function currentPlan(plan) {
  return { ...plan, systems: plan.systems?.map(currentSystem) };
}

/** @param {any} system */
function currentSystem({ knobs, ...system }) {
  return knobs === undefined ? system : { ...system, settings: knobs };
}

/**
 * @param {string} runFolder
 * @param {string} system
 * @returns {ConformanceOutcome[]} one, or none: of a file by its older name, or from before start-up was measured
 */
export function olderConformance(runFolder, system) {
  const named = join(runFolder, 'raw', `gate.${system}.json`);
  if (existsSync(named)) return [readJson(named)];
  const beside = join(runFolder, 'raw', `lifecycle.${system}.json`);
  const counted = existsSync(beside) ? readJson(beside).parity : null;
  return counted ? [{ schemaVersion: 1, system, tolerated: [], failures: [], ...counted }] : [];
}

/**
 * @param {any} record as it was written
 * @returns {LifecycleRecord}
 */
export function currentLifecycle({ parity: _, ...record }) {
  return record;
}
