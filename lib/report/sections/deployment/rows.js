import { operationsThat } from '../../../../k6/schedule/facts.js';
import { MISSING, mebibytes, percent, significant } from '../../../format.js';
import { verdictOf } from '../../../judge/verdict.js';
import { median, medianInterval } from '../../../stats/summary.js';
import { itemOf, rateText } from '../../words.js';
import { pairedDelta, plainDelta, unpairedDelta } from './deltas.js';
import { storageRows } from './storage-bound.js';

/**
 * @import { CellRecord, LifecycleRecord } from '../../../types.d.ts'
 * @import { Deployment } from './section.js'
 * @import { Row } from '../../rows.js'
 */

/** @typedef {{metric: string, values: string[], delta: string | null}} TableRow */

/**
 * @param {Deployment} deployment
 * @returns {TableRow[]}
 */
export function deploymentRows(deployment) {
  const { facts, main, dataset } = deployment;
  const carrying = operationsThat(facts, (o) => o.items);
  const sent = (carrying.length > 0 ? carrying : Object.keys(facts.operations)).filter((op) =>
    rowsFor(deployment, op).some((r) => r),
  );
  const others = sent.filter((op) => op !== main);
  return [
    ...startRows(deployment),
    ...loadRows(deployment),
    ...sent.map((op) => throughput(deployment, op, itemsOf(facts.operations[op]?.items, dataset))),
    measured(
      deployment,
      main,
      `${main}: requests/s`,
      (c) => c.operations[main]?.ratePerSec,
      significant,
      rateText,
    ),
    ...latencyRows(deployment, main),
    ...others.map((op) => latency(deployment, op, 'p99')),
    failures(deployment, sent),
    cpu(deployment, main),
    ...syncs(deployment, main),
    ...ceilings(deployment),
    ...sizes(deployment),
  ];
}

/**
 * @param {string | number | undefined} size
 * @param {Record<string, number>} dataset
 */
export function itemsOf(size, dataset) {
  return typeof size === 'string' ? dataset[size] : (size ?? 1);
}

/**
 * @param {Deployment} deployment
 * @param {string} operation
 * @returns {(Row | undefined)[]} by system, on the rung of the table
 */
export function rowsFor({ rows, stepId, systems }, operation) {
  return systems.map((id) =>
    rows.find((r) => r.system === id && r.step.id === stepId && r.operation === operation),
  );
}

/** @param {Deployment} deployment @returns {(LifecycleRecord | undefined)[]} by system */
export function lifecycleFor({ lifecycle, systems }) {
  return systems.map((id) => lifecycle.find((l) => l.system === id));
}

/**
 * @param {Deployment} deployment
 * @param {string} operation
 * @param {string} metric
 * @param {(cell: CellRecord) => number | null | undefined} read
 * @param {(value: number) => string} text
 * @param {(row: Row) => string} [whole] in place of the median of `read`
 * @returns {TableRow}
 */
function measured(deployment, operation, metric, read, text, whole) {
  const rows = rowsFor(deployment, operation);
  const value = (/** @type {Row | undefined} */ row) => {
    if (!row) return MISSING;
    if (row.usable === 0) return `n/a: ${row.failure}`;
    if (whole) return whole(row);
    const values = row.cells
      .filter((c) => verdictOf(c, operation) !== 'INVALID')
      .map(read)
      .filter((v) => v !== null && v !== undefined);
    return values.length > 0 ? text(median(values)) : MISSING;
  };
  const [a, b] = rows;
  return { metric, values: rows.map(value), delta: a && b ? pairedDelta(a, b, read) : null };
}

/** @param {Deployment} deployment @returns {TableRow[]} */
function startRows(deployment) {
  const own = lifecycleFor(deployment);
  if (!own.some((l) => l)) return [];
  const unless = (/** @type {LifecycleRecord | undefined} */ l, /** @type {() => string} */ text) => {
    if (!l) return MISSING;
    return l.status === 'ok' ? text() : `${l.status}: ${l.reason}`;
  };
  const start = own.map((l) =>
    unless(l, () => {
      const { estimate, low, high } = medianInterval(l?.startMs ?? []);
      return `${significant(estimate)} (${significant(low)} – ${significant(high)}), min ${significant(Math.min(...(l?.startMs ?? [])))}`;
    }),
  );
  const [a, b] = own;
  const idle = (/** @type {'idleRssBytes' | 'idleResidentBytes'} */ key) => ({
    values: own.map((l) => unless(l, () => mebibytes(l?.[key]))),
    delta: plainDelta(a?.[key], b?.[key]),
  });
  const starts = Math.max(...own.map((l) => l?.startMs.length ?? 0));
  return [
    {
      metric: `start-up, ms (${starts} cold starts)`,
      values: start,
      delta: unpairedDelta(a?.startMs ?? [], b?.startMs ?? []),
    },
    { metric: 'idle memory, MiB (anonymous)', ...idle('idleRssBytes') },
    { metric: 'idle RSS, MiB (as ps counts it)', ...idle('idleResidentBytes') },
  ];
}

/** @param {Deployment} deployment @returns {TableRow[]} memory of the whole step, all its windows together */
function loadRows(deployment) {
  const { main } = deployment;
  const bytes = (/** @type {'rssPeakBytes' | 'rssSteadyBytes'} */ key) => (/** @type {CellRecord} */ c) =>
    c.resources.system?.[key];
  return [
    measured(deployment, main, 'peak memory under load, MiB', bytes('rssPeakBytes'), mebibytes),
    measured(deployment, main, 'steady memory under load, MiB', bytes('rssSteadyBytes'), mebibytes),
  ];
}

/**
 * @param {Deployment} deployment
 * @param {string} op
 * @param {number} items
 * @returns {TableRow}
 */
function throughput(deployment, op, items) {
  const item = itemOf(deployment.facts);
  return measured(
    deployment,
    op,
    `${op}: **${item}s/s**`,
    (c) => (c.operations[op] ? c.operations[op].ratePerSec * items : null),
    significant,
    (row) => {
      const bound = row.codes.includes('generator_bound') ? '≥ ' : '';
      const rate = row.ratePerSec;
      if (!rate) return MISSING;
      const range =
        row.usable > 1 ? ` (${significant(rate.low * items)} – ${significant(rate.high * items)})` : '';
      return `${bound}${significant(rate.estimate * items)}${range}`;
    },
  );
}

/** @param {Deployment} deployment @param {string} op @returns {TableRow[]} */
function latencyRows(deployment, op) {
  return /** @type {const} */ (['p50', 'p95', 'p99']).map((q) => latency(deployment, op, q));
}

/**
 * @param {Deployment} deployment
 * @param {string} op
 * @param {'p50' | 'p95' | 'p99'} q
 */
function latency(deployment, op, q) {
  return measured(deployment, op, `${op}: ${q}, ms`, (c) => c.operations[op]?.serviceMs?.[q], significant);
}

/** @param {Deployment} deployment @param {string[]} operations @returns {TableRow} */
function failures(deployment, operations) {
  const byOperation = operations.map((op) => rowsFor(deployment, op));
  const values = deployment.systems.map((_, i) => {
    const own = byOperation.map((rows) => rows[i]).filter((r) => r !== undefined);
    const failed = own.flatMap((r) => r.cells.map((c) => c.operations[r.operation]?.errors ?? {}));
    return String(failed.reduce((sum, e) => sum + Object.values(e).reduce((s, n) => s + n, 0), 0));
  });
  return { metric: 'failed requests', values, delta: null };
}

/** @param {Deployment} deployment @param {string} op @returns {TableRow} */
function cpu(deployment, op) {
  const items = itemsOf(deployment.facts.operations[op]?.items, deployment.dataset);
  return measured(
    deployment,
    op,
    `${op}: CPU of the system, µs/${itemOf(deployment.facts)}`,
    (c) => {
      const us = c.operations[op]?.systemCpuUsPerOp;
      return us === null || us === undefined ? null : us / items;
    },
    significant,
  );
}

/** @param {Deployment} deployment @param {string} op @returns {TableRow[]} */
function syncs({ records, systems, facts, dataset, first }, op) {
  const cells = systems.map((id) => records.find((r) => r.role === 'syscalls' && r.system === id));
  if (!first || !cells.some((c) => c)) return [];
  const items = itemsOf(facts.operations[op]?.items, dataset);
  const values = cells.map((cell) => {
    if (!cell) return MISSING;
    const count = cell.operations[op]?.count;
    if (cell.status !== 'ok' || !cell.syncs || !count) return `${cell.status}: ${cell.reason}`;
    const calls = Object.values(cell.syncs.calls).reduce((sum, n) => sum + n, 0);
    return `${significant(calls / (count * items))} (${significant(calls / count)} a request)`;
  });
  const share = cells.map((cell) => {
    const ms = cell?.operations[op]?.durationMs;
    return cell?.status === 'ok' && cell.syncs && ms ? percent(cell.syncs.ms / ms) : MISSING;
  });
  const item = itemOf(facts);
  return [
    { metric: `${op}: syncs/${item}, counted by the kernel`, values, delta: null },
    { metric: `${op}: time in syncs, while they were counted`, values: share, delta: null },
  ];
}

/** @param {Deployment} deployment @returns {TableRow[]} */
function ceilings(deployment) {
  const detailed = storageRows(deployment);
  if (detailed.length > 0) return detailed;
  const own = lifecycleFor(deployment);
  if (!own.some((l) => l && l.ceilings.length > 0)) return [];
  const item = itemOf(deployment.facts);
  const rates = own.map((l) => l?.ceilings.flatMap((c) => c.itemsPerSec ?? []) ?? []);
  return [
    {
      metric: `storage alone: ${item}s/s`,
      values: own.map((l, i) => {
        if (rates[i].length > 0) return significant(median(rates[i]));
        return l?.ceilings[0]?.problem ? `n/a: ${l.ceilings[0].problem}` : MISSING;
      }),
      delta: unpairedDelta(rates[0], rates[1] ?? []),
    },
  ];
}

/** @param {Deployment} deployment @returns {TableRow[]} */
function sizes(deployment) {
  const own = lifecycleFor(deployment);
  if (!own.some((l) => l && l.runtime.length > 0)) return [];
  const part = (/** @type {boolean} */ shared) =>
    own.map((l) => (l?.runtime ?? []).filter((r) => r.shared === shared));
  const sum = (/** @type {{bytes: number}[]} */ parts) => parts.reduce((s, r) => s + r.bytes, 0);
  const text = (/** @type {{what: string, bytes: number}[]} */ parts) =>
    parts.length > 0 ? `${mebibytes(sum(parts))} (${parts.map((r) => r.what).join(', ')})` : MISSING;
  const rows = [
    {
      metric: 'runtime size, MiB',
      values: part(false).map(text),
      delta: plainDelta(sum(part(false)[0] ?? []), sum(part(false)[1] ?? [])),
    },
  ];
  if (part(true).some((p) => p.length > 0))
    rows.push({ metric: 'and what it shares, MiB', values: part(true).map(text), delta: null });
  return rows;
}
