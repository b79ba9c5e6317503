import { METHOD_VERSION } from './limits.js';
import { recordReasons } from './rules.js';
import { statusOf } from './verdict.js';

/** @import { CellRecord, OperationResult, Reason } from '../types.d.ts' */

/** @typedef {Omit<Reason, 'code'> & {code: string}} LooseReason as tests write them */

/**
 * A small valid record for tests.
 * @param {{system?: string, repeat?: number, ratePerSec?: number, operation?: string, vus?: number, depth?: number,
 *   reasons?: LooseReason[], parity?: Record<string, any>, result?: Partial<OperationResult>, record?: Partial<CellRecord>}} [with_]
 * @returns {CellRecord}
 */
export function aCell({
  system = 'a',
  repeat = 1,
  ratePerSec = 100_000,
  operation = 'get',
  vus = 100,
  depth = 1,
  reasons: loose = [],
  parity = {},
  result = {},
  record = {},
} = {}) {
  const reasons = /** @type {Reason[]} */ (loose);
  const mean = (vus * depth * 1000) / ratePerSec;
  /** @type {OperationResult} */
  const operationResult = {
    count: Math.round(ratePerSec * 10),
    late: 0,
    aborted: 0,
    dropped: 0,
    durationMs: 10_000,
    ratePerSec,
    targetPerSec: null,
    errors: { connect: 0, timeout: 0, protocol: 0, server: 0, other: 0 },
    serviceMs: {
      min: mean / 4,
      mean,
      sd: mean / 5,
      p50: mean * 0.9,
      p90: mean * 1.4,
      p95: mean * 1.6,
      p99: mean * 2,
      p999: mean * 3,
      max: mean * 5,
    },
    responseMs: null,
    lagMs: null,
    systemCpuUsPerOp: 3,
    generatorCpuUsPerOp: 4,
    generatorCpuRatio: 0.4,
    outsideMs: null,
    busiest: { system: 0.97, loop: 0.4 },
    setBy: setByOf(reasons),
    shares: { system: { least: 0.97, most: 0.97 }, loop: { least: 0.4, most: 0.4 } },
    verdict: { status: statusOf(reasons), reasons },
    series: [],
    ...result,
  };
  return {
    schemaVersion: 1,
    methodVersion: METHOD_VERSION,
    runId: 'run',
    cell: `counters.resp.${system}.c${vus}.r${repeat}`,
    system,
    title: system.toUpperCase(),
    origin: 'upstream',
    version: '1.0',
    role: 'system',
    engine: 'native',
    workload: 'counters',
    transport: 'resp',
    variant: 'default',
    step: { id: `c${vus}${depth > 1 ? `-p${depth}` : ''}`, model: 'closed', vus, depth, durationSec: 10 },
    repeat,
    position: 0,
    status: 'ok',
    reason: null,
    logTail: [],
    startedAt: '2026-01-01T00:00:00.000Z',
    durationMs: 12_000,
    operations: { [operation]: operationResult },
    idleCores: 0.002,
    resources: { system: null, generator: null, host: { cores: 8, busyRatio: 0.4, stealRatio: 0 } },
    oracle: { ok: true, acked: 10, stored: 10, indeterminate: 0, detail: 'test' },
    verdict: { status: statusOf(reasons), reasons: reasons.map((r) => ({ ...r, operation })) },
    parity: {
      transport: 'resp',
      client: 'k6/x/burst',
      connections: vus,
      pipelineDepth: depth,
      clientPattern: 'one-write',
      model: 'closed',
      targetPerSec: null,
      durability: 'none',
      cpuLimit: null,
      memoryLimit: null,
      engine: 'native',
      generatorCpus: 2,
      ...parity,
    },
    durability: 'in memory',
    live: null,
    warnings: [],
    raw: [],
    ...record,
  };
}

/**
 * @param {Partial<CellRecord>} record what it is about, of a record that is sound else
 * @returns {Reason[]} that concern all of it
 */
export function reasonsIn(record) {
  const { parity, ...rest } = record;
  const context = { thresholds: {}, restarted: false };
  return recordReasons(aCell({ record: rest, ...(parity ? { parity } : {}) }), context);
}

/** @param {Reason[]} reasons @returns {OperationResult['setBy']} as the judge would have said with them */
function setByOf(reasons) {
  if (reasons.some((r) => r.code === 'set_by_client')) return 'generator';
  return reasons.some((r) => r.code === 'unattributed') ? 'unattributed' : 'system';
}
