import { EQUIVALENCE } from '../../../judge/method.js';
import { compareFigures } from '../../../record/compare.js';
import { combine, scaled } from '../../../record/figure.js';
import { storedBeforeOf } from '../../../record/lifecycle-figures.js';
import { itemOf, limitText } from '../../words.js';

/**
 * @import { Figure } from '../../../record/figure.js'
 * @import { Reading } from '../../../record/lifecycle-figures.js'
 * @import { Comparison, Target } from '../../../types.d.ts'
 * @import { Deployment } from '../cost/deployment.js'
 */

/**
 * A step by count starts on a fresh table, one by time goes on with a grown one.
 * @param {Deployment} deployment
 */
function isFresh({ plan, stepId }) {
  return plan.profile.steps.find((s) => s.id === stepId)?.operations !== undefined;
}

/**
 * @param {Deployment} deployment
 * @param {string} id
 * @returns {Reading[]} on the kind of table that the step has
 */
function readingsOf(deployment, id) {
  const fresh = isFresh(deployment);
  const own = deployment.storage.find((l) => l.system === id)?.readings ?? [];
  return own.filter((r) => r.fresh === fresh);
}

/**
 * What the storage alone did, for each size of a transaction in which that of any system was measured.
 * @param {Deployment} deployment
 * @param {string} id
 * @returns {{size: number, grown: Figure | null, figure: Figure | null}[]} `grown`: items in the table at the beginning
 */
export function storageOf(deployment, id) {
  const { storage, systems } = deployment;
  const all = systems.flatMap((system) => readingsOf(deployment, system));
  const sizes = [...new Set(all.map((r) => r.perTransaction))].sort((a, b) => a - b);
  const own = storage.filter((l) => systems.includes(l.system));
  const grown = isFresh(deployment) ? null : storedBeforeOf(own, false);
  const readings = readingsOf(deployment, id);
  return sizes.map((size) => ({
    ...{ size, grown },
    figure: readings.find((r) => r.perTransaction === size)?.itemsPerSec ?? null,
  }));
}

/**
 * @param {Deployment} deployment
 * @param {string} id
 * @returns {Figure | null} items per second on the step; null where it may not be ranked
 */
function itemRateOf({ rows, stepId, main, items }, id) {
  const row = rows.find((r) => r.system === id && r.step.id === stepId && r.operation === main);
  return row?.rankable ? scaled(row.ratePerSec, items) : null;
}

/**
 * Whether systems reach the targets that their storage may bound: the lower of a multiple of another system and of what
 * the storage does alone with a transaction for each operation, which is what a client is told: that its operation is stored.
 * @param {Deployment} deployment
 * @returns {any[]} fields of each
 */
export function boundTargets(deployment) {
  const { plan, facts, main, stepId, items, systems } = deployment;
  const step = plan.profile.steps.find((s) => s.id === stepId);
  return plan.systems.flatMap(({ id, targets = [] }) =>
    targets
      .filter((t) => t.orStorage && t.workload === facts.id && t.operation === main)
      .filter((t) => t.connections === step?.vus && (t.depth ?? 1) === (step?.depth ?? 1))
      .filter((t) => [id, t.against].every((s) => systems.includes(s)))
      .map((target) => {
        const { lower, reached } = ratiosOf(deployment, id, target);
        return {
          ...{ title: target.title, system: id, against: target.against, least: target.ratioAtLeast },
          ...{ comparison: reached, storage: { items, item: itemOf(facts), lower } },
          verdict: reached && limitText(reached, { atLeast: 1 - EQUIVALENCE }),
        };
      }),
  );
}

/**
 * @param {Deployment} deployment
 * @param {string} id
 * @param {Target} target
 * @returns {{lower: Comparison | null, reached: Comparison | null}} `lower`: the storage against the multiple of the other system;
 *   `reached`: the system against the lower of the two in each repeat
 */
function ratiosOf(deployment, id, { against, ratioAtLeast }) {
  const own = itemRateOf(deployment, id);
  const multiple = scaled(itemRateOf(deployment, against), ratioAtLeast);
  const storage = readingsOf(deployment, id).find((r) => r.perTransaction === deployment.items)?.itemsPerSec;
  const bound = combine([storage, multiple], Math.min);
  const of = { metric: /** @type {const} */ ('throughput') };
  return { lower: compareFigures(storage, multiple, of), reached: compareFigures(own, bound, of) };
}
