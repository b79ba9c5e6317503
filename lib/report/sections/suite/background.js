import { MISSING, percent, ratioWithInterval, significant } from '../../../format.js';
import { judgeRatio, MIN_REPEATS } from '../../../judge/compare.js';
import { medianInterval, pairedRatio } from '../../../stats/summary.js';
import { groupBy } from '../../group-by.js';
import { left, right, table } from '../../table.js';
import { NO_DIFFERENCE } from '../../words.js';
import { intervalOf, isBusy, rateOf } from './figures.js';
import { headOf, ownRatioText, withInterval } from './words.js';

/**
 * @import { BackgroundResult, CellRecord, Latency, Plan, Interval } from '../../../types.d.ts'
 * @import { Section } from '../../view.js'
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
 * @returns {Section | null} null where no step had a background load
 */
export function backgroundPart(suite) {
  const groups = busyGroups(suite);
  if (groups.length === 0) return null;
  const effects = groups.flatMap((cells) => effectsOf(suite, cells).map((effect) => ({ cells, effect })));
  return {
    title: `With and without: ${backgroundOf(groups[0]).title}`,
    intro: [
      "The same load twice, in turns and in one bring-up: with the background load and at rest. A repeat's figure is the geometric mean of its steps; ratios are busy to idle, repeat by repeat.",
    ],
    tables: [
      table(effects, [
        left('workload', ({ cells }) => workloadText(suite, cells)),
        left('system', ({ cells: [c] }) => headOf(suite, c.system)),
        left('metric', ({ effect }) => effect.metric),
        right('idle', ({ effect }) => middleText(effect, 'b')),
        right('busy', ({ effect }) => middleText(effect, 'a')),
        right('busy / idle (95 % CI)', ({ effect: { ratio, pairs, doubtful } }) =>
          ownRatioText(ratio && { ratio, pairs: pairs.length, doubtful }),
        ),
        left('finding', ({ effect }) => findingOf(effect)),
      ]),
    ],
    parts: [
      {
        intro: [
          'How long a change takes to arrive, in ms from its commit to the acknowledgement of the API; how many were under way at most, and how long after the last one until all had arrived.',
        ],
        tables: [
          table(groups, [
            left('workload', (cells) => workloadText(suite, cells)),
            left('system', ([c]) => headOf(suite, c.system)),
            right('changes a second', (cells) => significant(backgroundOf(cells).targetPerSec)),
            right('achieved', achievedText),
            right(
              'p50',
              arrivalText((b) => b.latencyMs?.p50),
            ),
            right(
              'p99',
              arrivalText((b) => b.latencyMs?.p99),
            ),
            right(
              'max',
              arrivalText((b) => b.latencyMs?.max),
            ),
            right(
              'most under way',
              arrivalText((b) => b.mostLag),
            ),
            right(
              'drained after, ms',
              arrivalText((b) => b.drainMs),
            ),
          ]),
        ],
      },
    ],
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
    const [p50, p99] = [arrivalText((b) => b.latencyMs?.p50), arrivalText((b) => b.latencyMs?.p99)];
    return (
      `**${headOf(suite, cells[0].system)}, ${workloadText(suite, cells)}, with ${significant(targetPerSec)} ${title} a second against without**: ` +
      `${figures.join('; ')}. A change arrives after ${p50(cells)} ms (p50) and ${p99(cells)} ms (p99).`
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
 * @param {Effect} effect
 * @param {'a' | 'b'} side busy or idle
 */
function middleText({ pairs, doubtful }, side) {
  const values = pairs.map((p) => p[side]);
  return withInterval(values.length > 0 ? medianInterval(values) : null, { doubtful, several: false });
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
 * @param {CellRecord[]} cells of one workload
 */
function workloadText({ workloads }, [{ workload }]) {
  return workloads.find((w) => w.id === workload)?.title ?? workload;
}

/** @param {CellRecord[]} busy of one system and workload */
function achievedText(busy) {
  const share = intervalOf(busy, ({ background: b }) => b && b.ratePerSec / b.targetPerSec);
  return percent(share?.estimate);
}

/**
 * @param {(background: BackgroundResult) => number | undefined} read
 * @returns {(busy: CellRecord[]) => string} of one system and workload
 */
function arrivalText(read) {
  return (busy) => withInterval(intervalOf(busy, ({ background }) => background && read(background)));
}
