import { operationsThat } from '../../../../k6/schedule/facts.js';
import { figureText, MISSING, mebibytes, percent, significant, wholeNumber } from '../../../format.js';
import { extremesOf, scaled } from '../../../record/figure.js';
import { itemOf } from '../../words.js';
import { storageRows } from '../promises/storage-bound.js';
import { pairedDelta, plainDelta } from './deltas.js';

/**
 * @import { Figure } from '../../../record/figure.js'
 * @import { Row } from '../../../record/figures.js'
 * @import { Lifecycle } from '../../../record/lifecycle-figures.js'
 * @import { Deployment } from './deployment.js'
 */

/**
 * `kind`: what a line tells; the words of it are in `templates/phrases/metricText.hbs`.
 * @typedef {{kind: string, operation?: string, item?: string, starts?: number, grown?: string | null, size?: number,
 *   values: string[], delta: string | null}} TableRow
 */

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
  return [
    ...startRows(deployment),
    ...loadRows(deployment).filter(isKnown),
    // Of what carries nothing the ladder has the throughput.
    ...(carrying.length > 0 ? sent : []).map((op) =>
      throughput(deployment, op, itemsOf(facts.operations[op]?.items, dataset)),
    ),
    failures(deployment, sent),
    ...[cpu(deployment, main)].filter(isKnown),
    ...syncs(deployment, main),
    ...ceilings(deployment),
    ...sizes(deployment),
  ];
}

/** @param {TableRow} row @returns {boolean} whether it says anything of any system: of one that was not seen it does not */
function isKnown({ values }) {
  return values.some((value) => value !== MISSING);
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
 * @returns {(Row | undefined)[]} by system, on the step of the table
 */
export function rowsFor({ rows, stepId, systems }, operation) {
  return systems.map((id) =>
    rows.find((r) => r.system === id && r.step.id === stepId && r.operation === operation),
  );
}

/** @param {Deployment} deployment @returns {(Lifecycle | undefined)[]} by system */
export function lifecycleFor({ lifecycle, systems }) {
  return systems.map((id) => lifecycle.find((l) => l.system === id));
}

/**
 * @param {Deployment} deployment
 * @param {string} operation
 * @param {string} kind
 * @param {(row: Row) => Figure | null} read
 * @param {(figure: Figure | null) => string} [text]
 * @returns {TableRow}
 */
function measured(deployment, operation, kind, read, text = figureText) {
  const rows = rowsFor(deployment, operation);
  const value = (/** @type {Row | undefined} */ row) => {
    if (!row) return MISSING;
    return row.failure === null ? text(read(row)) : `n/a: ${row.failure}`;
  };
  const [a, b] = rows;
  return {
    kind,
    operation,
    item: itemOf(deployment.facts),
    values: rows.map(value),
    delta: a && b ? pairedDelta(read(a), read(b)) : null,
  };
}

/**
 * @param {Deployment} deployment
 * @returns {string | null} why none of the systems can have figures of its start and its rest; null where one has
 *   them, each lacks them for a reason of its own, or to measure them failed: a failure stands in the table
 */
export function unstartedReason(deployment) {
  const own = lifecycleFor(deployment);
  const reasons = new Set(own.map((l) => (l?.status === 'unavailable' ? l.reason : null)));
  return reasons.size === 1 ? ([...reasons][0] ?? null) : null;
}

/** @param {Deployment} deployment @returns {TableRow[]} */
function startRows(deployment) {
  const own = lifecycleFor(deployment);
  // What none of them has, for one reason, is said below the table.
  if (!own.some((l) => l) || unstartedReason(deployment) !== null) return [];
  const unless = (/** @type {Lifecycle | undefined} */ l, /** @type {() => string} */ text) => {
    if (!l) return MISSING;
    return l.status === 'ok' ? text() : `${l.status}: ${l.reason}`;
  };
  const start = own.map((l) =>
    unless(l, () =>
      l?.start ? `${withRange(l.start)}, min ${significant(extremesOf(l.start).least)}` : MISSING,
    ),
  );
  const [a, b] = own;
  const idle = (/** @type {'idleRssBytes' | 'idleResidentBytes'} */ key) => ({
    values: own.map((l) => unless(l, () => mebibytes(l?.[key]))),
    delta: plainDelta(a?.[key], b?.[key]),
  });
  const starts = Math.max(...own.map((l) => l?.start?.n ?? 0));
  return [
    {
      kind: 'start',
      starts,
      values: start,
      delta: pairedDelta(a?.start, b?.start),
    },
    { kind: 'idle', ...idle('idleRssBytes') },
    { kind: 'resident', ...idle('idleResidentBytes') },
  ];
}

/** @param {Deployment} deployment @returns {TableRow[]} memory of the whole step, all its windows together */
function loadRows(deployment) {
  const { main } = deployment;
  const mib = (/** @type {Figure | null} */ figure) => figureText(figure, mebibytes);
  return [
    measured(deployment, main, 'peak', (r) => r.used.system.rssPeakBytes, mib),
    measured(deployment, main, 'steady', (r) => r.used.system.rssSteadyBytes, mib),
  ];
}

/**
 * @param {Figure | null} figure
 * @returns {string} `≥ 1230 (1180 – 1290)`
 */
function withRange(figure) {
  if (!figure || figure.n < 2) return figureText(figure);
  return `${figureText(figure)} (${significant(figure.low)} – ${significant(figure.high)})`;
}

/**
 * @param {Deployment} deployment
 * @param {string} op
 * @param {number} items
 * @returns {TableRow}
 */
function throughput(deployment, op, items) {
  return measured(deployment, op, 'rate', (r) => scaled(r.ratePerSec, items), withRange);
}

/** @param {Deployment} deployment @param {string[]} operations @returns {TableRow} */
function failures(deployment, operations) {
  const byOperation = operations.map((op) => rowsFor(deployment, op));
  const values = deployment.systems.map((_, i) => {
    const own = byOperation.map((rows) => rows[i]).filter((r) => r !== undefined);
    return wholeNumber(own.reduce((sum, r) => sum + r.tried.failed, 0));
  });
  return { kind: 'failed', values, delta: null };
}

/** @param {Deployment} deployment @param {string} op @returns {TableRow} */
function cpu(deployment, op) {
  const items = itemsOf(deployment.facts.operations[op]?.items, deployment.dataset);
  return measured(deployment, op, 'cpu', (r) => scaled(r.systemCpuUsPerOp, 1 / items));
}

/** @param {Deployment} deployment @param {string} op @returns {TableRow[]} */
function syncs({ syscalls, systems, facts, dataset, first }, op) {
  const own = systems.map((id) => syscalls.find((r) => r.system === id && [op, ''].includes(r.operation)));
  if (!first || !own.some((r) => r)) return [];
  const items = itemsOf(facts.operations[op]?.items, dataset);
  const values = own.map((row) => {
    if (!row?.syncs) return row?.failure ?? MISSING;
    const { perOp } = row.syncs;
    return `${figureText(scaled(perOp, 1 / items))} (${figureText(perOp)})`;
  });
  const share = own.map((row) => figureText(row?.syncs?.timeRatio, percent));
  const item = itemOf(facts);
  return [
    { kind: 'syncs', operation: op, item, values, delta: null },
    { kind: 'syncTime', operation: op, values: share, delta: null },
  ];
}

/** @param {Deployment} deployment @returns {TableRow[]} */
function ceilings(deployment) {
  const detailed = storageRows(deployment);
  if (detailed.length > 0) return detailed;
  const own = lifecycleFor(deployment);
  if (!own.some((l) => l && l.ceilings.length > 0)) return [];
  const item = itemOf(deployment.facts);
  return [
    {
      kind: 'storage',
      item,
      grown: null,
      size: 0,
      values: own.map((l) => {
        if (l?.storagePerSec) return figureText(l.storagePerSec);
        return l?.ceilings[0]?.problem ? `n/a: ${l.ceilings[0].problem}` : MISSING;
      }),
      delta: pairedDelta(own[0]?.storagePerSec, own[1]?.storagePerSec),
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
      kind: 'size',
      values: part(false).map(text),
      delta: plainDelta(sum(part(false)[0] ?? []), sum(part(false)[1] ?? [])),
    },
  ];
  if (part(true).some((p) => p.length > 0))
    rows.push({ kind: 'shared', values: part(true).map(text), delta: null });
  return rows;
}
