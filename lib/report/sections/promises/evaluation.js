import { datasetOf } from '../../../../k6/schedule/facts.js';
import { isUsual } from '../../../config/step-text.js';
import { between, compareFigures } from '../../../figures/compare.js';
import { comparisonsAt } from '../../../figures/comparisons.js';
import { differenceOf, scaled } from '../../../figures/figure.js';
import { readingsAt } from '../../../figures/lifecycles.js';
import { METRICS } from '../../../figures/metrics.js';
import { TOGETHER } from '../../../figures/rows.js';
import { groupBy } from '../../../group-by.js';
import { itemsOf } from '../cost/deployment.js';
import { chainOf, meanOf } from '../operations/relations.js';

/**
 * @import { Figure } from '../../../figures/figure.js'
 * @import { Row } from '../../../figures/rows.js'
 * @import { Comparison, MetricName, Plan, PromisedLoad, Step, SystemPromise, WorkloadFacts } from '../../../types.d.ts'
 * @import { Run } from '../../run.js'
 */

/** @typedef {Pick<Run, 'plan' | 'rows' | 'wholes'> & Partial<Pick<Run, 'lifecycle' | 'comparisons'>>} Promising */
/** @typedef {Pick<SystemPromise, 'metric' | 'load' | 'against'>} Asked */

/**
 * What was measured of a promise.
 * @typedef {object} Found
 * @property {Pick<Comparison, 'ratio' | 'n' | 'bound' | 'why'> | null} measured the ratio, or the figure itself in place of one
 * @property {Figure | null} [figure] where it is against nothing
 * @property {{failed: number, all: number}} [counts]
 * @property {number} [missing] measurements without figures
 */

/**
 * What promises may name: what systems are compared by, and more.
 * @type {Readonly<Record<SystemPromise['metric'], {unit: string, of?: (row: Row, run: Promising) => Figure | null}>>}
 */
export const PROMISED = /** @type {any} */ ({
  ...METRICS,
  mean: { unit: 'ms', of: (/** @type {Row} */ row) => row.serviceMs.mean },
  levelCost: { unit: 'ms', of: levelCostOf },
  failures: { unit: '%' },
});

/**
 * What one further level of relations costs: the mean of the deepest query less that of the shallowest one, in the same window.
 * @param {Row} row
 * @param {Promising} run
 * @returns {Figure | null} ms for each level
 */
function levelCostOf({ workload, system, step }, { plan, rows }) {
  const facts = plan.workloads.find((w) => w.id === workload);
  const chain = facts && chainOf(facts);
  if (!chain) return null;
  const [deep, shallow] = [chain.deep, chain.shallow].map((op) => meanOf(rows, workload, system, step, op));
  return scaled(differenceOf(deep, shallow), 1 / chain.levels);
}

/**
 * @param {Plan} plan
 * @param {WorkloadFacts} facts
 * @param {PromisedLoad} load
 * @param {Step} step
 * @returns {boolean} whether the step is such a load, on the data of the profile but for what the load names
 */
function isLoad(plan, facts, load, step) {
  const [asked, own] = [load, step].map(({ dataset }) => datasetOf(facts, plan.profile, { dataset }));
  return (
    isUsual(plan, step) &&
    (step.depth ?? 1) === (load.depth ?? 1) &&
    step.vus === (load.users ?? step.vus) &&
    Object.keys({ ...asked, ...own }).every((name) => (asked[name] ?? 0) === (own[name] ?? 0))
  );
}

/**
 * @param {Promising} run
 * @param {string} system
 * @param {PromisedLoad} load
 * @returns {Row[]} of the system under that load; of the fewest users where it names none
 */
function rowsUnder({ plan, rows, wholes }, system, load) {
  const { workload, operation = TOGETHER } = load;
  const facts = plan.workloads.find((w) => w.id === workload);
  const own = (load.operation ? rows : wholes).filter(
    (r) => r.system === system && r.workload === workload && [operation, ''].includes(r.operation),
  );
  const found = own.filter(({ step }) => facts && isLoad(plan, facts, load, step));
  const users = load.users ?? Math.min(...found.map(({ step }) => step.vus));
  return found.filter(({ step }) => step.vus === users);
}

/**
 * @param {Promising} run
 * @param {string} system
 * @param {SystemPromise} promise
 * @returns {Row[]} where the run has its load, each place once
 */
export function placesOf(run, system, { load }) {
  const rows = rowsUnder(run, system, load);
  return groupBy(rows, (row) => `${row.transport}\n${row.step.id}`).map(([row]) => row);
}

/**
 * The figure of the promise's metric under its load, against another one where it says so.
 * @param {Promising} run
 * @param {string} system
 * @param {Asked} asked
 * @param {Row} row where the run has its load
 * @returns {Found | null} null where the run has not what it is held against
 */
export function foundAt(run, system, { metric, load, against }, row) {
  const { transport, step } = row;
  if (against?.system) {
    const { workload, operation = TOGETHER } = load;
    const at = { workload, operation, transport, step: step.id };
    const [measured] = [true, false].flatMap((paired) => {
      // What systems do that share a machine at one moment is told by what an operation costs each.
      const by = /** @type {MetricName} */ (paired && metric === 'throughput' ? 'efficiency' : metric);
      const all = comparisonsAt(run.comparisons ?? [], at, by).filter((c) => c.paired === paired);
      return between(all, system, String(against.system)) ?? [];
    });
    return measured ? { measured } : null;
  }
  if (metric === 'failures') return failuresOf(row);
  const figureOf = (/** @type {Row} */ of) => PROMISED[metric].of?.(of, run) ?? null;
  const figure = figureOf(row);
  if (!against) return { figure, measured: figure && asMeasured(figure) };
  const head = { metric: metric in METRICS ? /** @type {MetricName} */ (metric) : 'p50' };
  if (against.storage) {
    const items = itemsOfLoad(run.plan, load, step);
    const alone = readingsAt(run.lifecycle ?? [], system, step).find((r) => r.perTransaction === items);
    return { measured: compareFigures(scaled(figure, items), alone?.itemsPerSec, head) };
  }
  const others = rowsUnder(run, system, { ...load, users: step.vus, ...against }).filter(
    (r) => r.transport === transport,
  );
  const other = others.find((r) => r.step.id === step.id) ?? others[0];
  return other ? { measured: compareFigures(figure, figureOf(other), head) } : null;
}

/**
 * @param {Plan} plan
 * @param {PromisedLoad} load
 * @param {Step} step
 * @returns {number} that one operation carries
 */
export function itemsOfLoad({ workloads, profile }, { workload, operation = '' }, step) {
  const facts = workloads.find((w) => w.id === workload);
  return facts ? itemsOf(facts.operations[operation]?.items, datasetOf(facts, profile, step)) : 1;
}

/** @param {Pick<Figure, 'median' | 'low' | 'high' | 'n' | 'bound' | 'why'>} figure @returns {Found['measured']} */
function asMeasured({ median, low, high, n, bound, why }) {
  return { ratio: { estimate: median, low, high }, n, bound, why: why.map((code) => ({ code })) };
}

/** @param {Row} row @returns {Found} share of all operations that were tried, in the repeats that are not shown, too */
function failuresOf({ repeats, tried: { ran, failed, done }, ofCells }) {
  const all = failed + done;
  if (ran < repeats || all === 0) return { measured: null, missing: repeats - ran };
  const percent = (100 * failed) / all;
  const share = { median: percent, low: percent, high: percent, n: ran, bound: null, why: ofCells };
  return { counts: { failed, all }, measured: asMeasured(share) };
}
