import { figureText, ratioWithInterval } from '../../../format.js';
import { EQUIVALENCE, MIN_REPEATS } from '../../../judge/method.js';
import { combine, scaled } from '../../../record/figure.js';
import { storedBeforeOf } from '../../../record/lifecycle-figures.js';
import { ratioOf, reaches } from '../../../record/ratio.js';
import { itemOf } from '../../words.js';
import { pairedDelta } from './deltas.js';

/**
 * @import { Figure } from '../../../record/figure.js'
 * @import { Reading } from '../../../record/lifecycle-figures.js'
 * @import { Ratio } from '../../../record/ratio.js'
 * @import { Target } from '../../../types.d.ts'
 * @import { Deployment } from './section.js'
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
 * A row for each size of a transaction in which the storage alone was measured.
 * @param {Deployment} deployment
 * @returns {{metric: string, values: string[], delta: string | null}[]}
 */
export function storageRows(deployment) {
  const { facts, storage, systems } = deployment;
  const item = itemOf(facts);
  const bySystem = systems.map((id) => readingsOf(deployment, id));
  const sizes = [...new Set(bySystem.flat().map((r) => r.perTransaction))].sort((a, b) => a - b);
  const own = storage.filter((l) => systems.includes(l.system));
  const grown = isFresh(deployment) ? '' : ` on ${figureText(storedBeforeOf(own, false))} ${item}s`;
  return sizes.map((size) => {
    const rates = bySystem.map((all) => all.find((r) => r.perTransaction === size)?.itemsPerSec);
    return {
      metric: `storage alone${grown}, ${size} ${item}s a transaction: ${item}s/s`,
      values: rates.map((rate) => figureText(rate)),
      delta: pairedDelta(rates[0], rates[1]),
    };
  });
}

/**
 * How near a system is to its storage alone, for each size of a transaction.
 * @param {Deployment} deployment
 * @param {string} id
 * @returns {{perTransaction: number, share: Ratio}[]}
 */
export function storageShares(deployment, id) {
  const rate = itemRateOf(deployment, id);
  return readingsOf(deployment, id).flatMap(({ perTransaction, itemsPerSec }) => {
    const share = ratioOf(rate, itemsPerSec);
    return share ? [{ perTransaction, share }] : [];
  });
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
 * the storage does alone with a transaction for each operation, which is what a client is told: that its operation is
 * stored. How near a system comes to larger transactions is said beside it ({@link storageShares}).
 * @param {Deployment} deployment
 * @param {(id: string) => string} title
 * @returns {string[]} Markdown list items
 */
export function boundFindings(deployment, title) {
  const { plan, facts, main, stepId } = deployment;
  const step = plan.profile.steps.find((s) => s.id === stepId);
  return plan.systems.flatMap(({ id, targets = [] }) =>
    targets
      .filter((t) => t.orStorage && t.workload === facts.id && t.operation === main)
      .filter((t) => t.connections === step?.vus && (t.depth ?? 1) === (step?.depth ?? 1))
      .filter((t) => [id, t.against].every((s) => deployment.systems.includes(s)))
      .map((t) => boundFinding(deployment, id, t, title)),
  );
}

/**
 * @param {Deployment} deployment
 * @param {string} id
 * @param {Target} target
 * @param {(id: string) => string} title
 */
function boundFinding(deployment, id, target, title) {
  const multiple = `${target.ratioAtLeast} × ${title(target.against)}`;
  const { items, facts } = deployment;
  const alone = `what its storage does alone with a transaction for each ${items} ${itemOf(facts)}s acknowledged`;
  const goal = `**${title(id)}**, target: ${multiple}, or ${alone}, where that is lower`;
  const { lower, reached } = ratiosOf(deployment, id, target);
  if (!lower || !reached)
    return `${goal}: undecided, there is no repeat in which both are valid and the storage was measured.`;
  return [
    `${goal}. ${whichText(lower, multiple)}`,
    `It does ${ratioWithInterval(reached)} of that: ${verdictText(reached)}.`,
  ].join(' ');
}

/**
 * @param {Deployment} deployment
 * @param {string} id
 * @param {Target} target
 * @returns {{lower: Ratio | null, reached: Ratio | null}} `lower`: the storage against the multiple of the other system;
 *   `reached`: the system against the lower of the two in each repeat
 */
function ratiosOf(deployment, id, { against, ratioAtLeast }) {
  const own = itemRateOf(deployment, id);
  const multiple = scaled(itemRateOf(deployment, against), ratioAtLeast);
  const storage = readingsOf(deployment, id).find((r) => r.perTransaction === deployment.items)?.itemsPerSec;
  const bound = combine([storage, multiple], Math.min);
  return { lower: ratioOf(storage, multiple), reached: ratioOf(own, bound) };
}

/**
 * @param {Ratio} lower storage / multiple
 * @param {string} multiple
 */
function whichText(lower, multiple) {
  const share = `its storage alone is ${ratioWithInterval(lower)} of ${multiple}`;
  if (lower.high < 1) return `The storage is the lower one: ${share}.`;
  if (lower.low > 1) return `The multiple is the lower one: ${share}.`;
  return `The two cannot be told apart: ${share}.`;
}

/** @param {Ratio} reached */
function verdictText(reached) {
  const least = 1 - EQUIVALENCE;
  const verdict = reaches(reached, least);
  if (verdict === 'met') return '**target met**';
  if (verdict === 'not met') return '**target not met**';
  return reached.pairs < MIN_REPEATS
    ? `undecided, ${reached.pairs} of ${MIN_REPEATS} repeats`
    : `undecided, the interval holds ${least}`;
}
