import { MISSING, percent, ratioWithInterval, significant } from '../../../format.js';
import { judgeRatio, MIN_REPEATS } from '../../../judge/compare.js';
import { medianInterval, pairedRatio } from '../../../stats/summary.js';
import { groupBy } from '../../group-by.js';
import { NO_DIFFERENCE } from '../../words.js';
import { intervalOf, isBusy, rateOf } from './figures.js';
import { DOUBTFUL, headOf, withInterval } from './words.js';

/**
 * @import { BackgroundResult, CellRecord, Latency, Plan, Interval } from '../../../types.d.ts'
 * @import { Suite } from './section.js'
 */

/**
 * The same load with something else going on and without, cell by cell in turns.
 * @typedef {{idle: CellRecord, busy: CellRecord}} Twin
 */

/** @typedef {Pick<Suite, 'plan' | 'workloads' | 'measured'>} Measured */

/**
 * @typedef {object} Effect of a background load on one figure
 * @property {string} metric
 * @property {Interval | null} ratio busy / idle
 * @property {{a: number, b: number}[]} pairs busy and idle, one of each repeat
 * @property {boolean} doubtful whether a cell of them may be shown and is not ranked
 */

/**
 * @param {Suite} suite
 * @returns {{title: string, effects: object[], arrivals: object[]} | null} null where no step had a background load
 */
export function backgroundView(suite) {
  const groups = busyGroups(suite);
  if (groups.length === 0) return null;
  return {
    title: backgroundOf(groups[0]).title,
    effects: groups.flatMap((cells) => effectsOf(suite, cells).map((e) => effectRow(suite, cells, e))),
    arrivals: groups.map((cells) => arrivalRow(suite, cells)),
  };
}

/**
 * One sentence for each system and workload: what the background load did to it, and how soon a change arrives.
 * @param {Plan} plan
 * @param {CellRecord[]} measured
 * @returns {string[]}
 */
export function backgroundAnswers(plan, measured) {
  const suite = { plan, workloads: plan.workloads, measured };
  return busyGroups(suite).map((cells) => {
    const { title, targetPerSec } = backgroundOf(cells);
    const effects = effectsOf(suite, cells).filter((e) => ['p95, ms', 'op/s'].includes(e.metric));
    const figures = effects.map(
      (e) => `${e.metric.replace(', ms', '')} ${ratioWithInterval(e.ratio, e.pairs.length)}, ${findingOf(e)}`,
    );
    const arrival = arrivalRow(suite, cells);
    return (
      `**${arrival.system}, ${arrival.workload}, with ${significant(targetPerSec)} ${title} a second against without**: ` +
      `${figures.join('; ')}. A change arrives after ${arrival.p50} ms (p50) and ${arrival.p99} ms (p99).`
    );
  });
}

/**
 * @param {Measured} suite
 * @returns {CellRecord[][]} cells with a background load, of one system and workload each
 */
function busyGroups({ measured }) {
  const busy = measured.filter((c) => isBusy(c.step) && c.status === 'ok' && c.background);
  return groupBy(busy, (c) => `${c.workload}\n${c.system}`);
}

/** @param {CellRecord[]} busy */
function backgroundOf(busy) {
  return /** @type {BackgroundResult} */ (busy[0].background);
}

/**
 * @param {Measured} suite
 * @param {CellRecord[]} busy of one system and workload
 * @returns {Twin[]} the n-th busy step of a repeat with the n-th idle one of as many users
 */
function twinsOf(suite, busy) {
  return groupBy(busy, (c) => `${c.repeat}\n${c.step.vus}`).flatMap((own) => {
    const [{ workload, system, repeat, step }] = own;
    const order = (/** @type {CellRecord} */ a, /** @type {CellRecord} */ b) =>
      a.step.id.localeCompare(b.step.id);
    const idle = suite.measured
      .filter((c) => c.workload === workload && c.system === system && c.repeat === repeat)
      .filter((c) => !isBusy(c.step) && c.step.vus === step.vus && isUsable(c))
      .sort(order);
    const loaded = own.filter(isUsable).sort(order);
    return loaded.flatMap((one, i) => (idle[i] ? [{ idle: idle[i], busy: one }] : []));
  });
}

/** @param {CellRecord} cell */
function isUsable(cell) {
  return cell.status === 'ok' && cell.verdict.status !== 'INVALID' && Boolean(cell.wholeMs);
}

/**
 * @param {Measured} suite
 * @param {CellRecord[]} busy of one system and workload
 * @returns {Effect[]} one for each percentile, and one for throughput
 */
function effectsOf(suite, busy) {
  const twins = twinsOf(suite, busy);
  const latency = (/** @type {keyof Latency} */ key) => (/** @type {CellRecord} */ c) =>
    c.wholeMs?.[key] ?? null;
  const doubtful = twins.some((t) => [t.idle, t.busy].some((c) => c.verdict.status === 'DEGRADED'));
  return /** @type {[string, (cell: CellRecord) => number | null][]} */ ([
    ['p50, ms', latency('p50')],
    ['p95, ms', latency('p95')],
    ['p99, ms', latency('p99')],
    ['op/s', rateOf],
  ]).map(([metric, read]) => {
    const pairs = groupBy(twins, (t) => String(t.busy.repeat)).flatMap((own) => pairOf(own, read) ?? []);
    return { metric, ratio: pairs.length > 0 ? pairedRatio(pairs) : null, pairs, doubtful };
  });
}

/**
 * Twins of one repeat share a bring-up, so together they are one observation. In the order idle, busy, busy, idle their
 * geometric means have the drift of the bring-up (a runtime that still warms up) in both.
 * @param {Twin[]} twins of one repeat
 * @param {(cell: CellRecord) => number | null} read
 * @returns {{a: number, b: number} | null} busy and idle; null where a figure is missing
 */
function pairOf(twins, read) {
  const mean = (/** @type {keyof Twin} */ side) =>
    Math.exp(twins.reduce((sum, t) => sum + Math.log(read(t[side]) || Number.NaN), 0) / twins.length);
  const [a, b] = [mean('busy'), mean('idle')];
  return Number.isFinite(a) && Number.isFinite(b) ? { a, b } : null;
}

/**
 * @param {Suite} suite
 * @param {CellRecord[]} busy of one system and workload
 * @param {Effect} effect
 */
function effectRow(suite, [{ workload, system }], effect) {
  const { metric, ratio, pairs, doubtful } = effect;
  const middle = (/** @type {'a' | 'b'} */ side) => {
    const values = pairs.map((p) => p[side]);
    return withInterval(values.length > 0 ? medianInterval(values) : null, { doubtful, several: false });
  };
  return {
    workload: suite.workloads.find((w) => w.id === workload)?.title ?? workload,
    system: headOf(suite, system),
    metric,
    idle: middle('b'),
    busy: middle('a'),
    ratio: `${ratioWithInterval(ratio, pairs.length)}${ratio && doubtful ? DOUBTFUL : ''}`,
    finding: findingOf(effect),
  };
}

/** @param {Effect} effect */
function findingOf({ ratio, pairs, doubtful }) {
  if (!ratio) return MISSING;
  if (doubtful) return 'not judged';
  if (pairs.length < MIN_REPEATS) return `insufficient repeats (${pairs.length} of ${MIN_REPEATS})`;
  const words = {
    faster: 'higher while busy',
    slower: 'lower while busy',
    ...NO_DIFFERENCE,
  };
  return words[/** @type {keyof typeof words} */ (judgeRatio(ratio))];
}

/**
 * @param {Measured} suite
 * @param {CellRecord[]} busy of one system and workload
 */
function arrivalRow(suite, busy) {
  const of = (/** @type {(background: BackgroundResult) => number | undefined} */ read) =>
    withInterval(intervalOf(busy, ({ background }) => background && read(background)));
  const [{ workload, system }] = busy;
  const share = intervalOf(
    busy,
    ({ background }) => background && background.ratePerSec / background.targetPerSec,
  );
  return {
    workload: suite.workloads.find((w) => w.id === workload)?.title ?? workload,
    system: headOf(suite, system),
    target: significant(busy[0].background?.targetPerSec),
    achieved: percent(share?.estimate),
    p50: of((b) => b.latencyMs?.p50),
    p99: of((b) => b.latencyMs?.p99),
    max: of((b) => b.latencyMs?.max),
    lag: of((b) => b.mostLag),
    drain: of((b) => b.drainMs),
  };
}
