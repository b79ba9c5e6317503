import { USUAL_PATTERN } from '../../k6/client-pattern.js';
import { durabilityOf } from '../config/durability.js';

/** @import { CellMeta, PlannedSystem } from '../types.d.ts' */

/** What a load has, whatever came of it. @typedef {Omit<CellMeta, 'status' | 'reason' | 'generatorCores'>} Known */

/**
 * @param {CellMeta['cell']} cell
 * @param {Pick<PlannedSystem, 'engine'>} system
 * @returns {Known} of a load of which nothing is known yet
 */
export function blankMeta(cell, { engine }) {
  return {
    ...{ schemaVersion: 1, cell, position: 0, engine, version: null },
    ...{ logTail: [], k6ExitCode: null, startedAt: null, durationMs: null },
    ...{ restarted: false, targetPerSec: {}, parity: {} },
    telemetry: { influx: false, dashboard: false },
  };
}

/**
 * @param {CellMeta['cell']} cell
 * @param {PlannedSystem} system
 * @param {{version: string | null, stated?: Record<string, string> | null}} server that ran. `stated`: settings, as it
 *   says itself
 * @param {Record<'client' | 'drive' | 'product', string> & {generatorCpus: number} & CellMeta['parity']} how of the client, and the
 *   limits of both
 * @returns {Known} with what the load was measured under, of which most must be alike where two are compared
 */
export function measuredMeta(cell, system, { version, stated }, how) {
  const { transport, step } = cell;
  const durability = durabilityOf(system, { version, transport, stated });
  return {
    ...{ ...blankMeta(cell, system), version, durability },
    parity: {
      ...{ transport, connections: step.vus, pipelineDepth: step.depth ?? 1, model: step.model },
      ...{ clientPattern: step.clientPattern ?? USUAL_PATTERN, durability: durability.policy },
      ...{ targetPerSec: null, cpuLimit: null, memoryLimit: system.evictsAt ?? null },
      ...{ engine: system.engine, version },
      ...how,
    },
  };
}
