/** @typedef {[number, number]} Sync the moment at which it began, epoch ms, and how long it took, ms */

/**
 * @param {Record<string, Sync[]>} calls
 * @param {{startMs: number, endMs: number}[]} windows
 * @returns {{calls: Record<string, number>, ms: number}} those that began inside, and the time that they took
 */
export function syncsWithin(calls, windows) {
  const inside = Object.entries(calls).map(([call, all]) => ({
    call,
    own: all.filter(([t]) => windows.some((w) => t >= w.startMs && t < w.endMs)),
  }));
  const ms = inside.flatMap(({ own }) => own).reduce((sum, [, took]) => sum + took, 0);
  return {
    calls: Object.fromEntries(inside.map(({ call, own }) => [call, own.length])),
    ms: Math.round(ms * 100) / 100,
  };
}
