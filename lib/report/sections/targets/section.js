import { MISSING, ratioWithInterval } from '../../../format.js';
import { judgeTarget } from '../../../judge/target.js';
import { between } from '../../comparisons.js';
import { stepText } from '../../steps.js';
import { titleOf } from '../../words.js';

/** @import { Comparison, Plan, Target } from '../../../types.d.ts' */

/**
 * Whether the systems reach the ratios that their manifests promise, from the comparisons that were made anyway.
 * @param {Plan} plan
 * @param {Comparison[]} comparisons
 * @returns {object[]} a row for each target whose step and systems are part of the run
 */
export function targetsOf(plan, comparisons) {
  return plan.systems.flatMap((system) =>
    (system.targets ?? [])
      // Those that storage may bound are judged beside what storage does alone.
      .filter((target) => !target.orStorage)
      .flatMap((target) => targetRows(plan, comparisons, system.id, target)),
  );
}

/**
 * @param {Plan} plan
 * @param {Comparison[]} comparisons
 * @param {string} system
 * @param {Target} target
 */
function targetRows(plan, comparisons, system, target) {
  const step = plan.profile.steps.find(
    (s) =>
      s.model === 'closed' &&
      s.vus === target.connections &&
      (s.depth ?? 1) === (target.depth ?? 1) &&
      (s.drive ?? plan.profile.drive) === 'burst' &&
      !s.clientPattern,
  );
  if (!step) return [];
  const transports = new Set(
    comparisons.filter((c) => c.workload === target.workload).map((c) => c.transport),
  );
  return [...transports].flatMap((transport) => {
    const cell = { workload: target.workload, transport, operation: target.operation, step };
    const found = between(comparisons, cell, system, target.against);
    if (!found) return [];
    return [
      {
        title: target.title,
        pair: `${titleOf(plan, system)} / ${titleOf(plan, target.against)}`,
        step: stepText(plan, step.id),
        least: `≥ ${target.ratioAtLeast.toFixed(2)}`,
        ratio: found.ratio ? ratioWithInterval(found.ratio, found.pairs) : MISSING,
        verdict: verdictText(found, target),
      },
    ];
  });
}

/**
 * @param {NonNullable<ReturnType<typeof between>>} found
 * @param {Target} target
 */
function verdictText(found, target) {
  const verdict = judgeTarget(found.ratio, target.ratioAtLeast, found.pairs);
  return verdict === 'undecided' ? `undecided: ${found.why ?? 'the interval holds the target'}` : verdict;
}
