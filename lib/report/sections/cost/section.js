import { MISSING, mebibytes, percent, ratioWithInterval, significant } from '../../../format.js';
import { pairedRatio } from '../../../stats/summary.js';
import { stepText } from '../../steps.js';

/**
 * @import { CellRecord, Plan } from '../../../types.d.ts'
 * @import { Row } from '../../rows.js'
 */

/**
 * @param {Plan} plan
 * @param {Row} row
 */
export function costRow(plan, row) {
  const middleOf = (/** @type {(c: CellRecord) => number | null | undefined} */ read) =>
    row.cells.map(read).filter((v) => v !== null && v !== undefined);
  const generator = middleOf((c) => c.operations[row.operation]?.generatorCpuUsPerOp).sort((a, b) => a - b);
  return {
    operation: row.operation,
    system: row.title,
    rung: placeText(plan, row),
    systemCpu: significant(row.systemCpuUsPerOp),
    generatorCpu: significant(generator[generator.length >> 1]),
  };
}

/**
 * The step, with workload and transport where a run has several.
 * @param {Plan} plan
 * @param {{workload: string, transport: string, step: import('../../../types.d.ts').Step}} of a row or a record
 */
function placeText(plan, { workload, transport, step }) {
  const others = plan.workloads.length > 1 ? [workload] : [];
  const transports = new Set(plan.blocks.filter((b) => b.workload === workload).map((b) => b.transport));
  if (transports.size > 1) others.push(transport);
  return [...others, stepText(plan, step.id)].join(', ');
}

/**
 * @param {Plan} plan
 * @param {CellRecord[]} cells repeats of one step of one system
 */
export function resourceRow(plan, cells) {
  const of = (/** @type {(c: CellRecord) => number | null | undefined} */ read) => {
    const values = cells
      .map(read)
      .filter((v) => v !== null && v !== undefined)
      .sort((a, b) => a - b);
    return values.length > 0 ? values[values.length >> 1] : null;
  };
  return {
    system: cells[0].title,
    rung: placeText(plan, cells[0]),
    cores: significant(of((c) => c.resources.system?.cpuCores)),
    generatorCores: significant(of((c) => c.resources.generator?.cpuCores)),
    rssSteady: mebibytes(of((c) => c.resources.system?.rssSteadyBytes)),
    rssPeak: mebibytes(of((c) => c.resources.system?.rssPeakBytes)),
    generatorRss: mebibytes(of((c) => c.resources.generator?.rssPeakBytes)),
    read: mebibytes(of((c) => c.resources.system?.ioReadBytes)),
    write: mebibytes(of((c) => c.resources.system?.ioWriteBytes)),
    received: mebibytes(of((c) => c.resources.system?.netRxBytes)),
    sent: mebibytes(of((c) => c.resources.system?.netTxBytes)),
    processes: of((c) => c.resources.system?.processes) ?? MISSING,
    threads: of((c) => c.resources.system?.threadsPeak) ?? MISSING,
    host: percent(of((c) => c.resources.host?.busyRatio)),
  };
}

/**
 * @param {Plan} plan
 * @param {CellRecord[]} records
 */
export function ceilingRows(plan, records) {
  return records
    .filter((r) => r.role === 'calibration')
    .flatMap((r) =>
      Object.entries(r.operations).map(([operation, o]) => ({
        transport: r.transport,
        operation,
        rung: stepText(plan, r.step.id),
        rate: r.status === 'ok' ? significant(o.ratePerSec) : `n/a: ${r.reason}`,
        generatorCpu: significant(o.generatorCpuUsPerOp),
      })),
    );
}

/**
 * What the live outputs cost the generator, from pairs with and without them.
 * @param {Plan} plan
 * @param {CellRecord[]} records
 * @returns {{rate: string, cpu: string, pairs: number} | null} ratios on / off
 */
export function observerView(plan, records) {
  const own = records.filter((r) => r.role === 'observer' && r.status === 'ok');
  const pairs = own
    .filter((r) => r.step.id === 'telemetry-on')
    .flatMap((on) => {
      const off = own.find((r) => r.step.id === 'telemetry-off' && r.repeat === on.repeat);
      return off
        ? Object.keys(on.operations).map((op) => ({ on: on.operations[op], off: off.operations[op] }))
        : [];
    });
  const ratioOf = (/** @type {'ratePerSec' | 'generatorCpuUsPerOp'} */ key) => {
    const usable = pairs.flatMap(({ on, off }) =>
      on[key] && off?.[key] ? [{ a: on[key], b: off[key] }] : [],
    );
    return usable.length > 0 ? ratioWithInterval(pairedRatio(usable, plan.profile.seed)) : MISSING;
  };
  if (pairs.length === 0) return null;
  return { rate: ratioOf('ratePerSec'), cpu: ratioOf('generatorCpuUsPerOp'), pairs: pairs.length };
}

/**
 * @param {Plan} plan
 * @param {CellRecord[]} measured
 */
export function oracleView(plan, measured) {
  return plan.systems
    .filter((s) => s.role === 'system' && measured.some((r) => r.system === s.id))
    .map((s) => {
      const checked = measured.filter((r) => r.system === s.id && r.oracle !== null);
      const sum = (/** @type {'acked' | 'stored' | 'indeterminate'} */ key) =>
        checked.reduce((n, r) => n + (r.oracle?.[key] ?? 0), 0);
      const missing = checked.reduce(
        (n, r) => n + Math.max(0, (r.oracle?.acked ?? 0) - (r.oracle?.stored ?? 0)),
        0,
      );
      return {
        title: s.title,
        cells: checked.length,
        agreed: checked.filter((r) => r.oracle?.ok).length,
        acked: sum('acked'),
        stored: sum('stored'),
        indeterminate: sum('indeterminate'),
        missing,
      };
    });
}
