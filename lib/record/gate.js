import { BenchError } from '../errors.js';
import { MIN_REPEATS } from '../judge/method.js';
import { METRICS } from './changes.js';

/** @import { Change, ChangedRow } from './changes.js' */

/**
 * What must not be: a metric that changed by more than so much.
 * @typedef {{text: string, metric: string, limit: number}} Limit `limit`: of after / before; 0.9 for -10 %
 */

/** @typedef {{row: ChangedRow, limit: Limit | null, what: string}} Crossing `limit` null: there is no figure any more */

/**
 * @param {string | null} text `throughput<-10%,p99>+15%`
 * @returns {Limit[]}
 * @throws {BenchError} naming what is wrong with it
 */
export function limitsOf(text) {
  if (text === null) return [];
  const parts = text
    .split(',')
    .map((p) => p.replaceAll(' ', ''))
    .filter(Boolean);
  if (parts.length === 0) throw new BenchError('--fail-on is empty', { hint: HINT });
  return parts.map(limitOf);
}

const HINT = "write it like --fail-on 'throughput<-10%,p99>+15%'";

/** A thousand times as much: beyond it a limit is a slip of the hand. */
const MOST_PERCENT = 100_000;

/** @param {string} text @returns {Limit} */
function limitOf(text) {
  const match = /^([a-z0-9]+)([<>])([+-]?)(\d+(?:\.\d+)?)%$/.exec(text);
  if (!match) throw new BenchError(`--fail-on ${text}: no limit`, { hint: HINT });
  const [, metric, sign, plusMinus, number] = match;
  if (!Object.hasOwn(METRICS, metric))
    throw new BenchError(`--fail-on ${text}: unknown metric "${metric}"`, {
      hint: `known: ${Object.keys(METRICS).join(', ')}`,
    });
  const { moreIsBetter } = METRICS[metric];
  if (moreIsBetter !== (sign === '<') || moreIsBetter !== (plusMinus === '-'))
    throw new BenchError(
      `--fail-on ${text}: ${metric} is worse when it ${moreIsBetter ? 'falls' : 'grows'}`,
      { hint: `write ${metric}${moreIsBetter ? '<-' : '>+'}${number}%` },
    );
  if (moreIsBetter && Number(number) >= 100)
    throw new BenchError(`--fail-on ${text}: nothing falls by ${number} %`, { hint: HINT });
  if (!(Number(number) <= MOST_PERCENT))
    throw new BenchError(`--fail-on ${text.slice(0, 40)}…: a gate that nothing can cross`, { hint: HINT });
  return { text, metric, limit: 1 + (moreIsBetter ? -1 : 1) * (Number(number) / 100) };
}

/**
 * A limit is crossed only where the whole interval lies beyond it; a load that has no figure any more crosses them all.
 * @param {ChangedRow[]} rows
 * @param {Limit[]} limits
 * @returns {Crossing[]}
 */
export function crossings(rows, limits) {
  if (limits.length === 0) return [];
  return rows.flatMap((row) => crossingsOf(row, limits));
}

/**
 * @param {ChangedRow} row
 * @param {Limit[]} limits
 * @returns {Crossing[]}
 */
function crossingsOf(row, limits) {
  if (row.lost) return [{ row, limit: null, what: `no figure any more: ${row.lost}` }];
  return limits.flatMap((limit) => {
    const change = row.changes[limit.metric];
    return change && isBeyond(change, limit) ? [{ row, limit, what: limit.text }] : [];
  });
}

/** @param {Change} change @param {Limit} limit */
function isBeyond({ ratio }, { limit }) {
  if (!isJudged(ratio)) return false;
  return limit < 1 ? ratio.high < limit : ratio.low > limit;
}

/**
 * @param {Change['ratio']} ratio
 * @returns {ratio is NonNullable<Change['ratio']>}
 */
export function isJudged(ratio) {
  return ratio?.rankable === true && ratio.pairs >= MIN_REPEATS;
}

/**
 * A gate that could not have failed says so, and does not let through.
 * @param {ChangedRow[]} rows
 * @param {Limit[]} limits
 * @throws {BenchError} when a limit has no load to be held against
 */
export function demandJudgeable(rows, limits) {
  for (const { metric, text } of limits) {
    const all = rows.flatMap((r) => r.changes[metric] ?? []);
    if (all.some((c) => isJudged(c.ratio)) || rows.some((r) => r.lost)) continue;
    const reasons = [
      ...new Set([...all.flatMap((c) => c.why ?? []), ...rows.flatMap((r) => r.refusal ?? [])]),
    ];
    throw new BenchError(`--fail-on ${text}: no load has a ${metric} that may be compared`, {
      detail: reasons.slice(0, 5),
      hint: `it takes ${MIN_REPEATS} repeats or starts in both, and figures that the client did not set; 'cpu' is compared even then`,
    });
  }
}
