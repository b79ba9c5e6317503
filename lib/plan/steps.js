import { isFixedCount, meetsFault, operationsThat, takesTurns } from '../../k6/schedule/facts.js';
import { onlyDrive, stepFor } from '../../k6/schedule/steps.js';
import { groupBy } from '../group-by.js';

/** @import { Plan, Profile, Step, WorkloadFacts } from '../types.d.ts' */

/**
 * @param {WorkloadFacts} workload
 * @param {Step} step of the profile
 * @returns {string | null} why the workload leaves it out; null where it does not
 */
function whyLeftOut(workload, step) {
  const hasFault = meetsFault(step);
  const isPaced = step.model === 'open' && !hasFault;
  if (!workload.pipelines && (step.depth ?? 1) > 1)
    return 'it has one request under way on a connection, and does not pipeline';
  if (isPaced && workload.fixedCount !== undefined)
    return 'it ends with a count of operations, and so keeps to no rate';
  if (isPaced && takesTurns(workload)) return 'its users take turns, and keep to no rate';
  if (isFixedCount(step) && takesTurns(workload)) return 'its users take turns for a time, not for a count';
  if (hasFault && !lastsUntilKilled(workload)) return 'its count of operations may be over before the fault';
  return hasFault && !writesAny(workload) ? 'it writes nothing that a kill could lose' : null;
}

/**
 * The steps of a profile as one workload runs them: those that the profile does not give to others only, without those
 * that the workload leaves out.
 * @param {WorkloadFacts} workload
 * @param {Profile} profile
 * @param {number | null | undefined} operations `--operations`
 * @returns {Step[]}
 */
export function stepsOf(workload, profile, operations) {
  const steps = offered(workload, profile)
    .filter((s) => whyLeftOut(workload, s) === null)
    .map((s) => stepFor(s, workload, profile, operations));
  const first = steps[0];
  if (!first || operationsThat(workload, (o) => o.footprintBefore).length === 0 || !isFixedCount(first))
    return steps;
  return [{ ...first, footprint: true }, ...steps.slice(1)];
}

/**
 * @param {WorkloadFacts} workload
 * @param {Profile} profile
 * @returns {Step[]} that the profile has for it
 */
function offered({ id, data }, profile) {
  // What a file asks for is as light as counters are.
  const names = [id, ...(data ? ['counters'] : [])];
  return profile.steps.filter((s) => s.workloads?.some((w) => names.includes(w)) ?? true);
}

/**
 * What the profile has and the workload does not run, with the reason: as a whole, and over single transports.
 * @param {WorkloadFacts} workload
 * @param {Profile} profile
 * @param {string[]} transports over which it is measured; none: it is not measured, and leaves out nothing
 * @returns {Plan['absent']} one entry for each reason
 */
export function leftOut(workload, profile, transports) {
  if (transports.length === 0) return [];
  const why = (/** @type {Step} */ s) => whyLeftOut(workload, s) ?? '';
  const whole = groupBy(offered(workload, profile).filter(why), why).map((steps) => ({
    reason: why(steps[0]),
    steps,
  }));
  const run = stepsOf(workload, profile, null);
  const over = transports.flatMap((transport) => leftOutOver(workload, run, transport));
  return [...whole, ...over]
    .filter(({ steps }) => steps.length > 0)
    .map(({ steps, reason }) => ({
      workload: workload.id,
      steps: steps.map((s) => s.id),
      status: /** @type {const} */ ('unsupported'),
      reason,
    }));
}

/**
 * @param {WorkloadFacts} workload
 * @param {Step[]} steps
 * @param {string} transport
 * @returns {{steps: Step[], reason: string}[]}
 */
function leftOutOver(workload, steps, transport) {
  const only = onlyDrive(workload, transport);
  const cases = Object.entries(workload.cases ?? {}).filter(
    ([, c]) => c.transports?.includes(transport) === false,
  );
  const kills = steps.filter(meetsFault);
  return [
    {
      steps: steps.filter((s) => only !== null && (s.drive ?? only) !== only),
      reason: `over ${transport} there is the drive ${only} only`,
    },
    {
      steps: only === null ? [] : kills,
      reason: `over ${transport} it is measured what arrives, not what is written`,
    },
    ...cases.map(([name]) => ({ steps, reason: `over ${transport} there is no case "${name}"` })),
  ];
}

/**
 * The step as it is run against the null responder: as many operations unless the profile says
 * otherwise (what takes a server seconds is over before anything can be read off), but a shorter time; nothing is stored there.
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
 * @returns {boolean} whether it can write for as long as it is let: each write needs a key of its own, where it ends by a
 *   count otherwise
 */
function lastsUntilKilled({ fixedCount, keys }) {
  return fixedCount === undefined || keys?.each === true;
}

/**
 * @param {WorkloadFacts} workload
 * @returns {boolean} whether a kill could lose anything of it
 */
export function writesAny(workload) {
  return operationsThat(workload, (o) => o.writes).length > 0;
}
