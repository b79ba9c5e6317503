import { isBusy } from '../../../config/step-text.js';
import { compareFigures } from '../../../figures/compare.js';
import { geometricMeanOf, poolOf } from '../../../figures/figure.js';
import { METRICS } from '../../../figures/metrics.js';
import { groupBy } from '../../../group-by.js';
import { MIN_REPEATS } from '../../../judge/method.js';
import { phrase } from '../../template.js';

/**
 * @import { Figure } from '../../../figures/figure.js'
 * @import { Row } from '../../../figures/rows.js'
 * @import { Background } from '../../../figures/step-figures.js'
 * @import { Comparison, Plan } from '../../../types.d.ts'
 */

/**
 * @typedef {object} Effect of a background load on one figure
 * @property {'p50' | 'p95' | 'p99' | 'throughput'} metric
 * @property {Figure | null} idle
 * @property {Figure | null} busy
 * @property {Comparison | null} ratio busy / idle
 * @property {Comparison | null} rest at rest, after what ran beside it and before; null where it was at rest only once
 */

/**
 * @param {Row[]} wholes
 * @returns {{workload: string, system: string, load: Background, effects: Effect[], arrival: object}[]} one for each system and
 *   workload that had a background load
 */
export function backgroundsOf(wholes) {
  const busy = wholes.filter((w) => isBusy(w.step) && w.background);
  return groupBy(busy, (w) => `${w.workload}\n${w.system}`).map((own) => {
    const [{ workload, system }] = own;
    const loads = own.flatMap(({ background }) => background ?? []);
    // Of all its steps and repeats.
    const pooled = (/** @type {(load: Background) => Figure | null} */ read) => poolOf(loads.map(read));
    return {
      ...{ workload, system, load: loads[0], effects: effectsOf(wholes, own) },
      arrival: {
        ...{ achieved: pooled((b) => b.achievedRatio), p50: pooled((b) => b.latencyMs.p50) },
        ...{ p99: pooled((b) => b.latencyMs.p99), max: pooled((b) => b.latencyMs.max) },
        ...{ most: pooled((b) => b.mostLag), drained: pooled((b) => b.drainMs) },
      },
    };
  });
}

/**
 * What the background load did to each system and workload, and how soon a change arrives.
 * @param {Plan} plan
 * @param {Row[]} wholes
 * @returns {string[]} Markdown
 */
export function backgroundAnswers(plan, wholes) {
  return backgroundsOf(wholes).map(({ workload, system, load, effects, arrival }) => {
    const { p95, throughput } = Object.fromEntries(effects.map((e) => [e.metric, e]));
    const ratios = [p95.ratio, throughput.ratio].flatMap((r) => r ?? []);
    const left = throughput.rest && isChanged(throughput.rest) ? throughput.rest : null;
    const [few, seen] = [ratios.some((r) => r.n < MIN_REPEATS), ratios.some(isChanged)];
    const changed = { p95: p95.ratio, rate: throughput.ratio, left, few, seen };
    return phrase('backgroundAnswer', { workload, system, load, arrival, ...changed }, plan);
  });
}

/**
 * @param {Row[]} wholes
 * @param {Row[]} busy steps of one system and workload
 * @returns {{idle: Row, busy: Row}[]} the n-th busy step and the n-th idle one of as many users
 */
function twinsOf(wholes, busy) {
  const byId = (/** @type {Row} */ a, /** @type {Row} */ b) => a.step.id.localeCompare(b.step.id);
  return groupBy(busy, (w) => String(w.step.vus)).flatMap((own) => {
    const [{ workload, system, step }] = own;
    const idle = wholes
      .filter((w) => w.workload === workload && w.system === system)
      .filter((w) => !isBusy(w.step) && w.step.vus === step.vus && w.usable > 0)
      .sort(byId);
    const usable = own.filter((w) => w.usable > 0).sort(byId);
    return usable.flatMap((one, i) => (idle[i] ? [{ idle: idle[i], busy: one }] : []));
  });
}

/**
 * Steps of one repeat share a bring-up, so together they are one observation. In the order idle, busy, busy, idle their
 * geometric means have the drift of the bring-up (a runtime that still warms up) in both.
 * @param {Row[]} wholes
 * @param {Row[]} own steps of one system and workload with a background load
 * @returns {Effect[]} one for each percentile, and one for throughput
 */
function effectsOf(wholes, own) {
  const twins = twinsOf(wholes, own);
  return /** @type {const} */ (['p50', 'p95', 'p99', 'throughput']).map((metric) => {
    const read = (/** @type {Row} */ row) => METRICS[metric].of?.(row) ?? null;
    const [idle, busy] = /** @type {const} */ (['idle', 'busy']).map((side) =>
      geometricMeanOf(twins.map((twin) => read(twin[side]))),
    );
    const [first, last] = [twins[0]?.idle, twins.at(-1)?.idle];
    const rest = first && last && first !== last ? compareFigures(read(last), read(first), { metric }) : null;
    return { metric, idle, busy, ratio: compareFigures(busy, idle, { metric }), rest };
  });
}

/** @param {Comparison} comparison @returns {boolean} whether its whole interval leaves out that nothing changed */
function isChanged({ ratio }) {
  return ratio !== null && (ratio.low > 1 || ratio.high < 1);
}
