import { EXIT } from '../errors.js';

/** @import { CellRecord, LifecycleRecord, StartRecord } from '../types.d.ts' */

/** Reasons that end a command with the code for a crossed threshold although the cell is not INVALID. */
const CROSSED = new Set(['p99_threshold', 'leaking', 'drifting']);
/** Roles whose cells say something of a system; a calibration's say something of the generator. */
const JUDGED = new Set(['system', 'durability']);

/**
 * @param {CellRecord[]} records
 * @param {boolean} interrupted
 * @param {LifecycleRecord[]} lifecycle
 * @param {StartRecord[]} [starts] of systems side by side
 * @returns {number} exit code of a run
 */
export function exitCodeOf(records, interrupted, lifecycle, starts = []) {
  if (interrupted) return EXIT.interrupted;
  if ([...records, ...lifecycle, ...starts].some((r) => r.status === 'failed')) return EXIT.systemFailed;
  const crossed = records
    .filter((r) => JUDGED.has(r.role))
    .some((r) => r.verdict.status === 'INVALID' || r.verdict.reasons.some((x) => CROSSED.has(x.code)));
  const wrong = starts.some((s) => s.systems.some(({ oracle }) => oracle?.ok === false));
  return crossed || wrong ? EXIT.thresholds : EXIT.ok;
}
