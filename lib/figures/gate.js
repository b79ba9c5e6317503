import { BenchError } from '../errors.js';
import { MIN_REPEATS } from '../judge/method.js';
import { whyText } from '../judge/why.js';
import { METRICS, OF_LOADS } from './metrics.js';

/**
 * @import { Comparison, MetricName } from '../types.d.ts'
 * @import { ChangedRow } from './changes.js'
 */

/**
 * What must not be: a metric that changed by more than so much.
 * @typedef {{text: string, metric: MetricName, limit: number}} Limit `limit`: of after / before; 0.9 for -10 %
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
  if (!isOfLoads(metric))
    throw new BenchError(`--fail-on ${text}: unknown metric "${metric}"`, {
      hint: `known: ${OF_LOADS.join(', ')}`,
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

/** @param {string} name @returns {name is MetricName} */
function isOfLoads(name) {
  return /** @type {readonly string[]} */ (OF_LOADS).includes(name);
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

/** @param {Comparison} change @param {Limit} limit */
function isBeyond(change, { limit }) {
  if (!isJudged(change) || !change.ratio) return false;
  return limit < 1 ? change.ratio.high < limit : change.ratio.low > limit;
}

/** @param {Comparison | undefined} change @returns {boolean} whether a limit can be held against it */
export function isJudged(change) {
  return change !== undefined && change.why.length === 0 && change.n >= MIN_REPEATS;
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
    if (all.some(isJudged) || rows.some((r) => r.lost)) continue;
    const reasons = new Set(
      [...all, ...rows.map((r) => ({ why: r.refusal, n: MIN_REPEATS }))].flatMap(barsOf),
    );
    throw new BenchError(`--fail-on ${text}: no load has a ${metric} that may be compared`, {
      detail: [...reasons].slice(0, 5),
      hint: `it takes ${MIN_REPEATS} repeats or starts in both, and figures that the client did not set; 'cpu' is compared even then`,
    });
  }
}

/** @param {Pick<Comparison, 'why' | 'n'>} change @returns {string[]} why no limit can be held against it, in plain words */
function barsOf({ why, n }) {
  return why.length === 0 && n < MIN_REPEATS ? [`${n} of ${MIN_REPEATS} repeats`] : why.map(whyText);
}
