import {
  datasetOf,
  mainOf,
  operationsThat,
  representative,
  shareOf,
  takesTurns,
  windowGroups,
} from '../../k6/schedule/facts.js';
import { onlyDrive, stepsByCase } from '../../k6/schedule/steps.js';
import { mayPromiseAlike } from '../config/durability.js';
import { SLICE } from '../judge/limits.js';
import { manifestOf, transportsOf } from './declares.js';
import { stepsOf } from './steps.js';

/**
 * @import { PlannedSystem, Profile, RunOptions, PairedTrial, SideBySidePair, SideBySidePlan, Stack, Step,
 *   WorkloadFacts } from '../types.d.ts'
 * @import { Placement } from '../process/placement.js'
 */

/** @typedef {Pick<Parameters<typeof sideBySideOf>[0], 'profile' | 'systems' | 'stacks' | 'options'>} Input */

/**
 * Which systems are compared side by side: those that are started here, on operations that the module can drive by
 * a template for a time. What cannot be is measured one system after another.
 * @param {object} input
 * @param {Profile} input.profile
 * @param {PlannedSystem[]} input.systems
 * @param {WorkloadFacts[]} input.workloads
 * @param {Stack[]} input.stacks
 * @param {RunOptions} input.options
 * @param {Placement | {problem: string}} [input.placement]
 * @returns {{plan: SideBySidePlan | null, trials: PairedTrial[], why: string | null}} `why`: a profile asks for it, and some of it cannot be
 */
export function sideBySideOf({ profile, systems, workloads, stacks, options, placement }) {
  const none = (/** @type {string | null} */ why) => ({ plan: null, trials: [], why });
  if (!profile.sideBySide || !placement) return none(null);
  if (options.generators) return none('several generators load one system at a time');
  if ('problem' in placement) return none(placement.problem);
  const all = workloads
    .filter((w) => profile.sideBySide?.workloads?.includes(w.id) ?? true)
    .flatMap((w) => trialsOf(w, { profile, systems, stacks, options }));
  const trials = all.flatMap((t) => ('why' in t ? [] : [t]));
  const why = all.flatMap((t) => ('why' in t ? [t.why] : [])).join('; ') || null;
  if (trials.length === 0) return none(why ?? 'no two systems of one workload are started here');
  return {
    plan: {
      maxStarts: options.starts ?? profile.sideBySide.maxStarts,
      untilDecided: options.untilDecided === true,
      maxMinutes: options.maxMinutes ?? profile.sideBySide.maxMinutes ?? null,
      placement,
    },
    trials,
    why,
  };
}

/**
 * @param {WorkloadFacts} workload
 * @param {Input} input
 * @returns {(PairedTrial | {why: string})[]} one for each transport that two systems share
 */
function trialsOf(workload, { profile, systems, stacks, options }) {
  const takenBy = (/** @type {PlannedSystem} */ s) => transportsOf(stacks, s.id, workload.id);
  const own = systems.filter((s) => s.role === 'system' && s.engine !== 'external' && standsAlone(s, stacks));
  /** @type {(transport: string) => (PairedTrial | {why: string})[]} */
  const trialOver = (transport) => {
    const racing = own.filter((s) => takenBy(s).includes(transport));
    const pairs = pairsOf(racing, transport);
    if (pairs.length === 0) return [];
    const why = whyNot(workload, transport);
    if (why !== null) return [{ why: `${workload.id} over ${transport}: ${why}` }];
    const steps = stepsByCase(workload, stepsOf(workload, profile, options.operations), transport);
    const plain = steps.filter((s) => isPlainLoad(s, workload, profile));
    const cells = cellsOf(workload, profile, plain);
    if (cells.length === 0) return [];
    const idsWith = (/** @type {string} */ operation) =>
      cells.filter((c) => c.parts.some((p) => p.op === operation)).map((c) => c.id);
    // Against itself: one that others are held against.
    const { a: twin } = pairs.find(({ kind }) => kind === 'rivals') ?? pairs[0];
    const main = operationsThat(workload, (o) => o.writes)[0] ?? mainOf(workload);
    return [
      {
        role: /** @type {const} */ ('system'),
        repeat: null,
        workload: workload.id,
        transport,
        systems: racing.map((s) => s.id),
        twinOf: twin,
        pairs: [
          ...pairs.map((pair) => ({ ...pair, cells: cells.map((c) => c.id) })),
          { a: twin, b: twin, kind: /** @type {const} */ ('same'), cells: idsWith(main) },
        ],
        cells,
        headline: idsWith(representative(workload)),
        ...(profile.sideBySide?.absolute === 'cells' ? { alone: /** @type {const} */ (false) } : {}),
        fill: fillOf(workload, profile),
      },
    ];
  };
  return [...new Set(own.flatMap(takenBy))].flatMap(trialOver);
}

/**
 * @param {PlannedSystem} system
 * @param {Stack[]} stacks
 * @returns {boolean} whether it needs no server beside it: a database that rests is no light neighbour on one CPU
 */
function standsAlone({ id }, stacks) {
  return !manifestOf(stacks, id)?.native?.companions?.length;
}

/**
 * @param {WorkloadFacts} workload
 * @param {string} transport
 * @returns {string | null} why it cannot run in slices; null when it can
 */
function whyNot({ drive }, transport) {
  if (drive === 'iteration')
    return 'what it sends next depends on an answer, so no event loop can drive it; its systems are measured one after another';
  if (onlyDrive({ drive }, transport))
    return 'it measures what arrives, not what is sent; its systems are measured one after another';
  return null;
}

/**
 * What is left of a step for systems one after another: all of it where their absolute figures come from there.
 * @param {Step} step
 * @param {WorkloadFacts} workload
 * @param {string} transport
 * @param {PairedTrial[]} paired
 * @returns {Step[]} the step, a part of its operations, or none
 */
export function leftOver(step, workload, transport, paired) {
  const cells = paired
    .filter((g) => g.workload === workload.id && g.transport === transport && g.alone !== false)
    .flatMap((g) => g.cells)
    .filter((c) => c.stepId === step.id);
  if (cells.length === 0) return [step];
  const done = new Set(cells.flatMap((c) => c.parts.map((p) => p.op)));
  const only = windowGroups(workload, step)
    .flatMap((g) => g.operations)
    .filter((op) => !done.has(op));
  // Where each operation needs what the one before has left, none goes alone.
  return only.length === 0 || workload.fixedCount ? [] : [{ ...step, only }];
}

/**
 * @param {PlannedSystem[]} systems
 * @param {string} transport
 * @returns {Omit<SideBySidePair, 'cells'>[]} those that may promise alike are rivals; of unlike ones only one product's own configurations
 *   are compared, for what the promise costs
 */
function pairsOf(systems, transport) {
  const baseOf = (/** @type {PlannedSystem} */ { id }) => id.split('@')[0];
  return systems.flatMap((a, i) =>
    systems.slice(i + 1).flatMap((b) => {
      const kind = baseOf(a) === baseOf(b) ? /** @type {const} */ ('price') : /** @type {const} */ ('rivals');
      return kind === 'price' || mayPromiseAlike([a, b], transport) ? [{ a: a.id, b: b.id, kind }] : [];
    }),
  );
}

/**
 * @param {WorkloadFacts} workload
 * @param {Profile} profile
 * @param {Step[]} steps
 * @returns {PairedTrial['cells']}
 */
function cellsOf(workload, profile, steps) {
  return steps.flatMap((step) =>
    windowGroups(workload, step)
      .filter(({ order }) => order !== 'together')
      .filter(({ operations }) => operations.every((op) => isSent(workload, op)))
      .map(({ operations }) => {
        const operation = operations.length > 1 ? 'mix' : operations[0];
        const least = leastOperations(workload, profile, operations);
        return {
          id: `${operation}.${step.id}`,
          stepId: step.id,
          operation,
          parts: operations.map((op) => ({ op, share: shareOf(workload, op) ?? 1 })),
          connections: step.vus,
          depth: step.depth ?? 1,
          ...(step.case ? { case: step.case } : {}),
          ...(step.dataset ? { dataset: step.dataset } : {}),
          ...(least < SLICE.minOperations ? { minOperations: least } : {}),
          ...(step.vus * (step.depth ?? 1) === 1 ? { slotMs: SLICE.slotMs } : {}),
        };
      }),
  );
}

/**
 * @param {WorkloadFacts} workload
 * @param {string} op
 * @returns {boolean} whether a connection can go on with it for as long as it is let: what takes something away finds
 *   nothing left
 */
function isSent({ operations }, op) {
  const { received, pushed, footprintBefore } = operations[op];
  return !received && !pushed && !footprintBefore;
}

/**
 * @param {WorkloadFacts} workload
 * @param {Profile} profile
 * @param {string[]} operations of a cell
 * @returns {number} of a slice that counts: as many as the workload asks for, and of requests of many items fewer
 */
function leastOperations(workload, profile, operations) {
  const dataset = datasetOf(workload, profile);
  const items = Math.max(
    ...operations.map((op) => {
      const size = workload.operations[op].items ?? 1;
      return typeof size === 'string' ? dataset[size] : size;
    }),
  );
  const usual = Math.ceil(SLICE.minOperations / items);
  return Math.min(usual, workload.minOperations ?? usual);
}

/**
 * @param {Step} step
 * @param {WorkloadFacts} workload
 * @param {Profile} profile
 */
function isPlainLoad(step, workload, profile) {
  const base = step.case ? step.id.slice(0, -1 - step.case.length) : step.id;
  return (
    (profile.sideBySide?.steps?.includes(base) ?? true) &&
    step.model === 'closed' &&
    (step.drive ?? profile.drive) !== 'iteration' &&
    // A count that the workload itself asks for is how it ends; what a step asks for is what it measures.
    (step.operations === undefined || workload.fixedCount !== undefined) &&
    !step.kill &&
    !step.fault &&
    !step.background &&
    !step.soak &&
    !step.clientPattern &&
    !changesTurns(step, workload, profile)
  );
}

/**
 * @param {Step} step
 * @param {WorkloadFacts} workload
 * @param {Profile} profile
 * @returns {boolean} whether users rest between turns, or find other data than those of the other steps do
 */
function changesTurns(step, workload, profile) {
  if (!takesTurns(workload)) return false;
  return step.dataset !== undefined || (datasetOf(workload, profile, step).thinkMs ?? 0) > 0;
}

/**
 * @param {WorkloadFacts} workload
 * @param {Profile} profile
 * @returns {PairedTrial['fill']} every key once, so that reads find something
 */
function fillOf(workload, profile) {
  const keys = datasetOf(workload, profile)[workload.keys?.space ?? 'keys'];
  const [op] = operationsThat(workload, (o) => o.writes);
  // Who reads a workload's file fills what it asks for before the load, too.
  if (workload.data) return [];
  return op && (workload.pipelines || workload.fixedCount) && keys
    ? [{ op, operations: keys, depth: workload.pipelines ? 64 : 1 }]
    : [];
}
