import { K6_EXIT } from '../config/k6-exit.js';
import { EXIT } from '../errors.js';
import { RULES } from '../judge/method.js';
import { FIRST_LOOK } from '../stats/interval.js';

/**
 * @import { CellRecord, LifecycleRecord, Profile, ReasonCode } from '../types.d.ts'
 * @import { SideBySideSummary } from '../figures/side-by-side.js'
 */

/** Reasons that end a command with the code for a crossed threshold although the cell is not INVALID. */
const CROSSED = new Set(['errors', 'p99_threshold', 'script_threshold', 'leaking', 'drifting']);
/** Of a step whose rate we chose ourselves: that it was not held, which a busy machine does to a good choice as well. */
const PACE = new Set(['schedule_lag', 'dropped', 'target_missed']);
/**
 * What a busy machine does to a figure, and no fault of a system: such a figure is not shown. A profile that shows trends
 * only is no worse for it. That users, rate and times contradict each other is one of them: it is the clients who wait for
 * a CPU between two operations.
 * @type {Set<ReasonCode>}
 */
const BUSY = new Set([
  'generator_starved',
  'start_skew',
  'schedule_lag',
  'dropped',
  'target_missed',
  'too_few',
  'window_too_short',
  'littles_law',
]);
/** Roles whose cells say something of a system; a calibration's say something of the generator. */
const JUDGED = new Set(['system', 'durability', 'chaos']);

/**
 * @param {CellRecord[]} records of every load of one system
 * @param {boolean} interrupted
 * @param {LifecycleRecord[]} lifecycle
 * @param {Pick<SideBySideSummary, 'failures' | 'state'>[]} [sideBySide] trials of several systems
 * @param {Pick<Profile, 'sideBySide'>} [profile]
 * @returns {number} exit code of a run
 */
export function exitCodeOf(records, interrupted, lifecycle, sideBySide = [], profile = {}) {
  if (interrupted) return EXIT.interrupted;
  const isCrossed = (/** @type {CellRecord} */ r) => r.verdict.reasons.some((x) => CROSSED.has(x.code));
  // A script may end its own load: that is what it says of the system, and no failure of ours to measure it.
  const unmeasured = [...records.filter((r) => !isCrossed(r)), ...lifecycle];
  if (records.some((r) => r.k6ExitCode && K6_EXIT[r.k6ExitCode]?.exit === EXIT.internal))
    return EXIT.internal;
  const failed = sideBySide.some(({ failures }) => failures.length > 0);
  if (failed || unmeasured.some((r) => r.status === 'failed')) return EXIT.systemFailed;
  const trendsOnly = profile.sideBySide !== undefined && profile.sideBySide.maxStarts < FIRST_LOOK;
  const crossed = records
    .filter((r) => JUDGED.has(r.role))
    .some((r) => isInvalid(r, trendsOnly) || isCrossed(r));
  const wrong = sideBySide.some(({ state }) => state.wrong.length > 0);
  return crossed || wrong ? EXIT.thresholds : EXIT.ok;
}

/**
 * The rate of a step that takes a share of a maximum is a guess of ours: where only the guess was wrong, the cell has no
 * figure, and nothing failed. A rate that somebody asked for is to be held.
 * @param {CellRecord} record
 * @param {boolean} trendsOnly whether figures of a busy machine are no fault
 */
function isInvalid({ step, verdict: { status, reasons } }, trendsOnly) {
  if (status !== 'INVALID') return false;
  const grave = reasons
    .filter((r) => RULES[r.code].status === 'INVALID')
    .filter((r) => !(trendsOnly && BUSY.has(r.code)));
  if (trendsOnly && grave.length === 0) return false;
  const isGuessed = step.model === 'open' && step.fractionOfKnee !== undefined;
  return !(isGuessed && grave.length > 0 && grave.every((r) => PACE.has(r.code)));
}
