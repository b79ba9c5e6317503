import { MISSING, percent, ratioWithInterval, significant } from '../format.js';
import { judgeRatio, MIN_REPEATS } from '../stats/compare.js';
import { pairedRatio } from '../stats/summary.js';
import { groupBy } from './answers.js';
import { intervalOf, isBusy, rateOf } from './suite-figures.js';
import { DOUBTFUL, headOf, withInterval } from './suite-texts.js';

/**
 * @import { BackgroundResult, CellRecord, Latency } from '../types.d.ts'
 * @import { Suite } from './suite-section.js'
 */

/**
 * The same load with something else going on and without, cell by cell in turns.
 * @typedef {{idle: CellRecord, busy: CellRecord}} Twin
 */

/**
 * @param {Suite} suite
 * @returns {{title: string, effects: object[], arrivals: object[]} | null} null where no step had a background load
 */
export function backgroundView(suite) {
  const busy = suite.measured.filter((c) => isBusy(c.step) && c.status === 'ok');
  const [first] = busy.flatMap((c) => c.background ?? []);
  if (!first) return null;
  const groups = groupBy(busy, (c) => `${c.workload}\n${c.system}`);
  return {
    title: first.title,
    effects: groups.flatMap((cells) => effectRows(suite, cells)),
    arrivals: groups.map((cells) => arrivalRow(suite, cells)),
  };
}

/**
 * @param {Suite} suite
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
 * @param {Suite} suite
 * @param {CellRecord[]} busy
 * @returns {object[]} a row for each percentile, and one for throughput
 */
function effectRows(suite, busy) {
  const twins = twinsOf(suite, busy);
  const latency = (/** @type {keyof Latency} */ key) => (/** @type {CellRecord} */ c) =>
    c.wholeMs?.[key] ?? null;
  const doubtful = twins.some((t) => [t.idle, t.busy].some((c) => c.verdict.status === 'DEGRADED'));
  const [{ workload, system }] = busy;
  return /** @type {const} */ ([
    ['p50, ms', latency('p50')],
    ['p95, ms', latency('p95')],
    ['p99, ms', latency('p99')],
    ['op/s', rateOf],
  ]).map(([metric, read]) => {
    const pairs = twins.flatMap(({ idle, busy: loaded }) => {
      const [a, b] = [read(loaded), read(idle)];
      return a && b ? [{ a, b }] : [];
    });
    const repeats = new Set(twins.map((t) => t.busy.repeat)).size;
    const ratio = pairs.length > 0 ? pairedRatio(pairs) : null;
    const middle = (/** @type {'idle' | 'busy'} */ side) =>
      withInterval(
        intervalOf(
          twins.map((t) => t[side]),
          read,
        ),
        { doubtful, several: false },
      );
    return {
      workload: suite.workloads.find((w) => w.id === workload)?.title ?? workload,
      system: headOf(suite, system),
      metric,
      idle: middle('idle'),
      busy: middle('busy'),
      ratio: `${ratioWithInterval(ratio, pairs.length)}${ratio && doubtful ? DOUBTFUL : ''}`,
      finding: findingOf(ratio, repeats, doubtful),
    };
  });
}

/**
 * @param {import('../types.d.ts').Interval | null} ratio busy / idle
 * @param {number} repeats
 * @param {boolean} doubtful
 */
function findingOf(ratio, repeats, doubtful) {
  if (!ratio) return MISSING;
  if (doubtful) return 'not judged';
  if (repeats < MIN_REPEATS) return `insufficient repeats (${repeats} of ${MIN_REPEATS})`;
  const words = {
    faster: 'higher while busy',
    slower: 'lower while busy',
    equivalent: 'no measurable difference (within ±5 %)',
    inconclusive: 'no measurable difference (inconclusive)',
  };
  return words[/** @type {keyof typeof words} */ (judgeRatio(ratio))];
}

/**
 * @param {Suite} suite
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
