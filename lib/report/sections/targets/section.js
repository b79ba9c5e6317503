import { ratioWithInterval } from '../../../format.js';
import { between } from '../../../record/comparisons.js';
import { reaches } from '../../../record/ratio.js';
import { stepText } from '../../steps.js';
import { left, table } from '../../table.js';
import { pairText } from '../../words.js';

/**
 * @import { Comparison } from '../../../record/comparisons.js'
 * @import { Plan, Target } from '../../../types.d.ts'
 * @import { Run } from '../../run.js'
 * @import { Section } from '../../view.js'
 */

/**
 * Whether the systems reach the ratios that their manifests promise, from the comparisons that were made anyway.
 * @param {Run} run
 * @returns {Section | null} a row for each target whose step and systems are part of the run
 */
export function section({ plan, comparisons }) {
  const rows = plan.systems.flatMap((system) =>
    (system.targets ?? [])
      // Those that storage may bound are judged beside what storage does alone.
      .filter((target) => !target.orStorage)
      .flatMap((target) => targetRows(plan, comparisons, system.id, target)),
  );
  if (rows.length === 0) return null;
  return {
    title: 'Targets',
    intro: [
      'A target is met when the whole interval of the ratio lies at or above it, not met when it lies below; else it is undecided, as it is without a ratio.',
    ],
    tables: [
      table(rows, [
        left('target', ({ target }) => target.title),
        left('systems', ({ system, target }) => pairText(plan, system, target.against)),
        left('step', ({ step }) => stepText(plan, step.id)),
        left('least ratio', ({ target }) => `≥ ${target.ratioAtLeast.toFixed(2)}`),
        left('measured (95 % CI)', ({ found }) => ratioWithInterval(found.ratio)),
        left('verdict', ({ found, target }) => verdictText(found, target)),
      ]),
    ],
  };
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
    return [{ system, target, step, found }];
  });
}

/**
 * @param {NonNullable<ReturnType<typeof between>>} found
 * @param {Target} target
 */
function verdictText(found, target) {
  const verdict = reaches(found.ratio, target.ratioAtLeast);
  return verdict === 'undecided'
    ? `undecided: ${found.refusal === 'bound' ? 'the client may have set the figures' : (found.why ?? 'the interval holds the target')}`
    : verdict;
}
