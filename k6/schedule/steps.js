/**
 * The steps of a profile as one workload runs them. Pure: k6, the runner and the tests of Node read it alike.
 * @import { Profile, Step, WorkloadFacts } from '../../lib/types.d.ts'
 */
import { isFixedCount } from './facts.js';

/** What a workload that has steps of a fixed count only performs where neither step nor dataset says how much. */
const DEFAULT_OPERATIONS = 20_000;

/**
 * A step with the drive and the end that the workload gives it.
 * @param {Step} step
 * @param {Pick<WorkloadFacts, 'countBound' | 'drive'>} facts
 * @param {Pick<Profile, 'dataset'>} profile
 * @param {number | null} [operations] what the user asks for, instead of every other number
 * @returns {Step}
 */
export function stepFor(step, facts, profile, operations = null) {
  const own = withFixedCount(step, facts, profile.dataset, operations);
  // Operations that need what earlier ones answered cannot be written down beforehand.
  return facts.drive ? { ...own, drive: facts.drive } : own;
}

/**
 * A workload that deletes what it wrote cannot last a given time: its steps get a fixed count.
 * @param {Step} step
 * @param {Pick<WorkloadFacts, 'countBound'>} facts
 * @param {Record<string, number>} dataset
 * @param {number | null} operations
 * @returns {Step}
 */
function withFixedCount(step, { countBound }, dataset, operations) {
  if (!isFixedCount(step) && countBound === undefined) return step;
  const { durationSec: _, warmupSec: __, ...own } = step;
  const usual = step.operations ?? dataset[countBound ?? ''] ?? DEFAULT_OPERATIONS;
  return { ...own, operations: operations ?? usual };
}

/**
 * A workload may measure each step in several cases, each with a dataset of its own: a step of its own for each.
 * @param {Pick<WorkloadFacts, 'cases' | 'casesOf' | 'drivesOf'>} facts
 * @param {Step[]} steps
 * @param {string} transport
 * @returns {Step[]}
 */
export function stepsByCase({ cases, casesOf, drivesOf }, steps, transport) {
  if (!cases) return steps;
  const drive = drivesOf?.[transport];
  const own = steps.filter((s) => !drive || (s.drive ?? drive) === drive);
  const names = casesOf?.[transport] ?? Object.keys(cases);
  return names.flatMap((name) =>
    own.map((step) => ({
      ...step,
      id: `${step.id}-${name}`,
      case: name,
      dataset: { ...step.dataset, ...cases[name] },
    })),
  );
}
