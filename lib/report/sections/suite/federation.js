import { MISSING } from '../../../format.js';
import { pairedRatio } from '../../../stats/summary.js';
import { ownsData, stepText } from '../../steps.js';
import { left, right, table } from '../../table.js';
import { intervalOf, isPlain, pairsByRepeat, reasonsOf, shown } from './figures.js';
import { across, headOf, ownRatioText, withInterval } from './words.js';

/**
 * @import { CellRecord, Interval, Step, WorkloadFacts } from '../../../types.d.ts'
 * @import { Column } from '../../table.js'
 * @import { Section } from '../../view.js'
 * @import { Suite } from './section.js'
 */

/**
 * A chain of relations at two depths, one right below the other.
 * @typedef {{workload: string, shallow: string, deep: string, levels: number, beside: string | null}} Chain
 */

/**
 * @param {WorkloadFacts} facts
 * @returns {[string, {depth: number, label: string, beside?: string}][]} the operations that follow relations
 */
export function depthsOf({ operations }) {
  return Object.entries(operations).flatMap(([op, { shown }]) =>
    shown?.depth === undefined ? [] : [[op, { ...shown, depth: shown.depth, label: shown.label ?? '' }]],
  );
}

/**
 * @param {WorkloadFacts} facts
 * @returns {Chain | null} the shallowest and the deepest operation, and the one that has a relation beside the deepest
 */
export function chainOf(facts) {
  const depths = depthsOf(facts);
  const chain = depths.filter(([, d]) => d.beside === undefined).sort(([, a], [, b]) => a.depth - b.depth);
  if (chain.length < 2) return null;
  const [shallow, shallowest] = chain[0];
  const [deep, deepest] = chain[chain.length - 1];
  const beside = depths.find(([, d]) => d.beside !== undefined && d.depth === deepest.depth);
  return {
    workload: facts.id,
    shallow,
    deep,
    levels: deepest.depth - shallowest.depth,
    beside: beside?.[0] ?? null,
  };
}

/**
 * @param {Suite} suite
 * @returns {Section | null} null where no workload declares depths
 */
export function federationPart(suite) {
  const levels = levelsOf(suite);
  if (!levels) return null;
  const { facts, chain, base, grown, cellsOf } = levels;
  return {
    title: `Depth of relations: mean latency, ${stepText(suite.plan, base.id)}`,
    tables: [
      table(depthsOf(facts), [
        left('depth', ([, { depth, beside }]) => `${depth}${beside ? ' + parallel' : ''}`),
        left('what it resolves', ([, { label, beside }]) => `${label}${beside ? `, beside ${beside}` : ''}`),
        ...across(suite, (/** @type {[string, unknown]} */ [operation], id) =>
          meanText(cellsOf(id, base), operation),
        ),
      ]),
    ],
    parts: [
      {
        intro: [
          'What a level costs is the mean of the deepest query less that of the shallowest, for each level between them.',
        ],
        tables: [
          table(suite.systems, [
            left('system', (id) => headOf(suite, id)),
            right('a level more', (id) => levelCostText(cellsOf(id, base), chain)),
            right('deepest / shallowest', (id) => ownRatioText(depthRatioOf(cellsOf(id, base), chain))),
            right('a relation beside it', (id) => besideText(cellsOf(id, base), chain)),
            ...(grown ? grownColumns(suite, levels, grown) : []),
          ]),
        ],
      },
    ],
  };
}

/**
 * @param {Suite} suite
 * @returns {{facts: WorkloadFacts, chain: Chain, base: Step, grown: Step | null,
 *   cellsOf: (id: string, step: Step) => CellRecord[]} | null} null where no workload declares depths
 */
export function levelsOf({ workloads, measured }) {
  const facts = workloads.find((w) => chainOf(w) !== null);
  const chain = facts && chainOf(facts);
  const base = facts && baseStepOf(measured, facts.id);
  if (!chain || !base) return null;
  return {
    facts,
    chain,
    base,
    grown: grownStepOf(measured, facts.id, base),
    cellsOf: (id, step) => cellsAt(measured, facts.id, id, step),
  };
}

/**
 * What a level costs on more data.
 * @param {Suite} suite
 * @param {NonNullable<ReturnType<typeof levelsOf>>} levels
 * @param {Step} grown
 * @returns {Column<string>[]}
 */
function grownColumns({ plan }, { chain, base, cellsOf }, grown) {
  return [
    right(`a level more, ${stepText(plan, grown.id)}`, (id) => levelCostText(cellsOf(id, grown), chain)),
    right('of that on the usual data', (id) =>
      ownRatioText(levelGrowthOf(cellsOf(id, grown), cellsOf(id, base), chain)),
    ),
  ];
}

/**
 * @param {CellRecord[]} measured
 * @param {string} workload
 * @returns {Step | null} of the fewest users, on the usual data: one without a pause where the profile asks for it,
 *   because it is not the depth that makes the query after a pause slow
 */
export function baseStepOf(measured, workload) {
  const steps = measured
    .filter((c) => c.workload === workload)
    .map((c) => c.step)
    .filter((s) => isPlain(s) && (!ownsData(s) || isUnpausedOnly(s)));
  const unpaused = steps.filter(isUnpausedOnly);
  return (unpaused.length > 0 ? unpaused : steps).reduce(
    (/** @type {Step | null} */ a, b) => (a && a.vus <= b.vus ? a : b),
    null,
  );
}

/**
 * @param {Step} step
 * @returns {boolean} whether its dataset differs from the profile's by having no pauses, and by nothing else
 */
export function isUnpausedOnly({ dataset }) {
  return dataset?.thinkMs === 0 && Object.keys(dataset).length === 1;
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
 * @returns {string[]} why their figures are not to be compared
 */
function doubtsOf(cells, operations) {
  const reasons = operations.flatMap((op) => cells.flatMap((c) => (shown(c, op) ? reasonsOf(c, op) : [])));
  return [...new Set(reasons.map((r) => r.code))];
}

/**
 * @param {CellRecord[]} cells
 * @param {string[]} operations
 */
function isDoubtful(cells, operations) {
  return doubtsOf(cells, operations).length > 0;
}

/**
 * What the generator adds to a latency is the same for two operations of a window, and no part of their difference.
 * @param {CellRecord[]} cells
 * @param {Chain} chain
 */
function isDoubtfulDifference(cells, { shallow, deep }) {
  return doubtsOf(cells, [shallow, deep]).some((code) => code !== 'generator_bound');
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
 * Mean of the deep query against the shallow one. Where only the generator is in doubt, `floors` decide: what the same
 * requests take against a responder that does nothing is taken off both, which makes the ratio larger.
 * @param {CellRecord[]} cells
 * @param {Chain} chain
 * @param {(operation: string) => number | null} [floors] ms
 * @returns {{ratio: Interval, pairs: number, doubtful: boolean, net?: boolean} | null}
 */
export function depthRatioOf(cells, { shallow, deep }, floors = () => null) {
  const doubts = doubtsOf(cells, [shallow, deep]);
  const [low, high] = [floors(shallow), floors(deep)];
  const net = doubts.join() === 'generator_bound' && low !== null && high !== null;
  const pairs = cells.flatMap((c) => {
    const a = (meanOf(c, deep) ?? 0) - (net ? high : 0);
    const b = (meanOf(c, shallow) ?? 0) - (net ? low : 0);
    return a > 0 && b > 0 ? [{ a, b }] : [];
  });
  if (pairs.length === 0) return null;
  return {
    ratio: pairedRatio(pairs),
    pairs: pairs.length,
    ...(net ? { doubtful: false, net } : { doubtful: doubts.length > 0 }),
  };
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
  const doubtful = isDoubtfulDifference([...grown, ...usual], chain);
  return { ratio: pairedRatio(pairs), pairs: pairs.length, doubtful };
}

/**
 * @param {CellRecord[]} measured
 * @param {string} workload
 * @param {Step} base
 * @returns {Step | null} the same as `base` on a dataset of another scale
 */
export function grownStepOf(measured, workload, base) {
  const isGrown = (/** @type {Step} */ { vus, dataset }) =>
    dataset?.scale !== undefined && vus === base.vus && dataset.thinkMs === base.dataset?.thinkMs;
  return measured.find((c) => c.workload === workload && isGrown(c.step))?.step ?? null;
}

/**
 * @param {CellRecord[]} cells of one system and step
 * @param {Chain} chain
 */
export function levelCostText(cells, chain) {
  return withInterval(
    intervalOf(cells, (c) => levelCostOf(c, chain)),
    { doubtful: isDoubtfulDifference(cells, chain) },
  );
}

/**
 * @param {CellRecord[]} cells of one system and step
 * @param {Chain} chain
 */
function besideText(cells, chain) {
  const { beside, deep } = chain;
  const extra = intervalOf(beside ? cells : [], (c) => {
    const [a, b] = [meanOf(c, String(beside)), meanOf(c, deep)];
    return a === null || b === null ? null : a - b;
  });
  return withInterval(extra, { doubtful: isDoubtfulDifference(cells, chain) });
}
