/** @import { HistogramExport, RawSlice } from '../types.d.ts' */

/**
 * @param {number[]} cutsMs
 * @param {number} lane
 * @param {HistogramExport} exported
 * @returns what the loop of the lane noted at each; undefined where it did not come to it
 */
export function marksAt(cutsMs, lane, exported) {
  const loops = exported.loops ?? [];
  const loop = loops.find((l) => l.loop === lane % loops.length);
  return cutsMs.map((at) => loop?.marks.find((m) => Math.abs(m.momentMs - at) < 0.5));
}

/**
 * @param {RawSlice} slice
 * @param {{name: string, lane: number}} side
 * @param {HistogramExport} exported
 * @returns {{seconds: number, operations: number, run: number | null, wait: number | null} | null} of the event loop of
 *   the side; `run` and `wait` are shares of the time
 */
export function loopBetween(slice, { name, lane }, exported) {
  const [from, to] = marksAt(slice.cutsMs, lane, exported);
  if (!from || !to) return null;
  const seconds = (to.atMs - from.atMs) / 1000;
  const count = (/** @type {typeof from} */ mark) =>
    mark.operations.filter((o) => o.op.startsWith(`${name}/`)).reduce((sum, o) => sum + o.acked, 0);
  const share = (/** @type {number | null} */ a, /** @type {number | null} */ b) =>
    a === null || b === null ? null : (b - a) / 1e9 / seconds;
  return {
    seconds,
    operations: count(to) - count(from),
    run: share(from.cpuNs, to.cpuNs),
    wait: share(from.waitNs, to.waitNs),
  };
}
