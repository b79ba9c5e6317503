import { pairedRatio } from '../../../stats/summary.js';
import { ofFewestUsers, pairsByRepeat } from './figures.js';

/**
 * @import { CellRecord, Interval } from '../../../types.d.ts'
 * @import { Whole } from './figures.js'
 */

/**
 * A ratio within one system, from the repeats that have both figures.
 * @typedef {{ratio: Interval, pairs: number, doubtful: boolean, upperBound: boolean}} OwnRatio
 *   `doubtful`: one side may be shown and not compared; `upperBound`: then the true ratio is at most this, because the
 *   generator took part in the dividend alone
 */

/**
 * @param {Whole[]} wholes
 * @param {Whole} whole a rung
 * @returns {OwnRatio | null} its p95 against that of the fewest users; null for these themselves and without figures
 */
export function degradationOf(wholes, whole) {
  const own = wholes.filter(
    (w) => w.workload === whole.workload && w.transport === whole.transport && w.system === whole.system,
  );
  const [base] = ofFewestUsers(own);
  if (!base || base.step.vus === whole.step.vus) return null;
  return ratioOf(
    { cells: whole.usable, doubts: whole.doubts },
    { cells: base.usable, doubts: base.doubts },
    (c) => c.wholeMs?.p95,
  );
}

/**
 * @param {{cells: CellRecord[], doubts: string[]}} over
 * @param {{cells: CellRecord[], doubts: string[]}} under
 * @param {(cell: CellRecord) => number | null | undefined} read
 * @returns {OwnRatio | null}
 */
export function ratioOf(over, under, read) {
  const pairs = pairsByRepeat(over.cells, under.cells).flatMap(({ a, b }) => {
    const [x, y] = [read(a), read(b)];
    return x && y && x > 0 && y > 0 ? [{ a: x, b: y }] : [];
  });
  if (pairs.length === 0) return null;
  return {
    ratio: pairedRatio(pairs),
    pairs: pairs.length,
    doubtful: over.doubts.length + under.doubts.length > 0,
    upperBound: under.doubts.length === 0 && over.doubts.every((code) => code === 'generator_bound'),
  };
}
