/**
 * The steps of a profile as one workload runs them. Pure: k6, the runner and the tests of Node read it alike.
 * @import { Profile, Step, WorkloadFacts } from '../../lib/types.d.ts'
 */
import { isFixedCount, meetsFault } from './facts.js';

/** What a workload that has steps of a fixed count only performs where neither step nor dataset says how much. */
const DEFAULT_OPERATIONS = 20_000;

/**
 * A step with the drive and the end that the workload gives it.
 * @param {Step} step
 * @param {Pick<WorkloadFacts, 'fixedCount' | 'drive' | 'keys'>} facts
 * @param {Pick<Profile, 'dataset'>} profile
 * @param {number | null} [operations] what the user asks for, instead of every other number
 * @returns {Step}
 */
export function stepFor(step, facts, profile, operations = null) {
  const own = meetsFault(step)
    ? untilKilled(step, facts)
    : withFixedCount(step, facts, profile.dataset, operations);
  // Operations that need what earlier ones answered cannot be written down beforehand.
  return typeof facts.drive === 'string' ? { ...own, drive: facts.drive } : own;
}

/**
 * A load that meets a fault lasts its time, whatever ends the workload's other steps: it writes only. Where each write has a
 * key of its own, the first one of the load is the first of its connection.
 * @param {Step} step
 * @param {Pick<WorkloadFacts, 'keys'>} facts
 * @returns {Step}
 */
function untilKilled(step, { keys }) {
  return keys?.each ? { ...step, warmupSec: 0 } : step;
}

/**
 * A workload that deletes what it wrote cannot last a given time: its steps get a fixed count.
 * @param {Step} step
 * @param {Pick<WorkloadFacts, 'fixedCount'>} facts
 * @param {Record<string, number>} dataset
 * @param {number | null} operations
 * @returns {Step}
 */
function withFixedCount(step, { fixedCount }, dataset, operations) {
  if (!isFixedCount(step) && fixedCount === undefined) return step;
  const { durationSec: _, warmupSec: __, ...own } = step;
  const usual = step.operations ?? dataset[fixedCount ?? ''] ?? DEFAULT_OPERATIONS;
  return { ...own, operations: operations ?? usual };
}

/**
 * A transport that only one drive can speak leaves out the steps of the others. A workload may measure each step in
 * several cases, each with a dataset of its own: a step of its own for each.
 * @param {Pick<WorkloadFacts, 'cases' | 'drive'>} facts
 * @param {Step[]} steps
 * @param {string} transport
 * @returns {Step[]}
 */
export function stepsByCase({ cases, drive }, steps, transport) {
  const only = onlyDrive({ drive }, transport);
  const own = steps.filter((s) => only === null || (s.drive ?? only) === only);
  if (!cases) return own;
  const possible = Object.entries(cases).filter(([, c]) => c.transports?.includes(transport) ?? true);
  return possible.flatMap(([name, { dataset }]) =>
    own.map((step) => ({
      ...step,
      id: `${step.id}-${name}`,
      case: name,
      dataset: { ...step.dataset, ...dataset },
    })),
  );
}

/**
 * @param {Pick<WorkloadFacts, 'drive'>} facts
 * @param {string} transport
 * @returns {import('../../lib/types.d.ts').Drive | null} the only one that can speak the transport; null: each can
 */
export function onlyDrive({ drive }, transport) {
  return (typeof drive === 'object' && drive[transport]) || null;
}
