import { between } from '../../../record/compare.js';
import { keyOf } from '../../../record/comparisons.js';
import { stepText } from '../../steps.js';
import { left, table } from '../../table.js';
import { limitText, pairText, ratioText } from '../../words.js';

/**
 * @import { Comparison, Plan, Target } from '../../../types.d.ts'
 * @import { Run } from '../../run.js'
 * @import { Section } from '../../view.js'
 */

/** A target with what was measured of it. @typedef {{title: string, least: number, systems: string, load: string, measured: string, verdict: string}} Held */

/**
 * Whether the systems reach the ratios that their manifests promise, from the comparisons that were made anyway.
 * @param {Pick<Run, 'plan' | 'comparisons'>} run
 * @returns {Section | null} a row for each target whose load and systems are part of the run
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
      'A target is met when the whole interval of the ratio lies at or above it, not met when it lies below; else it is undecided, as it is without a ratio. Of systems that were loaded at once it is one of CPU efficiency, else of throughput.',
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
 * @param {Comparison[]} comparisons
 * @param {string} system
 * @param {Target} target
 * @returns {Held[]}
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
    if (!found) return [];
    return [
      {
        ...{ title: target.title, least: target.ratioAtLeast },
        systems: pairText(plan, system, target.against),
        load: `${target.operation}, ${stepText(plan, found.load?.step ?? '')}`,
        measured: ratioText(found),
        verdict: limitText(found, { atLeast: target.ratioAtLeast }),
      },
    ];
  });
}

/** @param {Plan} plan @param {Target} target @returns {string[]} ids of the steps with its users and depth */
function stepsOf({ profile, sideBySide }, { connections, depth = 1 }) {
  const cells = (sideBySide?.groups ?? []).flatMap(({ cells }) => cells);
  return [
    ...cells.filter((c) => c.connections === connections && c.depth === depth).map((c) => c.stepId),
    ...profile.steps
      .filter((s) => s.model === 'closed' && s.vus === connections && (s.depth ?? 1) === depth)
      .filter((s) => (s.drive ?? profile.drive) === 'burst' && !s.clientPattern)
      .map((s) => s.id),
  ];
}
