import { isBusy } from '../config/step-text.js';
import { groupBy } from '../group-by.js';
import { compareFigures } from './compare.js';
import { geometricMeanOf, poolOf } from './figure.js';
import { METRICS } from './metrics.js';

/**
 * @import { Comparison } from '../types.d.ts'
 * @import { Figure } from './figure.js'
 * @import { Row } from './rows.js'
 * @import { Background } from './step-figures.js'
 */

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
