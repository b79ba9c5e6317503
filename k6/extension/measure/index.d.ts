/**
 * **Recorders shared by every VU of a k6 process.**
 *
 * One recorder exists for each (phase, op). It counts, times and classes operations, keeps HDR
 * histograms and a per-second series, and is exported once, in `handleSummary()`. Nothing in an
 * exported window comes from k6's own sinks, and nothing is lost when an output fails.
 *
 * ```js
 * import measure from 'k6/x/measure';
 *
 * export default function (data) {
 *   const w = measure.window({ op: 'increment', phase: 'measure', startMs: data.startMs, endMs: data.endMs });
 *   const t = w.start();
 *   try {
 *     increment();
 *     w.success(t);
 *   } catch (error) {
 *     w.failure(t, 'server');
 *   }
 * }
 *
 * export function teardown() {
 *   check(measure.totals()); // { increment: { acked: 81342, indeterminate: 0, wrong: 0, failed: 0 } }
 * }
 *
 * export function handleSummary() {
 *   return { [__ENV.HISTOGRAMS]: measure.exportAll() };
 * }
 * ```
 *
 * Both `import measure from` and `import { window, now } from` work.
 */

/** Milliseconds since the k6 process started: monotonic, sub-microsecond resolution. */
export function now(): number;

/** Milliseconds since the Unix epoch, with a fraction. Runs on the monotonic clock: never steps during a run. */
export function epochMs(): number;

/** Collects the garbage of k6's start, in setup(), so that it is not collected while something is measured. */
export function tidy(): void;

/** Turns a reading of {@link now} into epoch milliseconds. */
export function toEpochMs(nowMs: number): number;

/**
 * Why an operation failed.
 * - `connect`: no connection, or the connection was lost.
 * - `timeout`: no answer in time.
 * - `protocol`: an answer that the protocol or the expectation does not allow.
 * - `server`: a well-formed refusal. It counts as *not applied* in {@link totals}; all other classes count as
 *   indeterminate there, unless {@link Window.failure} is told better.
 * - `other`: anything else.
 */
export type ErrorClass = 'connect' | 'timeout' | 'protocol' | 'server' | 'other';

export interface WindowOptions {
  /** Operation name, for example `increment`. Becomes the tag `op`. */
  op: string;
  /** Phase name, for example `warmup` or `measure`. Becomes the tag `phase`. */
  phase: string;
  /** First moment that counts, epoch ms. */
  startMs: number;
  /** First moment that counts no more, epoch ms. */
  endMs: number;
  /** Open model: what the schedule asks of all VUs together, operations per second; only live views see it. */
  targetPerSec?: number;
  /** Keeps slots of so many milliseconds too, from which recovery from a fault is read off. */
  timelineMs?: number;
}

/**
 * The recorder of (phase, op); every VU that asks gets the same one, and asking again is cheap.
 * Throws when the bounds differ by more than 1 ms from those given first, and in init code.
 */
export function window(options: WindowOptions): Window;

export interface PhaseOptions {
  op: string;
  phase: string;
  /** How many virtual users share the work: each must enter. */
  parties: number;
  /** How many operations they perform together. */
  operations: number;
}

/**
 * A fixed number of operations in place of a window of fixed length. Every VU that asks gets the same one.
 *
 * ```js
 * const p = measure.phase({ op: 'set', phase: 'measure', parties: 50, operations: 100000 });
 * const w = p.enter(); // blocks until all 50 are here: then the window opens
 * for (let s = p.take(1, 1000); s.count > 0; s = p.take(1, 1000)) { ... } // operations s.from … s.from + s.count - 1
 * ```
 */
export function phase(options: PhaseOptions): Phase;

export interface Phase {
  /**
   * Waits until all parties have entered, then returns the window. It is exported from the first send to the last
   * completion, so that its rate is operations / (last end - first start). Throws when the VU is interrupted.
   */
  enter(): Window;
  /**
   * The next slice of the shared work; `count` is 0 when none is left. Slices shrink towards the end, so that the
   * users finish together: half of what is left, dealt evenly, but from `least` to `most` operations.
   */
  take(least: number, most: number): { from: number; count: number };
  /** How many operations nobody has taken yet. */
  left(): number;
}

export interface Window {
  readonly op: string;
  readonly phase: string;
  readonly startMs: number;
  /** Infinity for a window of a {@link Phase}. */
  readonly endMs: number;

  /**
   * Marks an operation as sent and returns {@link now}. An operation that was started and neither succeeded nor
   * failed (the VU was interrupted) is counted as indeterminate. Use it for all operations of a window or for none.
   */
  start(): number;

  /**
   * Counts an acknowledged operation. Service time = now - startedAt.
   * @param startedAt the moment of sending, from {@link now} or {@link Window.start}
   * @param intendedAt open model: the moment the schedule asked for, on the clock of {@link now}. Response time =
   *   now - intendedAt, schedule lag = startedAt - intendedAt.
   */
  success(startedAt: number, intendedAt?: number): void;

  /**
   * Counts a failed operation; it enters no histogram.
   * @param unknown whether the operation may have been applied all the same. Default: true, except for class
   *   `server`. Pass false when it never left (the connection could not be made), true for a 5xx of a proxy.
   */
  failure(startedAt: number, errorClass: ErrorClass, unknown?: boolean): void;

  /** Counts n operations that were sent and then abandoned: their outcome is unknown. */
  aborted(n: number): void;

  /**
   * For who watches: service times of successes since a moment, epoch ms, to the second, and of the two newest seconds at
   * most; null without one.
   */
  recent(sinceMs: number): { p50: number; p95: number; p99: number } | null;
}

/** Open model: counts n operations that were scheduled inside the window and never sent. */
export function dropped(w: Window, n: number): void;

export interface Total {
  /** Acknowledged operations of all phases, early and late ones included. */
  acked: number;
  /** Operations that were sent and may or may not have been applied. */
  indeterminate: number;
  /** Answers that were not the expected ones (class `protocol`), those inside windows only. */
  wrong: number;
  /** All failures, in windows and outside: wrong answers and what may have been done are among them. */
  failed: number;
  /** The ids that operations carried, where no others of the same mix did; absent where they carried none. */
  sent?: Sent[];
  /** The ids that indeterminate operations carried; absent where they carried none. */
  doubted?: Span[];
}

/**
 * Ids of `k6/x/burst`, one after another, that indeterminate operations carried: the n-th is
 * `keys({seed, stream, space}).uuid(n)`, and a store can be asked for it.
 */
export interface Span {
  seed: number;
  stream: number;
  from: number;
  count: number;
}

/** All ids that operations drew from one sequence, and the seed and space of the keys that they drew with them. */
export interface Sent extends Span {
  keys: number;
  space: number;
}

/** Totals by operation over all phases, for the oracle: acked <= stored <= acked + indeterminate. */
export function totals(): Record<string, Total>;

/** Keeps a JSON-able value for the export, under `notes`. The last value of a name wins. */
export function note(name: string, value: unknown): void;

/**
 * Makes each event loop of `k6/x/burst` note itself when it passes these moments, epoch ms: its CPU time, its wait for
 * a CPU, and its operations so far, see {@link LoopMark}. Ask before they pass.
 */
export function cutAt(moments: number[]): void;

/** All notes and windows as the JSON text of an {@link Export}. */
export function exportAll(): string;

export interface Histogram {
  /** HdrHistogram V2, deflated, base64: `decodeFromCompressedBase64` of `hdr-histogram-js` reads it. */
  encoding: 'hdr-v2-deflate-base64';
  /** One histogram unit is 100 ns; divide by 10 000 for ms. Range 0.1 us to 60 s, 3 significant digits. */
  unit: '100ns';
  data: string;
}

export interface Export {
  schemaVersion: 1;
  notes: Record<string, unknown>;
  windows: WindowExport[];
  /**
   * CPU seconds that this k6 process had used by moments (epoch ms) from the first window on, some 50 ms apart in a
   * short run; empty where the operating system does not tell.
   */
  cpu: { t: number; cpuSec: number }[];
  /** The event loops that drove connections; empty where there are none (other systems than Linux). */
  loops: LoopExport[];
}

/** One event loop: a thread that moves connections of `k6/x/burst`. */
export interface LoopExport {
  /** From 0. */
  loop: number;
  /** Its thread: `/proc/<pid>/task/<tid>`. */
  tid: number;
  /** CPUs that it may use. */
  cpus: number[];
  /**
   * At each window's begin and end, and at the moments of {@link cutAt}: in the order in which the loop passed them. A
   * window of a {@link Phase} ends when a loop has nothing left to do in it.
   */
  marks: LoopMark[];
}

export interface LoopMark {
  /** The moment that was asked for, epoch ms. */
  momentMs: number;
  /** When the loop passed it, epoch ms: later by what it was busy with, or asleep with no work before it. */
  atMs: number;
  /** CPU time of its thread since the thread began, ns; null where the operating system does not tell. */
  cpuNs: number | null;
  /** Time that its thread could have run and had no CPU, ns (schedstat); null where the system does not tell. */
  waitNs: number | null;
  /** The longest time that it looked at nothing else, since the mark before, ms. */
  passMs: number;
  /** Successes so far on this loop, by window and lane (see `connect` of `k6/x/burst`). */
  operations: { op: string; phase: string; lane: number | null; acked: number }[];
}

export interface WindowExport {
  op: string;
  phase: string;
  startMs: number;
  endMs: number;
  /** Epoch ms of the first send and of the last completion that were counted, null without any. */
  firstStartMs: number | null;
  lastEndMs: number | null;
  /** Successes completed inside the window: the only ones in histograms, series, mean and rate. */
  count: number;
  /** Successes completed after its end, and before its start. */
  late: number;
  early: number;
  aborted: number;
  /** Started with {@link Window.start} and never finished. */
  unresolved: number;
  dropped: number;
  /** Failures inside the window by class. */
  errors: Record<ErrorClass, number>;
  /**
   * Of these, those that the server gave a name, by that name: `HTTP 503 Overloaded`, `closed 1013 Overloaded`, `ERR`; at
   * most 16 names, the rest as `others`. Absent without any.
   */
  errorKinds?: Record<string, number>;
  /** Of the failures inside the window, from the send to the end of each, summed up, ms; absent without any. */
  failedMs?: number;
  /** Failures completed after its end, and before its start. */
  lateErrors: number;
  earlyErrors: number;
  /** Of the service time, from exact running sums (not from buckets), null without a success. */
  meanMs: number | null;
  sdMs: number | null;
  minMs: number | null;
  maxMs: number | null;
  service: Histogram;
  /**
   * From the intended start; null when no operation had one. Operations answered after the window's end are in it,
   * and dropped ones, as having waited for the rest of the window: to leave them out would hide the slow ones.
   */
  response: Histogram | null;
  /** How late the generator sent, null when no operation had an intended start. */
  lag: Histogram | null;
  responseMeanMs: number | null;
  responseMaxMs: number | null;
  lagMeanMs: number | null;
  lagMaxMs: number | null;
  /** One entry for each second of the window that has begun, empty seconds included. */
  series: SeriesPoint[];
  /** Windows of a {@link Phase} only: from the first send to the last completion of each user, summed up, ms. */
  presentMs?: number;
}

export interface SeriesPoint {
  /** Second since startMs: 0, 1, 2 ... */
  t: number;
  count: number;
  errors: number;
  /** Service time; null in a second without a success. */
  p50Ms: number | null;
  p95Ms: number | null;
  p99Ms: number | null;
  maxMs: number | null;
}

declare const measure: {
  now: typeof now;
  epochMs: typeof epochMs;
  toEpochMs: typeof toEpochMs;
  window: typeof window;
  phase: typeof phase;
  dropped: typeof dropped;
  totals: typeof totals;
  note: typeof note;
  exportAll: typeof exportAll;
  cutAt: typeof cutAt;
  tidy: typeof tidy;
};
export default measure;
