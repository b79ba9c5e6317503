import { pairedCells } from '../../../config/trials.js';
import { between } from '../../../record/compare.js';
import { keyOf } from '../../../record/comparisons.js';
import { limitText } from '../../words.js';

/** @import { Comparison, Plan, Target } from '../../../types.d.ts' */

/**
 * Whether the systems reach the ratios that their manifests promise, from the comparisons that were made anyway.
 * @param {Plan} plan
 * @param {Comparison[]} comparisons
 * @returns {object[]} fields of each target whose load and systems are part of the run
 */
export function targetsOf(plan, comparisons) {
  return plan.systems.flatMap(({ id, targets = [] }) =>
    targets
      // Those that storage may bound are judged beside what storage does alone.
      .filter((target) => !target.orStorage)
      .flatMap((target) => targetRows(plan, comparisons, id, target)),
  );
}

/**
 * @param {Plan} plan
 * @param {Comparison[]} comparisons
 * @param {string} system
 * @param {Target} target
 * @returns {object[]} one for each load of it
 */
function targetRows(plan, comparisons, system, target) {
  const steps = stepsOf(plan, target);
  const own = comparisons.filter(
    ({ load, metric, paired }) =>
      load?.workload === target.workload &&
      load.operation === target.operation &&
      steps.includes(load.step) &&
      metric === (paired ? 'efficiency' : 'throughput'),
  );
  const isPaired = own.some((c) => c.paired && between([c], system, target.against));
  const of = own.filter((c) => c.paired === isPaired);
  return [...new Set(of.map(({ load }) => keyOf(load)))].flatMap((key) => {
    const found = between(
      of.filter(({ load }) => keyOf(load) === key),
      system,
      target.against,
    );
    return found
      ? [
          {
            ...{ title: target.title, system, against: target.against, least: target.ratioAtLeast },
            ...{ operation: target.operation, step: found.load?.step, comparison: found },
            verdict: limitText(found, { atLeast: target.ratioAtLeast }),
          },
        ]
      : [];
  });
}

/** @param {Plan} plan @param {Target} target @returns {string[]} ids of the steps with its users and depth */
function stepsOf({ profile, trials }, { connections, depth = 1 }) {
  return [
    ...pairedCells({ trials })
      .filter((c) => c.connections === connections && c.depth === depth)
      .map((c) => c.stepId),
    ...profile.steps
      .filter((s) => s.model === 'closed' && s.vus === connections && (s.depth ?? 1) === depth)
      .filter((s) => (s.drive ?? profile.drive) === 'burst' && !s.clientPattern)
      .map((s) => s.id),
  ];
}
