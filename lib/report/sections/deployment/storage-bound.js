import { MISSING, ratioWithInterval, significant } from '../../../format.js';
import { EQUIVALENCE, MIN_REPEATS } from '../../../judge/compare.js';
import { judgeTarget } from '../../../judge/target.js';
import { verdictOf } from '../../../judge/verdict.js';
import { median, pairedRatio } from '../../../stats/summary.js';
import { itemOf } from '../../words.js';
import { unpairedDelta } from './deltas.js';

/**
 * @import { CeilingRaw, CellRecord, Interval, StorageReading, Target } from '../../../types.d.ts'
 * @import { Deployment } from './section.js'
 */

/**
 * A ceiling's readings on the kind of table that a rung has: a fresh one for a step by count, which starts on one;
 * a grown one for a step by time.
 * @param {CeilingRaw} ceiling
 * @param {boolean} fresh
 * @returns {StorageReading[]}
 */
function readingsOf({ line }, fresh) {
  const readings = /** @type {StorageReading[]} */ (line?.readings ?? []);
  return readings.filter((r) => (r.storedBefore === 0) === fresh);
}

/** @param {Deployment} deployment */
function isFresh({ plan, stepId }) {
  return plan.profile.steps.find((s) => s.id === stepId)?.operations !== undefined;
}

/**
 * A row for each size of a transaction in which the storage alone was measured.
 * @param {Deployment} deployment
 * @returns {{metric: string, values: string[], delta: string | null}[]}
 */
export function storageRows(deployment) {
  const { facts, storage, systems } = deployment;
  const fresh = isFresh(deployment);
  const item = itemOf(facts);
  const bySystem = systems.map((id) =>
    (storage.find((l) => l.system === id)?.ceilings ?? []).flatMap((c) => readingsOf(c, fresh)),
  );
  const sizes = [...new Set(bySystem.flat().map((r) => r.perTransaction))].sort((a, b) => a - b);
  return sizes.map((size) => {
    const rates = bySystem.map((own) =>
      own.filter((r) => r.perTransaction === size).map((r) => r.itemsPerSec),
    );
    const grown = fresh
      ? ''
      : ` on ${significant(median(bySystem.flat().map((r) => r.storedBefore)))} ${item}s`;
    return {
      metric: `storage alone${grown}, ${size} ${item}s a transaction: ${item}s/s`,
      values: rates.map((own) => (own.length > 0 ? significant(median(own)) : MISSING)),
      delta: unpairedDelta(rates[0], rates[1] ?? []),
    };
  });
}

/**
 * How near a system is to its storage alone, for each size of a transaction.
 * @param {Deployment} deployment
 * @param {string} id
 * @returns {{perTransaction: number, share: Interval, pairs: number}[]}
 */
export function storageShares(deployment, id) {
  const fresh = isFresh(deployment);
  const pairs = cellsOf(deployment, id).flatMap((cell) =>
    readingsIn(deployment, id, cell.repeat, fresh).map((r) => ({
      size: r.perTransaction,
      a: cell.operations[deployment.main].ratePerSec * deployment.items,
      b: r.itemsPerSec,
    })),
  );
  return [...new Set(pairs.map((p) => p.size))]
    .sort((a, b) => a - b)
    .map((perTransaction) => {
      const own = pairs.filter((p) => p.size === perTransaction);
      return { perTransaction, share: pairedRatio(own), pairs: own.length };
    });
}

/**
 * @param {Deployment} deployment
 * @param {string} id
 * @returns {CellRecord[]} valid ones of the rung
 */
function cellsOf({ rows, stepId, main }, id) {
  const row = rows.find((r) => r.system === id && r.step.id === stepId && r.operation === main);
  return (row?.cells ?? []).filter((c) => verdictOf(c, main) === 'VALID');
}

/**
 * @param {Deployment} deployment
 * @param {string} id
 * @param {number} repeat
 * @param {boolean} fresh
 */
function readingsIn({ storage }, id, repeat, fresh) {
  const ceilings = storage.find((l) => l.system === id)?.ceilings ?? [];
  return ceilings.filter((c) => c.repeat === repeat).flatMap((c) => readingsOf(c, fresh));
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
  const repeats = repeatsOf(deployment, id, target);
  if (repeats.length === 0)
    return `${goal}: undecided, there is no repeat in which both are valid and the storage was measured.`;
  const lower = pairedRatio(repeats.map(({ storage, other }) => ({ a: storage, b: other })));
  const reached = pairedRatio(
    repeats.map(({ own, storage, other }) => ({ a: own, b: Math.min(storage, other) })),
  );
  return [
    `${goal}. ${whichText(lower, repeats.length, multiple)}`,
    `It reaches ${ratioWithInterval(reached, repeats.length)} of the bound: ${verdictText(reached, repeats.length)}.`,
  ].join(' ');
}

/**
 * @param {Interval} lower storage / multiple
 * @param {number} n
 * @param {string} multiple
 */
function whichText(lower, n, multiple) {
  const share = `its storage alone is ${ratioWithInterval(lower, n)} of ${multiple}`;
  if (lower.high < 1) return `The storage is the lower one: ${share}.`;
  if (lower.low > 1) return `The multiple is the lower one: ${share}.`;
  return `The two cannot be told apart: ${share}.`;
}

/**
 * @param {Interval} reached
 * @param {number} n
 */
function verdictText(reached, n) {
  const least = 1 - EQUIVALENCE;
  const verdict = judgeTarget(reached, least, n);
  if (verdict === 'met') return `**met**, the whole interval lies above ${least} (±5 % counts as equal)`;
  if (verdict === 'not met')
    return `**not met**, the whole interval lies below ${least} (±5 % counts as equal)`;
  return n < MIN_REPEATS
    ? `undecided, ${n} of ${MIN_REPEATS} repeats`
    : `undecided, the interval holds ${least} (±5 % counts as equal)`;
}

/**
 * @param {Deployment} deployment
 * @param {string} id
 * @param {Target} target
 * @returns {{own: number, other: number, storage: number}[]} of each repeat in which all is known, items per second;
 *   `other`: the multiple of the other system
 */
function repeatsOf(deployment, id, { against, ratioAtLeast }) {
  const { main, items } = deployment;
  const fresh = isFresh(deployment);
  const others = cellsOf(deployment, against);
  return cellsOf(deployment, id).flatMap((cell) => {
    const other = others.find((c) => c.repeat === cell.repeat)?.operations[main].ratePerSec;
    const storage = readingsIn(deployment, id, cell.repeat, fresh).find((r) => r.perTransaction === items);
    if (!other || !storage) return [];
    return [
      {
        own: cell.operations[main].ratePerSec * items,
        other: ratioAtLeast * other * items,
        storage: storage.itemsPerSec,
      },
    ];
  });
}
