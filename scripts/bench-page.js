/**
 * k6/extension/BENCHMARKS.md, from the rows that scripts/bench-generator.mjs has measured. Pure.
 */
import { compareTrials, meets } from '../lib/figures/compare.js';
import { phrase } from '../lib/report/template.js';
import { median } from '../lib/stats/summary.js';

/**
 * @typedef {object} Point
 * @property {number} rate operations per second
 * @property {number} cpu µs of the client's CPU for each operation
 *
 * @typedef {object} BenchRow
 * @property {string} name
 * @property {string} against
 * @property {string} server that both sides load: `redis`, or the protocol of a null responder
 * @property {{rate: number | null, cpu: number | null} | null} bar the least throughput ratio and the largest CPU ratio that the
 *   row is meant to keep; null: none
 * @property {BenchRow} [beside] the bar is that of this row's ratio divided by that one's, round by round
 * @property {string} [reason] why there is no figure
 * @property {{ours: Point[], theirs: Point[]}} results of each round
 *
 * @typedef {object} Extra measured once, after the rounds; each absent where it could not be
 * @property {{rate: number, dropped: number, lags: number[][]} | null} [lag]
 * @property {{connections: number, asRun: MemoryPeak | null, oneUser: MemoryPeak | null, emptyKiB: number}} [memory]
 *   `emptyKiB`: of a script that does nothing
 * @property {TruthOutcome | null} [truth]
 *
 * @typedef {{peakKiB: number, ratePerSec: number, failed?: number}} MemoryPeak `failed`: operations
 * @typedef {{passed: number, failed: string[], problem: string | null}} TruthOutcome
 */

/** @param {number} n */
export const three = (n) =>
  n >= 1000 ? `${Number((n / 1000).toPrecision(3))} k` : `${Number(n.toPrecision(3))}`;

/** @param {BenchRow} row @param {'rate' | 'cpu'} field @returns {number[]} of each round */
function ratiosOf({ results: { ours, theirs } }, field) {
  return ours.map((value, i) => value[field] / theirs[i][field]);
}

/** @param {BenchRow} row @param {'rate' | 'cpu'} field the median of the rounds' ratios, with their range */
function ratioText(row, field) {
  const ratios = ratiosOf(row, field);
  const [low, high] = [Math.min(...ratios), Math.max(...ratios)].map((n) => n.toFixed(2));
  return `**${median(ratios).toFixed(2)}×** (${low}–${high})`;
}

/**
 * By the interval over the rounds: a median alone would keep to a limit every other time by chance.
 * @param {BenchRow} row
 * @returns {string[]} what becomes of each limit of its bar: `met`, `not met`, or `inconclusive` with why
 */
function outcomesOf(row) {
  const { rate, cpu } = row.bar ?? { rate: null, cpu: null };
  const of = (/** @type {'rate' | 'cpu'} */ field) => {
    const others = row.beside ? ratiosOf(row.beside, field) : [];
    const logs = ratiosOf(row, field).map((ratio, i) => Math.log(ratio / (others[i] ?? 1)));
    return compareTrials({ metric: field === 'rate' ? 'throughput' : 'cpu' }, logs);
  };
  const limited = (
    /** @type {ReturnType<typeof of>} */ measured,
    /** @type {Parameters<typeof meets>[1]} */ limit,
  ) => phrase('limitText', { measured, verdict: meets(measured, limit) });
  return [
    ...(rate === null ? [] : [limited(of('rate'), { atLeast: rate })]),
    ...(cpu === null ? [] : [limited(of('cpu'), { atMost: cpu })]),
  ];
}

/** @param {BenchRow} row @returns {string} the worst of them */
function outcomeOf(row) {
  const all = outcomesOf(row);
  return all.find((o) => o === 'not met') ?? all.find((o) => o !== 'met') ?? 'met';
}

/** @param {BenchRow} row */
function barOf({ bar, beside }) {
  const { rate, cpu } = bar ?? { rate: null, cpu: null };
  const limits = [...(rate === null ? [] : [`≥ ${rate}×`]), ...(cpu === null ? [] : [`CPU ≤ ${cpu}×`])];
  return `${limits.join(', ')}${beside ? ` of what ${beside.name.split(' ')[0]} keeps` : ''}`;
}

/** @param {BenchRow} row */
function barText(row) {
  if (row.bar === null) return 'none';
  const outcome = outcomeOf(row);
  return `${barOf(row)}: ${outcome === 'not met' ? '**not met**' : outcome}`;
}

/** @param {BenchRow} row */
function lineOf(row) {
  if (row.reason) return `| ${row.name} | ${row.against} | unavailable: ${row.reason} | | | | | | |`;
  const { ours, theirs } = row.results;
  const of = (/** @type {Point[]} */ side, /** @type {'rate' | 'cpu'} */ field) =>
    three(median(side.map((value) => value[field])));
  return `| ${[
    row.name,
    row.against,
    of(ours, 'rate'),
    of(theirs, 'rate'),
    ratioText(row, 'rate'),
    barText(row),
    of(ours, 'cpu'),
    of(theirs, 'cpu'),
    ratioText(row, 'cpu'),
  ].join(' | ')} |`;
}

/** @param {BenchRow[]} rows @returns {string} */
export function tableOf(rows) {
  return [
    '| work | against | generator, ops/s | other, ops/s | throughput ratio | bar | generator, CPU µs/op | other, CPU µs/op | CPU ratio |',
    '|---|---|--:|--:|--:|---|--:|--:|--:|',
    ...rows.map(lineOf),
  ].join('\n');
}

/** @param {BenchRow[]} rows @returns {string} which bars are not met, in a sentence */
export function barsOf(rows) {
  const held = rows.filter((row) => row.bar !== null && !row.reason);
  const open = held.filter((row) => outcomeOf(row) !== 'met');
  if (held.length === 0) return '**Bars.** No row that has one was measured.';
  if (open.length === 0)
    return `**Bars.** Met by every row that has one (${held.length}), by the whole interval over the rounds.`;
  const each = open.map((row) => `${row.name} against ${row.against} (${barOf(row)}): ${outcomeOf(row)}`);
  return `**Bars.** By the interval over the rounds ${held.length - open.length} of ${held.length} are met. The others: ${each.join('; ')}.`;
}

/** @param {BenchRow[]} rows @returns {string} the most that each server answered to any client */
export function reachedOf(rows) {
  /** @type {Map<string, {rate: number, row: string}>} */
  const most = new Map();
  for (const row of rows.filter((r) => !r.reason && r.server !== 'redis'))
    for (const side of [row.results.ours, row.results.theirs]) {
      const rate = median(side.map((p) => p.rate));
      if (rate > (most.get(row.server)?.rate ?? 0)) most.set(row.server, { rate, row: row.name });
    }
  const each = [...most].map(
    ([server, { rate, row }]) => `${server.toUpperCase()} ${three(rate)} operations/s (${row})`,
  );
  return each.length === 0
    ? '**Null responders.** None was loaded.'
    : `**Null responders.** The most that each answered here, so that it is no limit below that: ${each.join('; ')}.`;
}

/** @param {Extra} extra @returns {string[]} paragraphs */
export function extraLines({ memory, lag, truth }) {
  const lines = [];
  if (lag) {
    const [p50, p99] = [0, 1].map((i) => median(lag.lags.map((l) => l[i])));
    lines.push(
      `**Schedule.** At ${three(lag.rate)} operations/s, half of what the same 100 connections reach without a schedule, operations were sent ` +
        `${p50.toFixed(3)} ms (p50) and ${p99.toFixed(3)} ms (p99) after their due time, ${lag.dropped} never (medians of three windows).`,
    );
  }
  if (memory) lines.push(memoryLine(memory));
  if (truth) lines.push(truthLine(truth));
  return lines;
}

/** @param {NonNullable<Extra['memory']>} memory */
function memoryLine({ connections, asRun, oneUser, emptyKiB }) {
  const mib = (/** @type {number} */ kib) => Math.round(kib / 1024);
  const of = (/** @type {MemoryPeak} */ { peakKiB, ratePerSec, failed = 0 }) =>
    `at most ${mib(peakKiB)} MiB resident (${three(ratePerSec)} operations/s${failed > 0 ? `; ${failed} operations failed` : ''})`;
  const parts = [
    asRun
      ? `as a run has them, each with a virtual user of its own in its turn of REST, ${of(asRun)}`
      : 'as a run has them it could not be measured',
    ...(oneUser ? [`all of one virtual user over RESP ${of(oneUser)}`] : []),
  ];
  return `**Memory.** k6 with ${connections} connections, all at work: ${parts.join('; ')}. A script that does nothing takes ${mib(emptyKiB)} MiB.`;
}

/** @param {TruthOutcome} truth @returns {string} */
export function truthLine({ passed, failed, problem }) {
  const what =
    'p50, p99 and p99.9 of closed and paced loads, within 1 % and 0.1 ms of what a responder with known delays notes itself (`npm run bench:truth`)';
  if (problem) return `**Latency truth.** Not tested: ${problem}.`;
  const all = passed + failed.length;
  return failed.length === 0
    ? `**Latency truth.** ${what}: all ${all} cases hold.`
    : `**Latency truth.** ${what}: **${failed.length} of ${all} cases do not hold**: ${failed.join(', ')}.`;
}
