import { operationsThat, windowGroups } from '../../k6/schedule/facts.js';
import { onlyDrive, stepFor, stepsByCase } from '../../k6/schedule/steps.js';
import { asks, manifestOf, transportsOf } from './declares.js';
import { interleave } from './order.js';
import { leftOver } from './paired-trials.js';
import { asCalibration, stepsOf } from './steps.js';
import { cannotHave } from './why-not.js';

/**
 * The cells of a run, and the order in which its systems take turns.
 * @import { CellPlan, PairedTrial, PlannedSystem, SingleTrial, Stack, Step, WorkloadFacts } from '../types.d.ts'
 * @import { PlanInput } from './plan.js'
 */

/**
 * @param {WorkloadFacts} workload
 * @param {PlanInput} input
 * @param {PairedTrial[]} paired what is measured side by side
 * @returns {SingleTrial[]} of the rest, for each transport: the calibrations first, then the repeats
 */
export function singleTrialsOf(workload, input, paired) {
  return transportsIn(workload, input.systems, input.stacks)
    .flatMap((transport) => trialsOver({ workload, transport, input }, paired))
    .filter((b) => b.cells.length > 0);
}

/** Trials of one workload over one transport. @typedef {{workload: WorkloadFacts, transport: string, input: PlanInput}} Family */

/**
 * @param {Family} family
 * @param {PairedTrial[]} paired
 * @returns {SingleTrial[]} some without cells
 */
function trialsOver(family, paired) {
  const { workload, transport, input } = family;
  const { profile, repeats, stacks } = input;
  const all = stepsByCase(workload, stepsOf(workload, profile, input.options.operations), transport);
  if (all.length === 0) return [];
  const whole = all.filter((s) => !s.kill && !s.fault);
  const racing = takersOf('system', family);
  const leftFor = (/** @type {string} */ id) => {
    const own = paired.filter((g) => g.systems.includes(id));
    return whole.flatMap((s) => leftOver(s, workload, transport, own));
  };
  const [most = []] = racing
    .map(leftFor)
    .sort((a, b) => operationsIn(b, workload) - operationsIn(a, workload));
  const calibrations = (/** @type {(step: Step) => boolean} */ chosen) =>
    calibrationTrials(most.filter(chosen), family);
  // A rate that is a share of the slowest system's maximum is known when all have been measured.
  const waits = (/** @type {Step} */ s) =>
    racing.length > 1 && s.model === 'open' && s.fractionOfKnee !== undefined;
  return [
    ...calibrations(isClosed),
    ...interleave(racing, repeats, profile.seed).flatMap((order, r) => [
      ...[false, true].flatMap((waiting) =>
        order.map((id) => {
          const own = leftFor(id).filter((s) => !s.background || manifestOf(stacks, id)?.background);
          const steps = own.filter((s) => waits(s) === waiting);
          return trialOf(id, 'system', r + 1, steps, family);
        }),
      ),
      // The null responder at the same rates, once these are known: below it no two latencies can be told apart.
      ...(r === 0 ? calibrations((s) => s.model === 'open' && !s.soak && !s.background) : []),
      ...faultTrials(all, order, r + 1, family),
    ]),
    ...syncTrials(whole, racing, family),
  ];
}

/**
 * @param {PlannedSystem['role']} role
 * @param {Family} family
 * @returns {string[]} systems in that role that take the workload over the transport
 */
function takersOf(role, { workload, transport, input: { systems, stacks } }) {
  const takes = (/** @type {string} */ id) => transportsOf(stacks, id, workload.id).includes(transport);
  return systems.flatMap(({ role: own, id }) => (own === role && takes(id) ? [id] : []));
}

/**
 * A reference stands beside whatever any system is measured on alone, or beside what the profile says.
 * @param {Step[]} steps
 * @param {Family} family
 * @returns {SingleTrial[]}
 */
function calibrationTrials(steps, family) {
  const { profile } = family.input;
  const own = steps
    .filter((s) => profile.calibration?.steps?.includes(s.id) ?? true)
    .map((s) => asCalibration(s, profile));
  return takersOf('calibration', family).map((id) => trialOf(id, 'calibration', 1, own, family));
}

/**
 * Kills and faults, each with fresh data. One case tells what they cost, and what subscribers receive is no write.
 * @param {Step[]} all of the profile
 * @param {string[]} order of the systems
 * @param {number} repeat
 * @param {Family} family
 * @returns {SingleTrial[]}
 */
function faultTrials(all, order, repeat, family) {
  const { workload, transport, input } = family;
  if (onlyDrive(workload, transport)) return [];
  const first = workload.cases && Object.keys(workload.cases)[0];
  const own = all.filter((s) => s.case === first);
  // A fault's rate is a share of the slower system's capacity: all of them were measured by now.
  const steps = [...own.filter((s) => s.kill), ...own.filter((s) => s.fault)];
  const canHave = (/** @type {Step} */ step, /** @type {string} */ id) =>
    input.systems.some((s) => s.id === id && cannotHave(step, s, input) === null);
  return steps.flatMap((step) =>
    order
      .filter((id) => canHave(step, id))
      .map((id) => trialOf(id, step.kill ? 'durability' : 'chaos', repeat, [step], family)),
  );
}

/**
 * @param {Step[]} steps
 * @param {string[]} racing systems that take part
 * @param {Family} family
 * @returns {SingleTrial[]} in which the syncs of those are counted whose manifest asks for figures of their life
 */
function syncTrials(steps, racing, family) {
  const { systems, stacks } = family.input;
  const step = syncStep(steps);
  if (!step || operationsThat(family.workload, (o) => o.items).length === 0) return [];
  return systems
    .filter((s) => s.engine === 'native' && racing.includes(s.id) && asks(stacks, s.id))
    .map((s) => trialOf(s.id, 'syscalls', 1, [step], family));
}

/**
 * @param {WorkloadFacts} workload
 * @param {PlannedSystem[]} systems
 * @param {Stack[]} stacks
 * @returns {string[]} over which any of the systems is measured
 */
export function transportsIn(workload, systems, stacks) {
  const own = systems.filter((s) => s.role === 'system');
  return [...new Set(own.flatMap(({ id }) => transportsOf(stacks, id, workload.id)))];
}

/**
 * @param {Step[]} steps
 * @param {WorkloadFacts} workload
 * @returns {number} operations that all of them measure
 */
function operationsIn(steps, workload) {
  return steps.flatMap((s) => windowGroups(workload, s).flatMap((g) => g.operations)).length;
}

/** Seconds under the tracer: some thousand syncs. */
const SYNC_COUNT_SEC = 3;

/**
 * @param {Step[]} steps
 * @returns {Step | null} the same load as on the widest step of at most 50 users, while syncs are counted
 */
function syncStep(steps) {
  const plain = steps.filter((s) => isClosed(s) && (s.depth ?? 1) === 1 && s.vus <= 50);
  const [widest] = plain.sort((a, b) => b.vus - a.vus);
  if (!widest) return null;
  const { vus, model } = widest;
  return { id: 'syncs', model, vus, durationSec: SYNC_COUNT_SEC, warmupSec: 0.5, focus: true };
}

/**
 * What the live outputs cost: the same load against a calibration target with and without them, in turns (ABBA).
 * Once for each campaign, on the first calibration.
 * @param {SingleTrial[]} family the other trials
 * @param {PlanInput} input
 * @returns {SingleTrial[]} none without live outputs
 */
export function observerTrials(family, { profile, options, workloads }) {
  const target = family.find((b) => b.role === 'calibration');
  const workload = workloads.find((w) => w.id === target?.workload);
  if (!target || !workload || !profile.observer || !options.live) return [];
  const { pairs, durationSec, vus } = profile.observer;
  const step = (/** @type {boolean} */ on) =>
    stepFor(
      { id: on ? 'telemetry-on' : 'telemetry-off', model: 'closed', vus, durationSec, warmupSec: 1 },
      workload,
      profile,
      options.operations,
    );
  return Array.from({ length: pairs }, (_, i) => {
    const steps = i % 2 === 0 ? [step(true), step(false)] : [step(false), step(true)];
    const { transport } = target;
    return trialOf(target.systems[0], 'observer', i + 1, steps, { workload, transport });
  });
}

/** @param {Step} step */
function isClosed(step) {
  return step.model === 'closed';
}

/**
 * @param {string} system
 * @param {CellPlan['role']} role
 * @param {number} repeat
 * @param {Step[]} steps
 * @param {Pick<Family, 'workload' | 'transport'>} family
 * @returns {SingleTrial}
 */
function trialOf(system, role, repeat, steps, { workload: { id: workload }, transport }) {
  const cells = steps.map((step) => ({
    id: [workload, transport, system, step.id, `r${repeat}`].join('.'),
    ...{ system, role, workload, transport, step, repeat },
    telemetry: step.id !== 'telemetry-off',
  }));
  return { systems: [system], workload, transport, repeat, role, cells };
}
