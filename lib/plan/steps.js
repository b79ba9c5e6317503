import { isFixedCount, operationsThat, takesTurns } from '../../k6/schedule/facts.js';
import { stepFor } from '../../k6/schedule/steps.js';

/** @import { Profile, Step, WorkloadFacts } from '../types.d.ts' */

/**
 * The steps of a profile as one workload runs them: those that name others are left out; a workload that cannot pipeline, or that cannot keep to a rate
 * because it consumes what it wrote or because its users take turns, leaves those steps out; and so it does with kills where
 * it ends by a count, which may be reached before, or writes nothing that could be lost.
 * @param {WorkloadFacts} workload
 * @param {Profile} profile
 * @param {number | null | undefined} operations `--operations`
 * @returns {Step[]}
 */
export function stepsOf(workload, profile, operations) {
  const steps = profile.steps
    .filter((s) => s.workloads?.includes(workload.id) ?? true)
    .filter((s) => workload.pipelines || (s.depth ?? 1) === 1)
    .filter((s) => (workload.fixedCount === undefined && !takesTurns(workload)) || s.model === 'closed')
    .filter((s) => !takesTurns(workload) || !isFixedCount(s))
    .filter((s) => !s.kill || (workload.fixedCount === undefined && writesAny(workload)))
    .map((s) => stepFor(s, workload, profile, operations));
  const first = steps[0];
  if (!first || operationsThat(workload, (o) => o.footprintBefore).length === 0 || !isFixedCount(first))
    return steps;
  return [{ ...first, footprint: true }, ...steps.slice(1)];
}

/**
 * The step as it is run against the null responder: as many operations unless the profile says
 * otherwise (what takes a server seconds is over before a ceiling can be read off), but a shorter time; nothing is stored there.
 * @param {Step} step
 * @param {Profile} profile
 * @returns {Step}
 */
export function asCalibration({ footprint: _, ...step }, profile) {
  if (isFixedCount(step)) return { ...step, operations: profile.calibration?.operations ?? step.operations };
  return { ...step, durationSec: profile.calibration?.durationSec ?? step.durationSec };
}

/**
 * @param {WorkloadFacts} workload
 * @returns {boolean} whether a kill could lose anything of it
 */
export function writesAny(workload) {
  return operationsThat(workload, (o) => o.writes).length > 0;
}
