import { isBusy } from '../../../config/step-text.js';
import { compareFigures } from '../../../figures/compare.js';
import { geometricMeanOf, poolOf } from '../../../figures/figure.js';
import { METRICS } from '../../../figures/metrics.js';
import { groupBy } from '../../../group-by.js';
import { MIN_REPEATS } from '../../../judge/method.js';
import { phrase, templateBeside } from '../../template.js';

/**
 * @import { Figure } from '../../../figures/figure.js'
 * @import { Row } from '../../../figures/rows.js'
 * @import { Background } from '../../../figures/step-figures.js'
 * @import { Comparison, Plan } from '../../../types.d.ts'
 * @import { Table } from '../../table.js'
 */

const tables = templateBeside(import.meta.url, 'background-table.hbs');

/** What is told of turns. */
const ASKED = /** @type {const} */ (['throughput', 'p95', 'p50', 'p99']);

/**
 * @typedef {object} Effect of a background load on one figure
 * @property {typeof ASKED[number]} metric
 * @property {Figure | null} idle
 * @property {Figure | null} busy
 * @property {Comparison | null} ratio busy / idle
 * @property {Comparison | null} rest at rest, after what ran beside it and before; null where it was at rest only once
 * @property {{system: string, rest: Comparison | null}[]} controls the same of each system that took the same turns with
 *   nothing beside them: what changes whatever runs in the background, such as by what the load itself has stored
 *
 * @typedef {{workload: string, system: string, load: Background, effects: Effect[], arrival: object}} BusySystem
 */

/**
 * @param {Row[]} wholes
 * @returns {BusySystem[]} one for each system and workload that had a background load
 */
export function backgroundsOf(wholes) {
  const systems = groupBy(wholes, (w) => `${w.workload}\n${w.system}`);
  const wasBusy = (/** @type {Row[]} */ own) => own.some((w) => isBusy(w.step) && w.background);
  return systems.filter(wasBusy).map((own) => {
    const [{ workload, system }] = own;
    const loads = own.flatMap(({ background }) => background ?? []);
    // Of all its steps and repeats.
    const pooled = (/** @type {(load: Background) => Figure | null} */ read) => poolOf(loads.map(read));
    const others = systems.filter((o) => o[0].workload === workload && !wasBusy(o)).map(usableTurns);
    const effects = effectsOf(
      twinsOf(own),
      others.filter((turns) => turns.length > 0),
    );
    return {
      ...{ workload, system, load: loads[0], effects },
      arrival: {
        ...{ achieved: pooled((b) => b.achievedRatio), p50: pooled((b) => b.latencyMs.p50) },
        ...{ p99: pooled((b) => b.latencyMs.p99), max: pooled((b) => b.latencyMs.max) },
        ...{ most: pooled((b) => b.mostLag), drained: pooled((b) => b.drainMs) },
      },
    };
  });
}

/** What the first screen has of it. @type {readonly Effect['metric'][]} */
const FIRST = ['throughput', 'p95'];

/**
 * @param {Plan} plan
 * @param {BusySystem[]} backgrounds
 * @param {'first' | 'rest'} part what the first screen has, or what it leaves out
 * @returns {Table[]} one, of all workloads and systems; none where nothing ran in the background
 */
export function backgroundTables(plan, backgrounds, part) {
  const effects = backgrounds
    .flatMap((one) => one.effects.map((effect) => ({ ...one, ...effect })))
    .filter(({ metric }) => FIRST.includes(metric) === (part === 'first'));
  const controls = [...new Set(effects.flatMap((one) => one.controls.map(({ system }) => system)))];
  // Of one the title has the name.
  const several = new Set(effects.map(({ system }) => system)).size > 1;
  return effects.length > 0 ? tables(plan, { effects, controls, several }).tables : [];
}

/**
 * What the background load did to each system and workload, and how soon a change arrives.
 * @param {Plan} plan
 * @param {BusySystem[]} backgrounds
 * @returns {string[]} Markdown
 */
export function backgroundAnswers(plan, backgrounds) {
  return backgrounds.map(({ effects: [rate, p95], ...own }) => {
    const ratios = [p95.ratio, rate.ratio].flatMap((r) => r ?? []);
    const left = rate.rest && isChanged(rate.rest) ? rate.rest : null;
    const control = rate.controls.find(({ rest }) => rest && isChanged(rest)) ?? null;
    const [few, seen] = [ratios.some((r) => r.n < MIN_REPEATS), ratios.some(isChanged)];
    const fields = { ...own, p95: p95.ratio, rate: rate.ratio, left, few, seen, control };
    return phrase('backgroundAnswer', fields, plan);
  });
}

/** @param {Row[]} own of one system and workload @returns {Row[]} those with figures, in the order of the run */
function usableTurns(own) {
  return own.filter((w) => w.usable > 0).sort((a, b) => a.step.id.localeCompare(b.step.id));
}

/** @param {Effect['metric']} metric @returns {(row: Row) => Figure | null} */
function readOf(metric) {
  return (row) => METRICS[metric].of?.(row) ?? null;
}

/** @param {Effect['metric']} metric @param {Row[]} turns at rest @returns {Effect['rest']} the last against the first */
function afterwards(metric, turns) {
  const [first, last] = [turns[0], turns.at(-1)];
  if (!first || !last || first === last) return null;
  return compareFigures(readOf(metric)(last), readOf(metric)(first), { metric });
}

/**
 * @param {Row[]} own of one system and workload
 * @returns {{idle: Row, busy: Row}[]} the n-th busy step and the n-th idle one of as many users
 */
function twinsOf(own) {
  return groupBy(usableTurns(own), (w) => String(w.step.vus)).flatMap((turns) => {
    const [busy, idle] = [true, false].map((is) => turns.filter(({ step }) => isBusy(step) === is));
    return busy.flatMap((one, i) => (idle[i] ? [{ idle: idle[i], busy: one }] : []));
  });
}

/**
 * Steps of one repeat share a bring-up, so together they are one observation. In the order idle, busy, busy, idle their
 * geometric means have the drift of the bring-up (a runtime that still warms up) in both.
 * @param {ReturnType<typeof twinsOf>} twins
 * @param {Row[][]} controls turns of each system that had nothing beside it
 * @returns {Effect[]} one for each metric
 */
function effectsOf(twins, controls) {
  const atRest = twins.map((twin) => twin.idle);
  return ASKED.map((metric) => {
    const [idle, busy] = /** @type {const} */ (['idle', 'busy']).map((side) =>
      geometricMeanOf(twins.map((twin) => readOf(metric)(twin[side]))),
    );
    const ratio = compareFigures(busy, idle, { metric });
    return {
      ...{ metric, ratio, rest: afterwards(metric, atRest) },
      ...(ratio ? { idle, busy } : { idle: null, busy: null }),
      controls: controls.map((turns) => ({ system: turns[0].system, rest: afterwards(metric, turns) })),
    };
  });
}

/** @param {Comparison} comparison @returns {boolean} whether its whole interval leaves out that nothing changed */
function isChanged({ ratio }) {
  return ratio !== null && (ratio.low > 1 || ratio.high < 1);
}
