/**
 * Records of method 1, judged by what they hold: who set a figure was told there by a share of what the null responder
 * reached, and is told by the CPU of both sides now.
 * @import { CellRecord } from '../types.d.ts'
 */
import { attributionOf, boundsOf } from '../judge/judge.js';
import { METHOD_VERSION } from '../judge/method.js';
import { cellReasons, REASONS, statusOf } from '../judge/verdict.js';

/**
 * @param {any} record as it was written
 * @param {number} [pauseMs] longest time that its users rest between two turns
 * @returns {CellRecord}
 */
export function currentRecord(record, pauseMs) {
  // What is no record at all is for the schema to tell.
  if (!(record.methodVersion < METHOD_VERSION) || !record.operations || !record.verdict?.reasons)
    return record;
  const operations = Object.fromEntries(
    Object.entries(record.operations).map(([name, { ceilingPerSec, verdict, ...result }]) => {
      if (record.status !== 'ok')
        return [name, { ...result, referencePerSec: null, setBy: null, shares: unseen(), verdict }];
      const own = { ...result, referencePerSec: ceilingPerSec, ...attributionOf(record, result, pauseMs) };
      const reasons = [...verdict.reasons.filter(isKnown), ...boundsOf(record, own)];
      return [name, { ...own, verdict: { status: statusOf(reasons), reasons } }];
    }),
  );
  const reasons = [
    ...cellReasons(record).filter(isKnown),
    ...Object.entries(operations).flatMap(([operation, o]) =>
      o.verdict.reasons.map((/** @type {any} */ r) => ({ ...r, operation })),
    ),
  ];
  const status = record.status === 'ok' ? statusOf(reasons) : record.verdict.status;
  return { ...record, methodVersion: METHOD_VERSION, operations, verdict: { status, reasons } };
}

function unseen() {
  return { system: null, loop: null };
}

/**
 * Without the CPU of the generator a figure was INVALID once; it is a bound now.
 * @param {{code: string, measured?: unknown}} reason
 */
function isKnown({ code, measured }) {
  return code in REASONS && !(code === 'missing_metric' && measured === 'CPU of the generator');
}

/**
 * @param {any} record
 * @returns {any} what was measured, without what a method says of it: the same whichever method wrote it
 */
export function measuredPart({ methodVersion: _, verdict: __, operations, ...record }) {
  const figures = Object.entries(operations).map(([name, operation]) => {
    const { ceilingPerSec, referencePerSec, setBy, shares, verdict, ...figure } = /** @type {any} */ (
      operation
    );
    return [name, figure];
  });
  return { ...record, operations: Object.fromEntries(figures) };
}
