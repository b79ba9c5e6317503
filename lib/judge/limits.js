/** Every number of the method. A change of any of them is a change of method. */

/** Of what is measured now; docs/changelog.md says what changed. */
export const METHOD_VERSION = 3;

/** Versions whose runs are read: the judge and the interval of today judge their samples, too. */
export const METHODS_READ = Object.freeze([2, METHOD_VERSION]);

/** Limits of the rules. A change of any of them is a change of method. */
export const LIMITS = Object.freeze({
  /** Of less than a CPU, the share that the generator may use. */
  generatorCpuRatio: 0.9,
  /** |N − X·R| / N of Little's law (Little 1961). */
  littlesLaw: 0.05,
  /** Of a user's time, beside that: between a reply and the next operation, in a client that set the figure itself. */
  clientTurnaround: 0.05,
  /** A p99.9 needs at least this many operations to be more than its maximum. */
  minOperations: 1000,
  /** A window lasts so many times its p99 at least: what takes longer than it is never counted in it. */
  windowPerP99: 5,
  /** Share of failed operations beyond which what was completed is not ranked, unless a profile says another one. */
  errorRatio: 0.001,
  /** Share of valid measurements from which on the confidence in a report is high. */
  validShare: 0.8,
  /** Fewest for an operation with users of its own, beside a mix: percentiles that need more are not shown. */
  minCompanionOperations: 10,
  /** Between the begins of the windows of several runners, ms. */
  startSkewMs: 50,
  /** Schedule lag p99 of the open model, ms. */
  scheduleLagMs: 10,
  /** Operations that were sent, failed or dropped, against those that the schedule holds. */
  scheduleRatio: 1.05,
  /** Share of the target that is reached at least, unless a profile says another one. */
  achievedRatio: 0.95,
  /** Share of the scheduled operations that may be dropped: what is due in the last moments of a window always is. */
  droppedRatio: 0.01,
});

/** Ten operations lie beyond a percentile that is printed: beyond fewer it is the maximum under another name. */
export const FEWEST_OPERATIONS = Object.freeze({ p50: 20, p90: 100, p95: 200, p99: 1000, p999: 10_000 });

/** Fewer repeats than this name no winner. */
export const MIN_REPEATS = 5;

/** Two systems within this share of each other are equivalent for whoever chooses one. */
export const EQUIVALENCE = 0.05;

/** A ratio of two systems is good to about this much across conditions, whatever its interval in one run says. */
export const ACROSS_CONDITIONS = 0.1;

/**
 * What a slice must have to be counted; nothing else is rejected, least of all for its outcome. Where a piece of 0.7 s
 * does not give both systems that much, with a margin, and `cpuSec` of CPU, it goes on, up to so many pieces. A piece whose loop came later than
 * `lateMs` to a cut is none: its operations would be of another moment than the CPU that they cost. Nor is one in which
 * the hypervisor took more than `stolenShare` of all CPU time: servers are then woken for a few operations at a time, and
 * an operation costs them several times as much (measured on two cores: SD of d 0.05 below 0.2, 0.18 at 0.4, 0.9 at 0.6).
 * Such a piece is loaded again: up to `mostStolen` more than the others.
 * A slice lasts long against its operations: each place in the connections' pipelines has had `turns` of them.
 * With one operation under way a server is woken for each, and of two that are woken at the same moment one may pay for
 * both: for the CPU that comes out of its sleep or out of another program's work, for caches that the second finds warm.
 * Such loads take turns in slots of `slotMs`, short against what makes a CPU slower for a while (measured with compilers
 * beside it: at the same moment the cheaper one of two looked 1.27 times dearer; in slots, and without compilers, 1.14 times cheaper).
 */
export const SLICE = Object.freeze({
  minOperations: 2000,
  minCpuShare: 0.05,
  margin: 1.15,
  cpuSec: 0.15,
  turns: 5,
  mostPieces: 12,
  lateMs: 50,
  stolenShare: 0.25,
  mostStolen: 2,
  slotMs: 50,
});

/** Warming up: slices of so many seconds, unless a profile has shorter ones, until two successive ones agree, or until it takes too long. */
export const WARM = Object.freeze({ sliceSec: 1, mostSec: 10, agree: 0.05 });
