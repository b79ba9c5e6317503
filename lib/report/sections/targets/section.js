import { ratioWithInterval } from '../../../format.js';
import { between } from '../../../record/comparisons.js';
import { reaches } from '../../../record/ratio.js';
import { pairedTarget } from '../../../record/side-by-side-target.js';
import { loadText } from '../../matrix/side-by-side.js';
import { stepText } from '../../steps.js';
import { left, table } from '../../table.js';
import { pairText } from '../../words.js';

/**
 * @import { Comparison } from '../../../record/comparisons.js'
 * @import { SideBySideSummary } from '../../../record/side-by-side.js'
 * @import { Plan, Target } from '../../../types.d.ts'
 * @import { Run } from '../../run.js'
 * @import { Section } from '../../view.js'
 */

/** A target with what was measured of it. @typedef {{title: string, least: number, systems: string, load: string, measured: string, verdict: string}} Held */

/**
 * Whether the systems reach the ratios that their manifests promise, from the comparisons that were made anyway.
 * @param {Pick<Run, 'plan' | 'comparisons' | 'sideBySide'>} run
 * @returns {Section | null} a row for each target whose load and systems are part of the run
 */
export function section({ plan, comparisons, sideBySide }) {
  const rows = plan.systems.flatMap((system) =>
    (system.targets ?? [])
      // Those that storage may bound are judged beside what storage does alone.
      .filter((target) => !target.orStorage)
      .flatMap((target) => {
        const paired = sideBySide.flatMap((summary) => pairedRows(plan, summary, system.id, target));
        return paired.length > 0 ? paired : targetRows(plan, comparisons, system.id, target);
      }),
  );
  if (rows.length === 0) return null;
  return {
    title: 'Targets',
    intro: [
      'A target is met when the whole interval of the ratio lies at or above it, not met when it lies below; else it is undecided, as it is without a ratio. Of systems side by side it is one of operations per CPU-second.',
    ],
    tables: [
      table(rows, [
        left('target', ({ title }) => title),
        left('systems', ({ systems }) => systems),
        left('load', ({ load }) => load),
        left('least ratio', ({ least }) => `≥ ${least.toFixed(2)}`),
        left('measured (95 % CI)', ({ measured }) => measured),
        left('verdict', ({ verdict }) => verdict),
      ]),
    ],
  };
}

/**
 * @param {Plan} plan
 * @param {SideBySideSummary} summary
 * @param {string} system
 * @param {Target} target
 * @returns {Held[]}
 */
function pairedRows(plan, summary, system, target) {
  const found = pairedTarget(summary, system, target);
  if (!found) return [];
  return [
    {
      ...{ title: target.title, least: target.ratioAtLeast, systems: pairText(plan, system, target.against) },
      load: loadText(found.cell),
      measured: ratioWithInterval(found.ratio),
      verdict: found.verdict,
    },
  ];
}

/**
 * @param {Plan} plan
 * @param {Comparison[]} comparisons
 * @param {string} system
 * @param {Target} target
 * @returns {Held[]}
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
        ...{
          title: target.title,
          least: target.ratioAtLeast,
          systems: pairText(plan, system, target.against),
        },
        load: stepText(plan, step.id),
        measured: ratioWithInterval(found.ratio),
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
  const verdict = reaches(found.ratio, target.ratioAtLeast);
  return verdict === 'undecided'
    ? `undecided: ${found.refusal === 'bound' ? 'the client may have set the figures' : (found.why ?? 'the interval holds the target')}`
    : verdict;
}
