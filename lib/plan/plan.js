import { operationsThat, windowGroups } from '../../k6/schedule/facts.js';
import { plan as scheduleOf } from '../../k6/schedule/schedule.js';
import { onlyDrive, stepFor, stepsByCase } from '../../k6/schedule/steps.js';
import { peersOf } from '../config/peers.js';
import { METHOD_VERSION } from '../judge/method.js';
import { fromPods } from '../record/who-loads.js';
import { interleave } from './order.js';
import { leftOver, sideBySideOf, sideBySideSeconds } from './side-by-side.js';
import { asCalibration, leftOut, stepsOf, writesAny } from './steps.js';

/**
 * @import { Block, CellPlan, Plan, PlannedSystem, Profile, RunOptions, SideBySideGroup, Stack, Step, WorkloadFacts }
 *   from '../types.d.ts'
 */

/** Seconds that a k6 process and the checks before and after load take, beside the windows. */
const CELL_OVERHEAD_SEC = 0.5;
/** What pods take in addition: two looks and a load, each with its start, its logs and its end. */
const POD_OVERHEAD_SEC = 18;
const BRING_UP_SEC = 0.7;
/** How long a system idles after a cold start before its memory is read. */
export const SETTLE_SEC = 3;
/** Ten cold starts of one system, and what its storage does in a bare loop. */
const LIFECYCLE_SEC = Object.freeze({ starts: 1.5, ceiling: 10 });

/**
 * Everything that will be done, in order, before anything is done.
 * @param {object} input
 * @param {string} input.runId
 * @param {string} input.profileId
 * @param {string} [input.profileFile] name of the file, of a profile of the user's own
 * @param {Profile} input.profile
 * @param {number} input.repeats
 * @param {PlannedSystem[]} input.systems systems and calibration targets that can run
 * @param {Plan['absent']} input.absent
 * @param {WorkloadFacts[]} input.workloads the chosen ones
 * @param {Stack[]} input.stacks
 * @param {RunOptions} input.options
 * @param {number} input.hostCores CPUs that the run may use
 * @param {string | null} [input.powerLossMissing] why this machine has no disk that can lose its power or be full; null: it
 *   has
 * @param {string | null} [input.memoryLimitMissing] why memory cannot be limited here; null: it can
 * @param {import('../process/placement.js').Placement | {problem: string}} [input.placement] of this machine
 * @returns {Plan}
 */
export function createPlan(input) {
  const { profile, repeats, workloads } = input;
  const { plan: sideBySide, why: notSideBySide } = sideBySideOf(input);
  const paired = sideBySide?.groups ?? [];
  const family = workloads.flatMap((w) => blocksOf(w, input, paired));
  const blocks = [...observerBlocks(family, input), ...family];
  const measured = blocks.filter((b) => b.role === 'system' || b.role === 'durability' || b.role === 'chaos');
  const engines = new Set(input.systems.filter((s) => s.role === 'system').map((s) => s.engine));
  const factsOf = (/** @type {CellPlan} */ c) =>
    workloads.find((w) => w.id === c.workload) ?? { operations: { '': {} } };
  const overheadSec = CELL_OVERHEAD_SEC + (fromPods(input.options) ? POD_OVERHEAD_SEC : 0);
  const estimatedSec = blocks.reduce(
    (sum, b) =>
      sum +
      BRING_UP_SEC +
      b.cells.reduce(
        (s, c) => s + scheduleOf(c.step, profile, factsOf(c)).seconds + profile.coolDownSec + overheadSec,
        0,
      ),
    0,
  );
  const used = new Set([...blocks.map((b) => b.system), ...paired.flatMap((g) => g.systems)]);
  const lifecycle = lifecycleOf(input).filter((l) => used.has(l.system));
  const systems = input.systems.filter((s) => used.has(s.id));
  const peers = peersOf({ systems, absent: input.absent, workloads }, input.stacks);
  return {
    schemaVersion: 1,
    methodVersion: METHOD_VERSION,
    runId: input.runId,
    profileId: input.profileId,
    ...(input.profileFile ? { profileFile: input.profileFile } : {}),
    profile,
    repeats,
    orderSeed: profile.seed,
    engine: engines.size === 1 ? [...engines][0] : 'native',
    hostCores: input.hostCores,
    systems,
    ...(peers.length > 0 ? { peers } : {}),
    absent: [
      ...input.absent,
      ...neverKilled(input, used),
      ...faultsNotHad(input),
      ...powerNotLost(input),
      ...workloads.flatMap((w) => stepsLeftOut(w, input)),
    ],
    workloads: workloads.filter((w) => [...measured, ...paired].some((b) => b.workload === w.id)),
    blocks,
    ...(lifecycle.length > 0 ? { lifecycle } : {}),
    estimatedSec: Math.round(
      estimatedSec + lifecycleSeconds(lifecycle, input) + (sideBySide ? sideBySideSeconds(sideBySide) : 0),
    ),
    ...(sideBySide ? { sideBySide } : {}),
    ...(notSideBySide ? { notSideBySide } : {}),
    options: input.options,
  };
}

/**
 * @param {NonNullable<Plan['lifecycle']>} lifecycle
 * @param {Parameters<typeof createPlan>[0]} input
 * @returns {number}
 */
function lifecycleSeconds(lifecycle, { profile, repeats, stacks }) {
  const started = lifecycle.filter((l) => l.unavailable === null);
  const own = profile.ceilings === false ? [] : started;
  const ceilings = own.filter((l) => stacks.find((s) => s.id === l.system)?.manifest.lifecycle?.ceiling);
  const perSystem = LIFECYCLE_SEC.starts + settledStarts(repeats) * SETTLE_SEC;
  return started.length * perSystem + ceilings.length * repeats * LIFECYCLE_SEC.ceiling;
}

/**
 * @param {number} repeats
 * @returns {number} after how many of its cold starts a system idles
 */
export function settledStarts(repeats) {
  return Math.min(3, repeats);
}

/**
 * @param {Parameters<typeof createPlan>[0]} input
 * @param {Set<string>} used systems that have cells
 * @returns {Plan['absent']} systems that a profile of kills alone leaves out, and why
 */
function neverKilled({ profile, systems, stacks, workloads }, used) {
  if (!profile.steps.every((s) => s.kill) || profile.steps.every((s) => s.powerLoss)) return [];
  const own = (/** @type {string} */ id) =>
    workloads.filter((w) => stacks.find((s) => s.id === id)?.manifest.workloads[w.id]);
  return systems
    .filter((s) => s.role === 'system' && !used.has(s.id))
    .map((s) => ({
      system: s.id,
      status: /** @type {const} */ ('unsupported'),
      reason: whyNotKilled(restarts(stacks, s.id), own(s.id)),
    }));
}

/**
 * @param {Parameters<typeof createPlan>[0]} input
 * @returns {Plan['absent']} faults of the profile that a system cannot have, and why
 */
function faultsNotHad(input) {
  const { profile, systems } = input;
  return systems
    .filter((s) => s.role === 'system')
    .flatMap((s) =>
      profile.steps.flatMap((step) => {
        const reason = step.fault ? cannotHave(step, s, input) : null;
        const status = /** @type {const} */ ('unsupported');
        return reason === null ? [] : [{ system: `${s.id}, ${step.id}`, status, reason }];
      }),
    );
}

/**
 * @param {Parameters<typeof createPlan>[0]} input
 * @returns {Plan['absent']} systems that are killed, and cannot lose what was not synced with it, and why
 */
function powerNotLost({ profile, systems, stacks, powerLossMissing }) {
  if (!profile.steps.some((s) => s.powerLoss)) return [];
  return systems
    .filter((s) => s.role === 'system' && restarts(stacks, s.id))
    .flatMap((s) => {
      const reason = cannotLosePower(s, powerLossMissing);
      const status = /** @type {const} */ ('unavailable');
      return reason === null ? [] : [{ system: `${s.id}, loss of power`, status, reason }];
    });
}

/**
 * @param {PlannedSystem} system
 * @param {string | null | undefined} missing on this machine
 * @returns {string | null} null where its data can lie on a disk that loses its power
 */
function cannotLosePower({ engine }, missing) {
  if (engine === 'docker')
    return 'its data lies in a container’s volume, on a disk that cannot lose its power';
  if (engine !== 'native') return 'it was given by its address: its disk is not ours';
  return missing ?? null;
}

/** @type {Record<string, string>} what a fault is done to */
const HELD_BY = Object.freeze({
  kill: 'processes are',
  pause: 'processes are',
  memory: 'memory is',
  'disk-full': 'disk is',
});

/**
 * @param {Step} step with a fault
 * @param {PlannedSystem} system
 * @param {Pick<Parameters<typeof createPlan>[0], 'stacks' | 'powerLossMissing' | 'memoryLimitMissing'>} input
 * @returns {string | null} why the system cannot have it; null where it can
 */
function cannotHave({ fault }, { id, engine }, { stacks, powerLossMissing, memoryLimitMissing }) {
  const kind = fault?.kind;
  if (kind === 'slow-network' || kind === 'partition')
    return engine === 'docker' ? 'the load reaches it in the containers’ own network, past the faults' : null;
  if (engine !== 'native') return `its ${HELD_BY[kind ?? 'kill']} not ours with the engine ${engine}`;
  if (kind === 'disk-full' && powerLossMissing) return powerLossMissing;
  if (kind === 'memory' && memoryLimitMissing) return memoryLimitMissing;
  return kind === 'kill' && !restarts(stacks, id)
    ? 'it does not declare that it can be restarted on its data'
    : null;
}

/**
 * @param {WorkloadFacts} workload
 * @param {Parameters<typeof createPlan>[0]} input
 * @returns {Plan['absent']} of a workload that any of the systems takes part in
 */
function stepsLeftOut(workload, { profile, systems, stacks }) {
  const transports = transportsIn(workload, systems, stacks);
  return transports.length === 0 ? [] : leftOut(workload, profile, transports);
}

/**
 * @param {WorkloadFacts} workload
 * @param {PlannedSystem[]} systems
 * @param {Stack[]} stacks
 * @returns {string[]} over which any of the systems is measured
 */
function transportsIn(workload, systems, stacks) {
  const own = systems.filter((s) => s.role === 'system').map((s) => s.id);
  const manifests = own.flatMap((id) => stacks.find((s) => s.id === id)?.manifest ?? []);
  return [...new Set(manifests.flatMap((m) => m.workloads[workload.id]?.transports ?? []))];
}

/**
 * @param {boolean} restartable
 * @param {WorkloadFacts[]} workloads that the system takes
 * @returns {string}
 */
function whyNotKilled(restartable, workloads) {
  if (!restartable) return 'it does not declare that it can be restarted on its data';
  if (workloads.every((w) => !writesAny(w))) return 'its workloads write nothing that a kill could lose';
  return 'its workloads end with a count of operations, which may be over before the kill';
}

/**
 * @param {WorkloadFacts} workload
 * @param {Parameters<typeof createPlan>[0]} input
 * @param {SideBySideGroup[]} paired what is measured side by side
 * @returns {Block[]} of the rest: the calibrations first, then the repeats
 */
function blocksOf(workload, input, paired) {
  const { profile, repeats, systems, stacks, options, powerLossMissing } = input;
  const transportsOf = (/** @type {string} */ id) =>
    stacks.find((s) => s.id === id)?.manifest.workloads[workload.id]?.transports ?? [];
  const ofRole = (/** @type {string} */ role) => systems.filter((s) => s.role === role).map((s) => s.id);
  const transports = transportsIn(workload, systems, stacks);
  const planned = (/** @type {string} */ id) =>
    /** @type {PlannedSystem} */ (systems.find((s) => s.id === id));
  const canHave = (/** @type {Step} */ step, /** @type {string} */ id) =>
    !step.powerLoss || cannotLosePower(planned(id), powerLossMissing) === null;
  /** @type {Block[]} */
  const blocks = [];
  for (const transport of transports) {
    const all = stepsByCase(workload, stepsOf(workload, profile, options.operations), transport);
    const whole = all.filter((s) => !s.kill && !s.fault);
    const racing = ofRole('system').filter((s) => transportsOf(s).includes(transport));
    const leftFor = (/** @type {string} */ id) =>
      whole.flatMap((s) =>
        leftOver(
          s,
          workload,
          transport,
          paired.filter((g) => g.systems.includes(id)),
        ),
      );
    const stepsFor = (/** @type {string} */ id) =>
      leftFor(id).filter((s) => !s.background || hasBackground(stacks, id));
    // A reference stands beside whatever any system is measured on alone, or beside what the profile says.
    const isReferred = (/** @type {Step} */ s) => profile.calibration?.steps?.includes(s.id) ?? true;
    const steps = (
      racing.map(leftFor).sort((a, b) => operationsIn(b, workload) - operationsIn(a, workload))[0] ?? []
    ).filter(isReferred);
    // One case tells what a kill costs, and what subscribers receive is no write.
    const first = workload.cases && Object.keys(workload.cases)[0];
    const kills = onlyDrive(workload, transport) ? [] : all.filter((s) => s.kill && s.case === first);
    const faults = onlyDrive(workload, transport) ? [] : all.filter((s) => s.fault && s.case === first);
    if (all.length === 0) continue;
    const calibrations = (/** @type {(step: Step) => boolean} */ chosen) =>
      ofRole('calibration')
        .filter((c) => transportsOf(c).includes(transport))
        .map((id) =>
          blockOf(
            id,
            'calibration',
            workload,
            transport,
            1,
            steps.filter(chosen).map((s) => asCalibration(s, profile)),
          ),
        );
    blocks.push(...calibrations(isClosed));
    for (const [r, order] of interleave(racing, repeats, profile.seed).entries()) {
      // A rate that is a share of the slowest system's maximum is known when all have been measured.
      const waiting = racing.length > 1 ? isShareOfKnee : () => false;
      for (const part of [(/** @type {Step} */ s) => !waiting(s), waiting])
        blocks.push(
          ...order.map((id) => blockOf(id, 'system', workload, transport, r + 1, stepsFor(id).filter(part))),
        );
      // The null responder at the same rates, once these are known: below it no two latencies can be told apart.
      if (r === 0) blocks.push(...calibrations((s) => s.model === 'open' && !s.soak && !s.background));
      // Each kill begins with fresh data.
      for (const step of kills)
        for (const id of order.filter((x) => restarts(stacks, x) && canHave(step, x)))
          blocks.push(blockOf(id, 'durability', workload, transport, r + 1, [step]));
      // The rate is a share of the slower system's capacity: all of them were measured by now.
      for (const step of faults)
        for (const id of order.filter((x) => cannotHave(step, planned(x), input) === null))
          blocks.push(blockOf(id, 'chaos', workload, transport, r + 1, [step]));
    }
    const counted = systems.filter(
      (s) => s.engine === 'native' && racing.includes(s.id) && asks(stacks, s.id),
    );
    const step = syncStep(whole);
    if (step && operationsThat(workload, (o) => o.items).length > 0)
      blocks.push(...counted.map((s) => blockOf(s.id, 'syscalls', workload, transport, 1, [step])));
  }
  return blocks.filter((b) => b.cells.length > 0);
}

/**
 * @param {Step[]} steps
 * @param {WorkloadFacts} workload
 * @returns {number} operations that all of them measure
 */
function operationsIn(steps, workload) {
  return steps.reduce(
    (sum, s) => sum + windowGroups(workload, s).reduce((n, g) => n + g.operations.length, 0),
    0,
  );
}

/**
 * @param {Stack[]} stacks
 * @param {string} id
 * @returns {boolean}
 */
function restarts(stacks, id) {
  return stacks.find((s) => s.id === id)?.manifest.restart === true;
}

/**
 * @param {Stack[]} stacks
 * @param {string} id
 * @returns {boolean} whether something can keep it busy beside the load
 */
function hasBackground(stacks, id) {
  return stacks.find((s) => s.id === id)?.manifest.background !== undefined;
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
  return { id: 'syncs', model, vus, durationSec: SYNC_COUNT_SEC, warmupSec: 1, focus: true };
}

/**
 * @param {Stack[]} stacks
 * @param {string} id
 */
function asks(stacks, id) {
  return stacks.find((s) => s.id === id)?.manifest.lifecycle !== undefined;
}

/**
 * @param {Parameters<typeof createPlan>[0]} input
 * @returns {{system: string, unavailable: string | null}[]} systems whose manifest asks for lifecycle figures
 */
function lifecycleOf({ systems, stacks }) {
  return systems
    .filter((s) => s.role === 'system' && asks(stacks, s.id))
    .map(({ id, engine }) => ({
      system: id,
      unavailable:
        engine === 'native'
          ? null
          : `start-up, idle memory and size are measured with the engine native, not ${engine}`,
    }));
}

/**
 * What the live outputs cost: the same load against a calibration target with and without them, in turns (ABBA).
 * Once for each campaign, on the first calibration.
 * @param {Block[]} family the other blocks
 * @param {Parameters<typeof createPlan>[0]} input
 * @returns {Block[]} none without live outputs
 */
function observerBlocks(family, { profile, options, workloads }) {
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
    const cells = cellsOf(target.system, 'observer', target.workload, target.transport, i + 1, steps);
    return { ...target, role: /** @type {const} */ ('observer'), repeat: i + 1, cells };
  });
}

/** @param {Step} step */
function isShareOfKnee(step) {
  return step.model === 'open' && step.fractionOfKnee !== undefined;
}

/** @param {Step} step */
function isClosed(step) {
  return step.model === 'closed';
}

/**
 * @param {string} system
 * @param {CellPlan['role']} role
 * @param {WorkloadFacts} workload
 * @param {string} transport
 * @param {number} repeat
 * @param {Step[]} steps
 * @returns {Block}
 */
function blockOf(system, role, workload, transport, repeat, steps) {
  const cells = cellsOf(system, role, workload.id, transport, repeat, steps);
  return { system, workload: workload.id, transport, repeat, role, cells };
}

/**
 * @param {string} system
 * @param {CellPlan['role']} role
 * @param {string} workload
 * @param {string} transport
 * @param {number} repeat
 * @param {Step[]} steps
 * @returns {CellPlan[]}
 */
function cellsOf(system, role, workload, transport, repeat, steps) {
  return steps.map((step) => ({
    id: [workload, transport, system, step.id, `r${repeat}`].join('.'),
    system,
    role,
    workload,
    transport,
    step,
    repeat,
    telemetry: step.id !== 'telemetry-off',
  }));
}
