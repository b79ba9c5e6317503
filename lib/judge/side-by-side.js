import { FULL } from './attribution.js';

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

/** Warming up: slices of a second until two successive ones agree, or until it takes too long. */
export const WARM = Object.freeze({ sliceMs: 1000, most: 10, agree: 0.05 });

/**
 * @param {readonly number[]} figures operations per CPU-second of each second so far; NaN where it is not known
 * @returns {boolean} whether the last two agree: a server that still compiles itself gets faster all the while
 */
export function isWarm(figures) {
  const [last, now] = figures.slice(-2);
  return figures.length > 1 && Math.abs(Math.log(now / last)) <= Math.log(1 + WARM.agree);
}

/**
 * Whether a system takes so much CPU without any load that what it took under load is no cost of its operations.
 * @param {readonly (number | null)[]} idleCores of its starts; null where it was not seen
 * @returns {boolean} in most of them: one start may have been looked at while it still came up
 */
export function spinsWhenIdle(idleCores) {
  const known = idleCores.filter((c) => c !== null);
  return known.filter((c) => c >= FULL.idleCores).length * 2 > known.length;
}

/**
 * @param {{stealSec: number, totalSec: number}} host of a piece, all CPUs together
 * @returns {number} share of the CPU time that the hypervisor took
 */
export function stolenShareOf({ stealSec, totalSec }) {
  return totalSec > 0 ? stealSec / totalSec : 0;
}

/**
 * @typedef {object} SliceSide
 * @property {number} operations acknowledged inside the slice
 * @property {number} failed
 * @property {number | null} cpuSec run time of all threads of the system inside it; null where it is not to be had
 * @property {number} seconds length of the slice
 */

/** @typedef {Pick<import('../types.d.ts').SideBySideCell, 'connections' | 'depth' | 'minOperations'>} Load */

/**
 * @param {SliceSide} side
 * @param {Load} load
 * @returns {string | null} reason code; null when the slice counts
 */
export function sliceProblem({ operations, failed, cpuSec, seconds }, load) {
  if (failed > 0) return 'errors';
  if (cpuSec === null) return 'no_evidence';
  if (cpuSec / seconds < SLICE.minCpuShare) return 'idle';
  if (operations < SLICE.turns * load.connections * load.depth) return 'window_too_short';
  return operations < (load.minOperations ?? SLICE.minOperations) ? 'few_operations' : null;
}

/**
 * @param {SliceSide} side so far
 * @param {Load} load
 * @returns {boolean} whether it need not go on; what fails or cannot be seen gets no better by going on
 */
export function enoughSeen({ operations, failed, cpuSec }, load) {
  if (failed > 0 || cpuSec === null) return true;
  const least = Math.max(
    load.minOperations ?? SLICE.minOperations,
    SLICE.turns * load.connections * load.depth,
  );
  return operations >= least * SLICE.margin && cpuSec >= SLICE.cpuSec;
}

/**
 * @param {SliceSide} a
 * @param {SliceSide} b loaded at the same moment
 * @returns {number} ln of the ratio of operations per CPU-second, a over b
 */
export function logRatio(a, b) {
  return Math.log(a.operations / Number(a.cpuSec)) - Math.log(b.operations / Number(b.cpuSec));
}
