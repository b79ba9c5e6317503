import { USUAL_PATTERN } from '../../k6/client-pattern.js';

/** @import { CellMeta, PlannedSystem, Step } from '../types.d.ts' */

/**
 * What a load was measured under, of which most must be alike where two are compared.
 * @param {{transport: string, step: Step}} load
 * @param {{system: PlannedSystem, version: string | null, durability: {policy: string}}} who
 * @param {Record<'client' | 'drive' | 'product', string> & {generatorCpus: number} & CellMeta['parity']} how of the client, and the
 *   limits of both
 * @returns {CellMeta['parity']}
 */
export function conditionsOf({ transport, step }, { system, version, durability }, how) {
  return {
    ...{ transport, connections: step.vus, pipelineDepth: step.depth ?? 1, model: step.model },
    ...{ clientPattern: step.clientPattern ?? USUAL_PATTERN, durability: durability.policy },
    ...{ targetPerSec: null, cpuLimit: null, memoryLimit: system.evictsAt ?? null },
    ...{ engine: system.engine, version },
    ...how,
  };
}

/**
 * @param {CellMeta['cell']} cell
 * @param {Pick<PlannedSystem, 'engine'>} system
 * @returns {Omit<CellMeta, 'status' | 'reason' | 'generatorCores'>} of a load of which nothing is known yet
 */
export function blankMeta(cell, { engine }) {
  return {
    ...{ schemaVersion: 1, cell, position: 0, engine, version: null },
    ...{ logTail: [], k6ExitCode: null, startedAt: null, durationMs: null },
    ...{ restarted: false, targetPerSec: {}, parity: {} },
    telemetry: { influx: false, dashboard: false },
  };
}
