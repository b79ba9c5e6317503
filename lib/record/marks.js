/**
 * @import { HistogramExport } from '../types.d.ts'
 * @typedef {NonNullable<HistogramExport['loops']>[number]} Loop
 */

/** @param {HistogramExport | null} exported @param {number} lane @returns {Loop | undefined} the event loop of a lane */
export function loopOf(exported, lane) {
  const loops = exported?.loops ?? [];
  return loops.find((l) => l.loop === lane % loops.length);
}

/**
 * @param {Loop | undefined} loop
 * @param {readonly number[]} between two moments, epoch ms
 * @returns {{seconds: number, lateMs: number, busy: number | null, acked: (prefix: string) => number} | null} what it did between
 *   them by its own marks; null where it did not come to both. `lateMs`: by which it came late to one; `busy`: share of the time
 *   that it ran or waited for a CPU; `acked`: operations whose names begin so
 */
export function loopBetween(loop, between) {
  const marks = between.flatMap((ms) => loop?.marks.find((m) => Math.abs(m.momentMs - ms) < 0.5) ?? []);
  if (marks.length < 2 || marks[1].atMs <= marks[0].atMs) return null;
  const increase = (/** @type {(mark: typeof marks[number]) => number | null} */ read) => {
    const [from, to] = marks.map(read);
    return from === null || to === null ? null : to - from;
  };
  const [runNs, waitNs] = [increase((m) => m.cpuNs), increase((m) => m.waitNs)];
  const seconds = Number(increase((m) => m.atMs)) / 1000;
  return {
    seconds,
    lateMs: Math.max(...marks.map((m, i) => m.atMs - between[i])),
    busy: runNs === null || waitNs === null ? null : (runNs + waitNs) / 1e9 / seconds,
    acked: (prefix) =>
      Number(increase((m) => m.operations.reduce((n, o) => n + (o.op.startsWith(prefix) ? o.acked : 0), 0))),
  };
}
