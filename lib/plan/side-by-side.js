import { datasetOf, mainOf, operationsThat, shareOf, windowGroups } from '../../k6/schedule/facts.js';

/**
 * @import { PlannedSystem, Profile, RunOptions, SideBySideGroup, SideBySidePair, SideBySidePlan, Stack, Step,
 *   WorkloadFacts } from '../types.d.ts'
 * @import { Placement } from '../process/placement.js'
 */

/** Seconds of a start beside its slices: bringing up, checks of the state, filling, warming each system. */
const START_SEC = Object.freeze({ fixed: 4, system: 4 });
/** Seconds of a slice, the pause before it included; of two systems it may take several pieces. */
const SLICE_SEC = Object.freeze({ alone: 1, pair: 1.3 });
/** Looks are at 5, 8 and 12 starts: most comparisons are decided by then, and cost nothing more. */
const LIKELY_STARTS = 7;
/** In so many of them each absolute figure is taken. */
const ALONE_STARTS = 3;

/**
 * Which systems are compared side by side: those that run here as processes, on operations that the module can drive by
 * a template for a time. What cannot be is measured one system after another.
 * @param {object} input
 * @param {Profile} input.profile
 * @param {PlannedSystem[]} input.systems
 * @param {WorkloadFacts[]} input.workloads
 * @param {Stack[]} input.stacks
 * @param {RunOptions} input.options
 * @param {Placement | {problem: string}} [input.placement]
 * @returns {{plan: SideBySidePlan | null, why: string | null}} `why`: a profile asks for it, and it cannot be
 */
export function sideBySideOf({ profile, systems, workloads, stacks, options, placement }) {
  if (!profile.sideBySide || !placement) return { plan: null, why: null };
  if (options.generators) return { plan: null, why: 'several generators load one system at a time' };
  if ('problem' in placement) return { plan: null, why: placement.problem };
  const groups = workloads.flatMap((w) => groupsOf(w, { profile, systems, stacks }));
  if (groups.length === 0) return { plan: null, why: 'no two systems of one workload run here as processes' };
  return {
    plan: {
      groups,
      maxStarts: options.starts ?? profile.sideBySide.maxStarts,
      untilDecided: options.untilDecided === true,
      maxMinutes: options.maxMinutes ?? null,
      placement,
    },
    why: null,
  };
}

/**
 * @param {WorkloadFacts} workload
 * @param {Pick<Parameters<typeof sideBySideOf>[0], 'profile' | 'systems' | 'stacks'>} input
 * @returns {SideBySideGroup[]} one for each transport that two systems share
 */
function groupsOf(workload, { profile, systems, stacks }) {
  if (workload.drive !== undefined || workload.fixedCount || workload.cases) return [];
  const cells = cellsOf(workload, profile);
  if (cells.length === 0) return [];
  const transportsOf = (/** @type {PlannedSystem} */ s) =>
    stacks.find((x) => x.id === s.id)?.manifest.workloads[workload.id]?.transports ?? [];
  const own = systems.filter((s) => s.role === 'system' && s.engine === 'native');
  return [...new Set(own.flatMap(transportsOf))].flatMap((transport) => {
    const racing = own.filter((s) => transportsOf(s).includes(transport));
    const rivals = pairsOf(
      racing,
      cells.map((c) => c.id),
    );
    if (rivals.length === 0) return [];
    const [first] = racing;
    const main = operationsThat(workload, (o) => o.writes)[0] ?? mainOf(workload);
    const sameCells = cells.filter((c) => c.operation === main).map((c) => c.id);
    /** @type {SideBySidePair} */
    const same = { a: first.id, b: first.id, kind: 'same', cells: sameCells };
    return [
      {
        workload: workload.id,
        transport,
        systems: racing.map((s) => s.id),
        twinOf: first.id,
        pairs: [...rivals, same],
        cells,
        fill: fillOf(workload, profile),
      },
    ];
  });
}

/**
 * @param {PlannedSystem[]} systems
 * @param {string[]} cells
 * @returns {SideBySidePair[]} those of like promises are rivals; of unlike ones only one product's own configurations
 *   are compared, for what the promise costs
 */
function pairsOf(systems, cells) {
  const baseOf = (/** @type {PlannedSystem} */ { id }) => id.split('@')[0];
  return systems.flatMap((a, i) =>
    systems.slice(i + 1).flatMap((b) => {
      const alike = a.durability.policy === b.durability.policy;
      if (!alike && baseOf(a) !== baseOf(b)) return [];
      const kind = baseOf(a) === baseOf(b) ? /** @type {const} */ ('price') : /** @type {const} */ ('rivals');
      return [{ a: a.id, b: b.id, kind, cells }];
    }),
  );
}

/**
 * @param {WorkloadFacts} workload
 * @param {Profile} profile
 * @returns {SideBySideGroup['cells']}
 */
function cellsOf(workload, profile) {
  return profile.steps
    .filter((s) => s.workloads?.includes(workload.id) ?? true)
    .filter(isPlainLoad)
    .filter((s) => workload.pipelines || (s.depth ?? 1) === 1)
    .flatMap((step) =>
      windowGroups(workload, step)
        .filter(({ order }) => order === 'alone' || order === 'shares')
        .filter(({ operations }) => !operations.some((op) => workload.operations[op].received))
        .map(({ operations }) => {
          const operation = operations.length > 1 ? 'mix' : operations[0];
          return {
            id: `${operation}.${step.id}`,
            stepId: step.id,
            operation,
            parts: operations.map((op) => ({ op, share: shareOf(workload, op) ?? 1 })),
            connections: step.vus,
            depth: step.depth ?? 1,
          };
        }),
    );
}

/** @param {Step} step */
function isPlainLoad(step) {
  return (
    step.model === 'closed' &&
    step.drive !== 'iteration' &&
    step.operations === undefined &&
    !step.kill &&
    !step.fault &&
    !step.background &&
    !step.soak &&
    !step.clientPattern
  );
}

/**
 * @param {WorkloadFacts} workload
 * @param {Profile} profile
 * @returns {SideBySideGroup['fill']} every key once, so that reads find something
 */
function fillOf(workload, profile) {
  const keys = datasetOf(workload, profile)[workload.keys?.space ?? 'keys'];
  const [op] = operationsThat(workload, (o) => o.writes);
  return op && workload.pipelines && keys
    ? [{ op, operations: keys, depth: workload.pipelines ? 64 : 1 }]
    : [];
}

/**
 * @param {SideBySidePlan} plan
 * @returns {number} seconds, where most comparisons are decided by the second look
 */
export function sideBySideSeconds({ groups, maxStarts }) {
  const starts = Math.min(maxStarts, LIKELY_STARTS);
  return groups.reduce((sum, { systems, pairs, cells }) => {
    const alone = systems.length * cells.length * Math.min(starts, ALONE_STARTS) * SLICE_SEC.alone;
    const slices = pairs.reduce((n, p) => n + p.cells.length, 0) * SLICE_SEC.pair;
    return sum + alone + starts * (START_SEC.fixed + (systems.length + 1) * START_SEC.system + slices);
  }, 0);
}
