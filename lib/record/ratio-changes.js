import { ACROSS_CONDITIONS } from '../judge/method.js';
import { outcomeOf } from '../judge/outcome.js';
import { FIRST_LOOK, intervalOf } from '../stats/interval.js';

/** @import { SideBySideGroup, StartRecord } from '../types.d.ts' */

/**
 * Whether two systems stand to each other in one run as they do in another. Each ratio was taken at one moment, so the
 * machine of the day is in neither; what conditions do to a ratio is in both, so they count as alike up to 10 %.
 * @typedef {object} RatioChange
 * @property {string} workload
 * @property {string} transport
 * @property {string} cell
 * @property {string} a
 * @property {string} b
 * @property {number | null} before operations per CPU-second, a over b; null where no start counted
 * @property {number | null} after
 * @property {{estimate: number, low: number, high: number} | null} ratio after / before; null with too few starts, or loaded otherwise
 * @property {number} n the fewer starts of the two
 * @property {'tie' | 'changed' | 'open' | 'too few starts' | 'loaded otherwise'} word `loaded otherwise`: in turns in one run,
 *   at the same moment in the other
 */

/** @typedef {{group: SideBySideGroup, records: StartRecord[], engine?: string}[]} Starts of a run */

/**
 * @param {Starts} before
 * @param {Starts} after
 * @returns {RatioChange[]} of the comparisons of two systems that both runs have
 */
export function ratioChangesBetween(before, after) {
  return after.flatMap(({ group, records, engine }) => {
    // What a container costs is in a ratio, too.
    const earlier = before.find(
      (s) =>
        s.group.workload === group.workload && s.group.transport === group.transport && s.engine === engine,
    );
    if (!earlier) return [];
    return group.pairs
      .filter((p) => p.kind !== 'same')
      .flatMap(({ a, b, cells }) =>
        cells.flatMap((cell) => {
          if (!hasPair(earlier.group, cell, a, b)) return [];
          const shell = { workload: group.workload, transport: group.transport, cell, a, b };
          const change = changeOf(ratiosOf(earlier.records, cell, a, b), ratiosOf(records, cell, a, b));
          return slotOf(earlier.group, cell) === slotOf(group, cell)
            ? [{ ...shell, ...change }]
            : [{ ...shell, ...change, ratio: null, word: /** @type {const} */ ('loaded otherwise') }];
        }),
      );
  });
}

/**
 * @param {SideBySideGroup} group
 * @param {string} cell
 * @param {string} a
 * @param {string} b
 */
function hasPair({ pairs }, cell, a, b) {
  return pairs.some((p) => [p.a, p.b].sort().join() === [a, b].sort().join() && p.cells.includes(cell));
}

/** @param {SideBySideGroup} group @param {string} cell */
function slotOf({ cells }, cell) {
  return cells.find((c) => c.id === cell)?.slotMs;
}

/**
 * @param {StartRecord[]} starts
 * @param {string} cell
 * @param {string} a
 * @param {string} b
 * @returns {number[]} of those that count, a over b, whichever of the two the run names first
 */
function ratiosOf(starts, cell, a, b) {
  return starts
    .filter((s) => s.status === 'ok')
    .filter(({ systems }) =>
      systems.every(({ system, oracle }) => oracle?.ok !== false || (system !== a && system !== b)),
    )
    .flatMap((s) => s.pairs)
    .flatMap((p) => {
      if (p.cell !== cell || p.logRatio === null) return [];
      if (p.a === a && p.b === b) return [p.logRatio];
      return p.a === b && p.b === a ? [-p.logRatio] : [];
    });
}

/**
 * @param {number[]} before ratios of the starts, as logarithms
 * @param {number[]} after
 * @returns {Pick<RatioChange, 'before' | 'after' | 'ratio' | 'n' | 'word'>}
 */
function changeOf(before, after) {
  const [one, two] = [before, after].map(intervalOf);
  const n = Math.min(one?.n ?? 0, two?.n ?? 0);
  const shell = { before: middleOf(before), after: middleOf(after), n };
  if (!one || !two || n < FIRST_LOOK) return { ...shell, ratio: null, word: 'too few starts' };
  const change = two.mean - one.mean;
  const half = Math.hypot(one.high - one.mean, two.high - two.mean);
  const interval = { mean: change, low: change - half, high: change + half, n };
  const { outcome } = outcomeOf(interval, ACROSS_CONDITIONS);
  const [estimate, low, high] = [interval.mean, interval.low, interval.high].map(Math.exp);
  return {
    ...shell,
    ratio: { estimate, low, high },
    word: outcome === 'winner' ? 'changed' : outcome === 'tie' ? 'tie' : 'open',
  };
}

/** @param {number[]} logarithms @returns {number | null} */
function middleOf(logarithms) {
  if (logarithms.length === 0) return null;
  return Math.exp(logarithms.reduce((sum, v) => sum + v, 0) / logarithms.length);
}
