import { MISSING, ratioWithInterval } from '../format.js';
import { statusOf } from '../judge/verdict.js';
import { pairedRatio } from '../stats/summary.js';
import { ownsData, stepText } from './answers.js';
import { intervalOf, isUserRung, pairsByRepeat, reasonsOf, shown } from './suite-figures.js';
import { DOUBTFUL, headOf, withInterval } from './suite-texts.js';

/**
 * @import { CellRecord, Interval, Step, WorkloadFacts } from '../types.d.ts'
 * @import { Suite } from './suite-section.js'
 */

/**
 * A chain of relations at two depths, one right below the other.
 * @typedef {{workload: string, shallow: string, deep: string, levels: number, beside: string | null}} Chain
 */

/**
 * @param {WorkloadFacts} facts
 * @returns {Chain | null} the shallowest and the deepest operation, and the one that has a relation beside the deepest
 */
export function chainOf({ id, depths }) {
  const chain = Object.entries(depths ?? {})
    .filter(([, d]) => d.beside === undefined)
    .sort(([, a], [, b]) => a.depth - b.depth);
  if (chain.length < 2) return null;
  const [shallow, shallowest] = chain[0];
  const [deep, deepest] = chain[chain.length - 1];
  const beside = Object.entries(depths ?? {}).find(
    ([, d]) => d.beside !== undefined && d.depth === deepest.depth,
  );
  return {
    workload: id,
    shallow,
    deep,
    levels: deepest.depth - shallowest.depth,
    beside: beside?.[0] ?? null,
  };
}

/**
 * @param {Suite} suite
 * @returns {{users: string, grown: string | null, depths: object[], levels: {system: string, cost: string}[]} | null}
 *   null where no workload declares depths
 */
export function federationView(suite) {
  const facts = suite.workloads.find((w) => chainOf(w) !== null);
  const base = facts && baseStepOf(suite.measured, facts.id);
  if (!facts || !base) return null;
  const cellsOf = (/** @type {string} */ id) => cellsAt(suite.measured, facts.id, id, base);
  const grown = grownStepOf(suite.measured, facts.id);
  return {
    users: stepText(suite.plan, base.id),
    grown: grown && stepText(suite.plan, grown.id),
    depths: Object.entries(facts.depths ?? {}).map(([operation, depth]) => ({
      depth: `${depth.depth}${depth.beside ? ' + parallel' : ''}`,
      resolves: `${depth.resolves}${depth.beside ? `, beside ${depth.beside}` : ''}`,
      cells: suite.systems.map((id) => meanText(cellsOf(id), operation)),
    })),
    levels: suite.systems.map((id) => levelRow(suite, facts, id, base)),
  };
}

/**
 * @param {CellRecord[]} measured
 * @param {string} workload
 * @returns {Step | null} of the fewest users, on the usual data
 */
export function baseStepOf(measured, workload) {
  const steps = measured.filter((c) => c.workload === workload && isUserRung(c)).map((c) => c.step);
  return steps.reduce((/** @type {Step | null} */ a, b) => (a && a.vus <= b.vus ? a : b), null);
}

/**
 * @param {CellRecord[]} measured
 * @param {string} workload
 * @param {string} system
 * @param {Step} step
 */
export function cellsAt(measured, workload, system, step) {
  return measured.filter((c) => c.workload === workload && c.system === system && c.step.id === step.id);
}

/**
 * @param {CellRecord[]} cells
 * @param {string} operation
 */
function meanText(cells, operation) {
  if (cells.length === 0) return MISSING;
  const mean = intervalOf(cells, (c) => meanOf(c, operation));
  if (mean) return withInterval(mean, { doubtful: isDoubtful(cells, [operation]) });
  const failed = cells.find((c) => c.status !== 'ok');
  const codes = new Set(cells.flatMap((c) => reasonsOf(c, operation).map((r) => r.code)));
  return `n/a: ${failed ? `${failed.status}: ${failed.reason}` : [...codes].join(', ')}`;
}

/**
 * @param {CellRecord} cell
 * @param {string} operation
 * @returns {number | null} ms
 */
function meanOf(cell, operation) {
  return shown(cell, operation)?.serviceMs?.mean ?? null;
}

/**
 * @param {CellRecord[]} cells
 * @param {string[]} operations
 */
function isDoubtful(cells, operations) {
  return operations.some((op) => cells.some((c) => statusOf(reasonsOf(c, op)) === 'DEGRADED'));
}

/**
 * What one further level costs: the mean of the deep query less that of the shallow one, in the same window.
 * @param {CellRecord} cell
 * @param {Chain} chain
 * @returns {number | null} ms for each level
 */
export function levelCostOf(cell, { shallow, deep, levels }) {
  const [a, b] = [meanOf(cell, shallow), meanOf(cell, deep)];
  return a === null || b === null ? null : (b - a) / levels;
}

/**
 * @param {CellRecord[]} cells
 * @param {Chain} chain
 * @returns {{ratio: Interval, pairs: number, doubtful: boolean} | null} mean of the deep query against the shallow one
 */
export function depthRatioOf(cells, { shallow, deep }) {
  const pairs = cells.flatMap((c) => {
    const [a, b] = [meanOf(c, deep), meanOf(c, shallow)];
    return a && b ? [{ a, b }] : [];
  });
  if (pairs.length === 0) return null;
  return { ratio: pairedRatio(pairs), pairs: pairs.length, doubtful: isDoubtful(cells, [shallow, deep]) };
}

/**
 * The cost of a level on more data against the cost on the usual data, by repeat.
 * @param {CellRecord[]} grown
 * @param {CellRecord[]} usual
 * @param {Chain} chain
 * @returns {{ratio: Interval, pairs: number, doubtful: boolean} | null}
 */
export function levelGrowthOf(grown, usual, chain) {
  const pairs = pairsByRepeat(grown, usual).flatMap(({ a, b }) => {
    const [x, y] = [levelCostOf(a, chain), levelCostOf(b, chain)];
    return x !== null && y !== null && x > 0 && y > 0 ? [{ a: x, b: y }] : [];
  });
  if (pairs.length === 0) return null;
  const doubtful = isDoubtful([...grown, ...usual], [chain.shallow, chain.deep]);
  return { ratio: pairedRatio(pairs), pairs: pairs.length, doubtful };
}

/**
 * @param {CellRecord[]} measured
 * @param {string} workload
 * @returns {Step | null} the one whose dataset is its own
 */
export function grownStepOf(measured, workload) {
  return measured.find((c) => c.workload === workload && ownsData(c.step))?.step ?? null;
}

/**
 * @param {Suite} suite
 * @param {WorkloadFacts} facts
 * @param {string} id
 * @param {Step} base
 */
function levelRow(suite, facts, id, base) {
  const chain = /** @type {Chain} */ (chainOf(facts));
  const cells = cellsAt(suite.measured, facts.id, id, base);
  const grown = grownStepOf(suite.measured, facts.id);
  const more = grown ? cellsAt(suite.measured, facts.id, id, grown) : [];
  const cost = (/** @type {CellRecord[]} */ of) =>
    withInterval(
      intervalOf(of, (c) => levelCostOf(c, chain)),
      { doubtful: isDoubtful(of, [chain.shallow, chain.deep]) },
    );
  const { beside } = chain;
  const extra = beside
    ? intervalOf(cells, (c) => {
        const [a, b] = [meanOf(c, beside), meanOf(c, chain.deep)];
        return a === null || b === null ? null : a - b;
      })
    : null;
  return {
    system: headOf(suite, id),
    cost: cost(cells),
    ratio: ratioText(depthRatioOf(cells, chain)),
    beside: withInterval(extra),
    grownCost: grown ? cost(more) : MISSING,
    growth: grown ? ratioText(levelGrowthOf(more, cells, chain)) : MISSING,
  };
}

/** @param {{ratio: Interval, pairs: number, doubtful: boolean} | null} found */
function ratioText(found) {
  if (!found) return MISSING;
  return `${ratioWithInterval(found.ratio, found.pairs)}${found.doubtful ? DOUBTFUL : ''}`;
}
