import { attributeWithin } from './attribution.js';
import { sharesOf } from './evidence.js';
import { isFull } from './host.js';
import { LIMITS } from './limits.js';
import { gateReasons, operationReasons, recordReasons } from './rules.js';
import { statusOf } from './verdict.js';

/**
 * @import { CellRecord, OperationResult, Reason, UnjudgedRecord } from '../types.d.ts'
 * @import { Context } from './rules.js'
 */

/**
 * Applies every rule. Pure: the record in, the record with its verdicts out. What was not measured to its end is INVALID
 * without a reason of its own: its status has one.
 * @param {UnjudgedRecord} record
 * @param {Context} context
 * @returns {CellRecord}
 */
export function judge(record, context) {
  const { pauseMs, script } = context;
  if (record.status !== 'ok') return unmeasured(record, gateReasons(context));
  const operations = Object.fromEntries(
    Object.entries(record.operations).map(([operation, result]) => {
      const own = { ...result, ...attributionOf(record, result, pauseMs) };
      const untimed =
        script?.untimed.includes(operation) === true || isRare(record, operation, context.minOperations);
      const reasons = operationReasons(own, record, { ...context, operation, untimed });
      return [operation, { ...own, verdict: { status: statusOf(reasons), reasons } }];
    }),
  );
  const reasons = [
    ...recordReasons(record, context),
    ...(script ? failuresOf(operations) : []),
    ...Object.entries(operations).flatMap(([operation, { verdict }]) =>
      verdict.reasons.map((r) => ({ ...r, operation })),
    ),
  ];
  return { ...record, operations, verdict: { status: statusOf(reasons), reasons } };
}

/**
 * @param {UnjudgedRecord} record
 * @param {string} name of an operation
 * @param {number} [least]
 * @returns {boolean} whether it follows what reads miss, and they miss too little to time it: that is no fault of the load
 */
function isRare({ operations }, name, least = LIMITS.minOperations) {
  return operations[name].count < least && Object.values(operations).some((o) => o.filledBy === name);
}

/**
 * Operations of a script are parts of each other: an iteration that came to its end by failed requests is no success.
 * @param {Record<string, OperationResult>} operations
 * @returns {Reason[]} the worst of them, for all
 */
function failuresOf(operations) {
  return Object.values(operations)
    .flatMap((o) => o.verdict.reasons.filter((r) => r.code === 'errors'))
    .sort((a, b) => Number(b.measured) - Number(a.measured))
    .slice(0, 1);
}

/**
 * @param {UnjudgedRecord} record
 * @param {Reason[]} reasons
 * @returns {CellRecord}
 */
function unmeasured(record, reasons) {
  const verdict = { status: /** @type {const} */ ('INVALID'), reasons };
  const operations = Object.entries(record.operations).map(([name, result]) => [
    name,
    { ...result, setBy: null, shares: { system: null, loop: null }, verdict },
  ]);
  return { ...record, operations: Object.fromEntries(operations), verdict };
}

/**
 * Who set the throughput of a closed step. A schedule sets that of an open one, and users who think their own; a
 * calibration's is the generator's by its nature.
 * @param {UnjudgedRecord} record
 * @param {import('../types.d.ts').UnjudgedResult} result
 * @param {number} [pauseMs]
 * @returns {Pick<OperationResult, 'setBy' | 'shares'>}
 */
function attributionOf(record, result, pauseMs = 0) {
  const shares = sharesOf(record, result);
  const isFree =
    record.role === 'system' && record.step.model === 'closed' && pauseMs === 0 && !result.received;
  return {
    shares,
    setBy: isFree
      ? attributeWithin({ ...shares, idleCores: record.idleCores ?? null, full: isFull(record) })
      : null,
  };
}
