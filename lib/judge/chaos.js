import { round } from '../sample/usage.js';
import { LIMITS } from './limits.js';
import { strayedOf } from './recovery.js';
import { dueRatioOf, failedOf, sumsOf } from './schedule.js';

/**
 * @import { CellMeta, ChaosMoments, ChaosResult, HistogramExport, HistogramWindow, OracleResult, Timeline, UnjudgedRecord }
 *   from '../types.d.ts'
 * @import { Found } from './rules.js'
 */

/** When p99 is back: one whole second in which all of this holds. */
export const RESTORED = Object.freeze({
  /** Times p99 before the fault … */
  factor: 1.5,
  /** … or so much above it, ms, where that is more: the machine itself moves it by that. */
  floorMs: 1,
  windowMs: 1000,
  /** Share of the rate before the fault. */
  rateRatio: 0.9,
  errorRatio: 0.01,
});

/** Of the window, left out of "before": connections are made, and what is due right before a fault meets it. */
const SETTLING_MS = 500;
const EDGE_MS = 200;

/**
 * What a fault did, read off the timeline of its window.
 * @param {CellMeta} meta
 * @param {HistogramExport | null} histograms
 * @returns {ChaosResult | null} null when it was not measured to the end
 */
export function chaosOf(meta, histograms) {
  const oracle = /** @type {OracleResult | undefined} */ (histograms?.notes.oracle);
  const windows = histograms?.windows.filter((w) => w.phase === 'measure' && w.timeline) ?? [];
  if (!meta.chaos || windows.length === 0 || !oracle || oracle.acked === null || oracle.stored === null)
    return null;
  const { kind, beganMs, endedMs, restartMs, rssBeforeBytes, rssAfterBytes } = meta.chaos;
  const [{ startMs }] = windows;
  const line = together(windows.map((w) => /** @type {Timeline} */ (w.timeline)));
  const began = beganMs - startMs;
  const ended = endedMs - startMs;
  const before = between(line, SETTLING_MS, began - EDGE_MS);
  const beforeP99Ms = quantileOf(before, 0.99);
  const beforeP50Ms = quantileOf(before, 0.5);
  if (beforeP99Ms === null || beforeP50Ms === null) return null;
  const limitMs = Math.max(beforeP99Ms * RESTORED.factor, beforeP99Ms + RESTORED.floorMs);
  const { acked, stored } = oracle;
  const { lost, twice } = strayedOf({ ...oracle, acked, stored });
  const dueRatio = dueRatioOf(
    windows.map(({ op, count, dropped, errors, startMs: from, endMs }) => ({
      ...{ count, dropped, errors },
      targetPerSec: meta.targetPerSec[op] ?? null,
      durationMs: endMs - from,
    })),
  );
  const wrong = oracle.ok || lost + twice > 0 ? {} : { inconsistent: oracle.detail };
  return {
    kind,
    beforeP50Ms,
    beforeP99Ms,
    beforePerSec: Math.round(before.perSec),
    duringP99Ms: ended > began ? quantileOf(between(line, began, ended), 0.99) : null,
    firstSuccessMs: firstSuccessAfter(line, began, startMs),
    restoredMs: restoredAfter(line, ended, { limitMs, perSec: before.perSec }),
    watchedMs: Math.round(line.slots.length * line.slotMs - ended),
    limitMs: round(limitMs, 3),
    restartMs,
    acked,
    lost,
    twice,
    ...wrong,
    ...(dueRatio > LIMITS.scheduleRatio ? { dueRatio } : {}),
    errors: errorsOf(windows),
    rssBeforeBytes,
    rssAfterBytes,
  };
}

/**
 * Of what is read off a timeline before the fault, and nothing after recovery is, only sums count: there the response
 * times of a second stand in its first slot. From the fault until everything is as before every slot keeps its own.
 * @param {HistogramWindow} window
 * @param {ChaosMoments} moments of its fault
 * @param {Pick<ChaosResult, 'restoredMs'>} result
 * @returns {HistogramWindow}
 */
export function bySecond(window, { beganMs, endedMs }, { restoredMs }) {
  if (!window.timeline) return window;
  const { timeline, startMs } = window;
  const { slotMs } = timeline;
  const slots = timeline.slots.map((s) => ({ ...s }));
  const perSecond = RESTORED.windowMs / slotMs;
  const [settled, fault] = [
    Math.ceil(SETTLING_MS / slotMs),
    Math.floor((beganMs - startMs - EDGE_MS) / slotMs),
  ];
  const ended = endedMs - startMs;
  const back = restoredMs === null ? slots.length : Math.round((ended + restoredMs) / slotMs) + perSecond;
  for (const [from, to] of [
    [0, settled],
    [settled, fault],
    [back, slots.length],
  ])
    for (let i = from; i < to; i += perSecond) {
      const second = slots.slice(i, Math.min(to, i + perSecond));
      const buckets = bucketsOf(second);
      for (const slot of second) slot.buckets = [];
      slots[i].buckets = buckets;
    }
  return { ...window, timeline: { ...timeline, slots } };
}

/**
 * A loss is a finding, not a fault of the measurement; a load that was not there before its fault is one.
 * @param {Pick<UnjudgedRecord, 'role' | 'chaos' | 'parity'>} record
 * @returns {Found[]}
 */
export function missedBeforeFault({ role, chaos, parity }) {
  if (role !== 'chaos') return [];
  if (!chaos) return [{ absent: 'recovery from the fault' }];
  const targets = String(parity.targetPerSec ?? '').split('/');
  const target = targets.reduce((sum, n) => sum + Number(n), 0);
  if (!(target > 0)) return [{ absent: 'target rate' }];
  const limit = LIMITS.achievedRatio;
  const measured = Number((chaos.beforePerSec / target).toPrecision(4));
  return chaos.beforePerSec < limit * target ? [{ measured, limit }] : [];
}

/**
 * @param {Timeline[]} lines of windows that ran at the same time
 * @returns {Timeline} all of their operations
 */
function together(lines) {
  const [first] = lines;
  const slots = first.slots.map((_, i) => {
    const all = lines.flatMap((l) => l.slots[i] ?? []);
    const acks = all.flatMap((s) => s.firstAckMs ?? []);
    return {
      acked: all.reduce((n, s) => n + s.acked, 0),
      buckets: all.flatMap((s) => s.buckets),
      errors: { all: all.reduce((n, s) => n + failedOf(s), 0) },
      ...(acks.length > 0 ? { firstAckMs: Math.min(...acks) } : {}),
    };
  });
  return { ...first, slots };
}

/**
 * @param {Timeline} line
 * @param {number} fromMs since the window's start
 * @param {number} toMs
 */
function between(line, fromMs, toMs) {
  const { slotMs, leastMs, growth } = line;
  const [from, to] = [Math.ceil(fromMs / slotMs), Math.floor(toMs / slotMs)];
  const slots = line.slots.slice(Math.max(0, from), Math.max(0, to));
  const acked = slots.reduce((n, s) => n + s.acked, 0);
  return {
    acked,
    errors: slots.reduce((n, s) => n + failedOf(s), 0),
    perSec: slots.length === 0 ? 0 : (acked * 1000) / (slots.length * slotMs),
    /** Upper bound of each bucket, and how many are in it, in order. */
    rows: bucketsOf(slots).map(([bucket, n]) => [leastMs * growth ** bucket, n]),
  };
}

/**
 * @param {Timeline['slots']} slots
 * @returns {[number, number][]} the buckets of all of them, in order
 */
function bucketsOf(slots) {
  /** @type {Map<number, number>} */
  const counts = new Map();
  for (const [bucket, n] of slots.flatMap((s) => s.buckets))
    counts.set(bucket, (counts.get(bucket) ?? 0) + n);
  return [...counts].sort(([a], [b]) => a - b);
}

/**
 * @param {ReturnType<typeof between>} part
 * @param {number} q
 * @returns {number | null} ms
 */
function quantileOf({ rows, acked }, q) {
  let seen = 0;
  for (const [upperMs, n] of rows) {
    seen += n;
    if (seen >= q * acked) return round(upperMs, 3);
  }
  return null;
}

/**
 * @param {Timeline} line
 * @param {number} began ms since the window's start
 * @param {number} startMs epoch
 * @returns {number | null} until the first of the operations that were sent after it was acknowledged
 */
function firstSuccessAfter({ slots, slotMs }, began, startMs) {
  const acks = slots.slice(Math.floor(began / slotMs) + 1).flatMap((s) => s.firstAckMs ?? []);
  return acks.length === 0 ? null : round(Math.max(0, Math.min(...acks) - startMs - began), 3);
}

/**
 * @param {Timeline} line
 * @param {number} ended ms since the window's start
 * @param {{limitMs: number, perSec: number}} normal
 * @returns {number | null} until the first second in which everything is as before
 */
function restoredAfter(line, ended, { limitMs, perSec }) {
  const { slotMs, slots } = line;
  for (let i = Math.ceil(ended / slotMs); i * slotMs + RESTORED.windowMs <= slots.length * slotMs; i++) {
    const second = between(line, i * slotMs, i * slotMs + RESTORED.windowMs);
    const p99 = quantileOf(second, 0.99);
    const isBack =
      p99 !== null &&
      p99 <= limitMs &&
      second.perSec >= RESTORED.rateRatio * perSec &&
      second.errors <= RESTORED.errorRatio * (second.acked + second.errors);
    if (isBack) return round(i * slotMs - ended, 3);
  }
  return null;
}

/** @param {HistogramWindow[]} windows @returns {Record<string, number>} those that there were, by kind */
function errorsOf(windows) {
  const all = sumsOf(windows.map((w) => ({ ...w.errors, unanswered: w.aborted })));
  return Object.fromEntries(Object.entries(all).filter(([, n]) => n > 0));
}
