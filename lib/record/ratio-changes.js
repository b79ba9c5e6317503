import { ACROSS_CONDITIONS } from '../judge/method.js';
import { intervalAtLook } from '../stats/looks.js';

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
 * @property {number} before operations per CPU-second, a over b
 * @property {number} after
 * @property {{estimate: number, low: number, high: number}} ratio after / before
 * @property {number} n the fewer starts of the two
 * @property {'same' | 'changed' | 'cannot tell'} word
 */

/** @typedef {{group: SideBySideGroup, records: StartRecord[]}[]} Starts of a run */

const EDGE = Math.log(1 + ACROSS_CONDITIONS);

/**
 * @param {Starts} before
 * @param {Starts} after
 * @returns {RatioChange[]} of the comparisons of two systems that both runs have, with starts enough in both
 */
export function ratioChangesBetween(before, after) {
  return after.flatMap(({ group, records }) => {
    const earlier = before.find(
      (s) => s.group.workload === group.workload && s.group.transport === group.transport,
    );
    if (!earlier) return [];
    return group.pairs
      .filter((p) => p.kind !== 'same')
      .flatMap(({ a, b, cells }) =>
        cells.flatMap((cell) => {
          const one = intervalAtLook(ratiosOf(earlier.records, cell, a, b));
          const two = intervalAtLook(ratiosOf(records, cell, a, b));
          if (!one || !two) return [];
          const shell = { workload: group.workload, transport: group.transport, cell, a, b };
          return [{ ...shell, ...changeOf(one, two) }];
        }),
      );
  });
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

/** @typedef {NonNullable<ReturnType<typeof intervalAtLook>>} Look */

/**
 * @param {Look} one
 * @param {Look} two
 * @returns {Pick<RatioChange, 'before' | 'after' | 'ratio' | 'n' | 'word'>}
 */
function changeOf(one, two) {
  const change = two.mean - one.mean;
  const half = Math.hypot(one.high - one.mean, two.high - two.mean);
  const [low, high] = [change - half, change + half];
  /** @type {RatioChange['word']} */
  let word = 'cannot tell';
  if (low > EDGE || high < -EDGE) word = 'changed';
  else if (low >= -EDGE && high <= EDGE) word = 'same';
  return {
    before: Math.exp(one.mean),
    after: Math.exp(two.mean),
    ratio: { estimate: Math.exp(change), low: Math.exp(low), high: Math.exp(high) },
    n: Math.min(one.starts, two.starts),
    word,
  };
}
