import { takenByOthers } from '../judge/host.js';

/** @import { CellRecord, SoakResult } from '../types.d.ts' */

/**
 * What a system was like over time, and beside what other work.
 * @typedef {{cell: CellRecord, soak: SoakResult, foreignCores: number | null}} Soaked
 */

/**
 * @param {CellRecord[]} measured
 * @returns {Soaked[]}
 */
export function soaksOf(measured) {
  return measured.flatMap((cell) =>
    cell.soak ? [{ cell, soak: cell.soak, foreignCores: takenByOthers(cell)?.foreignCores ?? null }] : [],
  );
}
