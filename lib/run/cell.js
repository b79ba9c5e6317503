import { existsSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { plan as scheduleOf } from '../../k6/schedule/schedule.js';
import { watchedOf } from '../engines/watched.js';
import { causeOf } from '../errors.js';
import { startLoad } from '../generator/load.js';
import { scriptProblem } from '../generator/script.js';
import { watchSystemPods } from '../kubernetes/system-pods.js';
import { SCRIPT } from '../plan/script.js';
import { ownCpus } from '../process/cpu-limit.js';
import { measuredMeta } from '../record/conditions.js';
import { k6PageOf, recordFiles, writeRaw } from '../record/run-folder.js';
import { fromPods, runnersOf } from '../record/who-loads.js';
import { startContainerSampler } from '../sample/containers.js';
import { startSampler } from '../sample/sampler.js';
import { idleCoresOf } from '../sample/threads.js';
import { makeFolder } from '../store.js';
import { startBackground } from './background.js';
import { callOf } from './call.js';
import { loadUnderFault } from './chaos.js';
import { killUnderLoad } from './durability.js';
import { endOf, failed } from './ends.js';
import { idleAtRest } from './rest.js';
import { untakenSettings } from './settings-taken.js';
import { driveTogether } from './shared-load.js';

/**
 * @import { CellMeta, CellPlan, Plan, PlannedSystem, Stack, WorkloadFacts } from '../types.d.ts'
 * @import { Instance } from '../engines/native.js'
 * @import { GeneratorProcess } from '../generator/generator.js'
 * @import { Outcome } from './ends.js'
 */

/**
 * @typedef {object} Sampler
 * @property {(generator: Pick<GeneratorProcess, 'watched' | 'container'>) => void} watch
 * @property {() => import('../types.d.ts').ResourceSample[] | Promise<import('../types.d.ts').ResourceSample[]>} stop
 */

/** @typedef {Partial<Pick<CellMeta, 'status' | 'reason' | 'logTail' | 'k6ExitCode' | 'generators' | 'containers'
 *   | 'systemPods' | 'background' | 'recovery' | 'chaos' | 'idleCores' | 'restarted'>>
 *   & {samples?: import('../types.d.ts').ResourceSample[]}} Found */
/** @typedef {Found & Outcome} CellOutcome what a cell came to */

/** Neither the load nor the system is on this machine: what it does says nothing of them. @type {Sampler} */
const NOTHING_HERE = Object.freeze({ watch: () => {}, stop: () => [] });

/** How long a system is looked at before its load, to see what it takes by itself. */
const IDLE_MS = 150;

/** What a k6 process may take beyond its windows before it is taken for stuck. */
const GRACE_SEC = 90;

/**
 * @typedef {object} CellContext
 * @property {Plan} plan
 * @property {string} runFolder
 * @property {string} k6 path of the binary
 * @property {AbortSignal} signal first Ctrl-C
 * @property {Promise<void>} interrupted the same as a promise
 * @property {import('../engines/docker/project.js').Project | null} project of the run's containers; null without any
 * @property {import('../kubernetes/cluster.js').OpenCluster | null} [cluster] where the load comes from pods
 * @property {{influxUrl: string | null, dashboardPort: number | null, networkInfluxUrl?: string | null}} telemetry
 *   `networkInfluxUrl`: the same store as a generator in the containers' network reaches it
 * @property {(sample: import('../types.d.ts').ResourceSample, generatorCores: number) => void} [onSample]
 * @property {(live: import('../generator/load.js').Live | null) => void} onLive
 */

/**
 * A system, and what it is asked for.
 * @typedef {object} Subject
 * @property {Stack} stack
 * @property {PlannedSystem} system
 * @property {Instance} instance
 * @property {WorkloadFacts} workload
 * @property {Record<string, number>} ratesPerSec
 * @property {string[]} kneeUnknown
 * @property {number} position
 */

/**
 * Measures one cell and writes its raw files.
 * @param {CellPlan} cell
 * @param {Subject} subject
 * @param {CellContext} context
 * @returns {Promise<CellMeta>}
 */
export async function measureCell(cell, subject, context) {
  const { runFolder } = context;
  const page = pageOf(cell, context);
  makeFolder(join(runFolder, 'raw'));
  if (page) makeFolder(dirname(page));
  const old = Object.values(recordFiles(cell.id)).map((file) => join(runFolder, file));
  for (const file of page ? [...old, page] : old) rmSync(file, { force: true });
  const startedAt = new Date();
  const { samples = [], ...outcome } = await outcomeOf(cell, subject, context);
  const k6Html = page && existsSync(page) ? { k6Html: /** @type {const} */ (true) } : {};
  const meta = metaOf(cell, subject, context, { ...outcome, ...k6Html, startedAt });
  writeRaw(runFolder, meta, samples);
  return meta;
}

/**
 * @param {CellPlan} cell
 * @param {Subject} subject
 * @param {CellContext} context
 * @returns {Promise<CellOutcome>}
 */
async function outcomeOf(cell, subject, context) {
  if (cell.role !== 'durability' && cell.role !== 'chaos') return loadWatched(cell, subject, context);
  const load = cell.role === 'chaos' ? loadUnderFault : killUnderLoad;
  return load(cell, subject, context).catch((error) => failed(causeOf(error), subject.instance));
}

/**
 * State check, warm-up, load, state check are one k6 process, or several; what system and load take is sampled.
 * @param {CellPlan} cell
 * @param {Subject} subject
 * @param {CellContext} context
 * @returns {Promise<CellOutcome>}
 */
async function loadWatched(cell, subject, context) {
  const { instance, workload } = subject;
  const { plan } = context;
  const containers = await instance.identity?.();
  // Where a system tells who it is, it may be another one afterwards, or say so no more.
  const mark = await instance.mark?.();
  const idleCores = await idleOf(instance, context);
  const generatorCores = generatorCpusOf(plan, subject.system);
  const sampler = fromPods(plan.options)
    ? NOTHING_HERE
    : samplerOf(instance, {
        everyMs: samplingMs(cell, workload, plan),
        onSample: (sample) => context.onSample?.(sample, generatorCores),
        ...(cell.step.footprint || cell.step.soak ? { diskBytes: instance.diskBytes } : {}),
        ...(cell.step.soak ? { openFiles: true } : {}),
      });
  const pods = context.cluster ? watchSystemPods(context.cluster.where, instance.url) : null;
  const background = await startBackground(cell, subject);
  const limitSec = scheduleOf(cell.step, plan.profile, workload).limitSec + GRACE_SEC;
  const drive = runnersOf(cell, plan) > 1 || fromPods(plan.options) ? driveTogether : driveAlone;
  /** @type {Found} */
  let more = {};
  /** @type {Partial<import('./background.js').BackgroundOutcome>} */
  let beside = {};
  const driven = await drive(cell, subject, context, { sampler, limitSec }).finally(async () => {
    const samples = await sampler.stop();
    const systemPods = await pods?.stop();
    more = { samples, ...(systemPods ? { systemPods } : {}) };
    beside = (await background?.end(context.signal.aborted ? 0 : undefined)) ?? {};
  });
  const restarted =
    JSON.stringify(containers) !== JSON.stringify(await instance.identity?.()) ||
    (Boolean(mark) && mark !== (await instance.mark?.()));
  return {
    ...{ ...driven, ...(driven.status === 'ok' ? beside : {}) },
    ...{ ...more, containers, restarted, idleCores },
  };
}

/**
 * @param {CellPlan} cell
 * @param {CellContext} context
 * @returns {string | null} absolute: where k6 writes its own page; null where it is not asked to, or is not to be watched
 */
function pageOf({ id, telemetry }, { plan, runFolder }) {
  return plan.profile.k6Html && telemetry ? join(runFolder, k6PageOf(id)) : null;
}

/**
 * @param {Instance} instance
 * @param {CellContext} context
 * @returns {Promise<number | null>} CPU that it takes at rest, in cores; null of what is not all ours to see
 */
async function idleOf(instance, { signal, plan }) {
  const watched = watchedOf(instance);
  const { restSec } = plan.profile;
  const options = { signal, ...(restSec === undefined ? {} : { loadedMs: restSec * 1000 }) };
  const look = async () => (await idleCoresOf([watched], IDLE_MS))[0];
  return watched && idleAtRest(instance, look, options);
}

/**
 * Short windows need close samples: their CPU is read off between two of them.
 * @param {CellPlan} cell
 * @param {WorkloadFacts} workload
 * @param {Plan} plan
 * @returns {number}
 */
function samplingMs({ step }, workload, { profile }) {
  if (step.durationSec !== undefined && step.durationSec > 300) return 1000;
  if (step.durationSec !== undefined) return step.durationSec < 15 ? 200 : 500;
  const { seconds } = scheduleOf(step, profile, workload);
  if (seconds < 5) return 50;
  return seconds < 30 ? 200 : 500;
}

/**
 * By this machine's own files wherever they show the system; else by the engine's API.
 * @param {Instance} instance
 * @param {{everyMs: number, onSample: (sample: import('../types.d.ts').ResourceSample) => void,
 *   diskBytes?: () => Promise<number | null>, openFiles?: boolean}} options
 * @returns {Sampler}
 */
function samplerOf(instance, options) {
  const { containers } = instance;
  return !containers || containers.views
    ? startSampler({ system: () => watchedOf(instance), ...options })
    : startContainerSampler({ socket: containers.socket, system: containers.ids, ...options });
}

/**
 * One k6 does all of it.
 * @param {CellPlan} cell
 * @param {Subject} subject
 * @param {CellContext} context
 * @param {{sampler: Sampler, limitSec: number}} options `limitSec`: when the load is taken for stuck
 * @returns {Promise<Outcome>}
 */
async function driveAlone(cell, subject, context, { sampler, limitSec }) {
  const { plan, runFolder, telemetry } = context;
  const call = callOf(cell, subject, context);
  const load = await startLoad({ ...call, telemetry, page: pageOf(cell, context) });
  if (load.seen) sampler.watch(load.seen);
  const histograms = join(runFolder, recordFiles(cell.id).histograms);
  const { outcome } = await endOf(load, {
    ...context,
    instances: [subject.instance],
    limitSec,
    problemOf: ({ k6ExitCode }) => (plan.options.script ? scriptProblem(histograms, k6ExitCode) : null),
  });
  return outcome;
}

/**
 * @param {CellPlan} cell
 * @param {Subject} subject
 * @param {CellContext} context
 * @param {CellOutcome & {startedAt: Date, k6Html?: true}} outcome
 * @returns {CellMeta}
 */
function metaOf(cell, subject, { plan, telemetry }, { startedAt, ...found }) {
  const { system, instance, ratesPerSec, kneeUnknown, position } = subject;
  const drive = cell.step.drive ?? plan.profile.drive;
  const targets = Object.values(ratesPerSec);
  const { version, stated } = instance;
  const server = { version, stated: stated?.settings };
  const untaken = untakenSettings(subject.stack, system, instance);
  const standIns = standInsInImages(subject, plan);
  return {
    ...measuredMeta(cell, system, server, {
      client: `${clientText(drive, plan)}${runnersText(cell, plan)}`,
      ...{ drive, product: productOf(system, subject.stack, cell) },
      targetPerSec: targets.length > 0 ? targets.join('/') : null,
      cpuLimit: instance.limits?.cpus ?? null,
      memoryLimit: system.evictsAt ?? instance.limits?.memoryBytes ?? null,
      generatorCpus: coresOfLoad(cell, plan, system),
    }),
    ...{ position, idleCores: null },
    ...found,
    startedAt: startedAt.toISOString(),
    durationMs: Date.now() - startedAt.getTime(),
    ...(standIns.length > 0 ? { standIns } : {}),
    ...(system.engine === 'external' && stated?.settings ? { stated: stated.settings } : {}),
    ...(instance.given ? { processes: instance.given.names } : {}),
    ...(untaken.length > 0 ? { untaken } : {}),
    generatorCores: coresOfLoad(cell, plan, system),
    targetPerSec: ratesPerSec,
    ...(kneeUnknown.length > 0 ? { kneeUnknown } : {}),
    telemetry: { influx: telemetry.influxUrl !== null, dashboard: telemetry.dashboardPort !== null },
  };
}

/**
 * @param {Subject} subject
 * @param {Plan} plan
 * @returns {string[]} what its images have in the place of a storage
 */
function standInsInImages({ system, stack }, { docker }) {
  if (system.engine !== 'docker') return [];
  const variables = Object.keys(stack.manifest.docker?.images ?? {});
  return variables.flatMap((variable) => docker?.images[variable]?.standsIn ?? []);
}

/**
 * @param {PlannedSystem} system
 * @param {Stack} stack
 * @param {CellPlan} cell
 * @returns {string} what servers of unlike names have in common that are driven as one: the folder, or the user's script
 */
function productOf(system, stack, { workload, transport }) {
  return transport === SCRIPT ? workload : (system.like ?? stack.base);
}

/**
 * @param {string} drive
 * @param {Plan} plan
 * @returns {string}
 */
function clientText(drive, { options }) {
  const beside = options.outputs ? `, --out ${options.outputs.join(', ')}` : '';
  if (options.script) return `k6, by a script${beside}`;
  return `${drive === 'burst' ? 'k6/x/burst' : 'the client library of the stack'}${beside}`;
}

/**
 * @param {CellPlan} cell
 * @param {Plan} plan
 * @returns {string} several generators are another client than one
 */
function runnersText(cell, plan) {
  const runners = runnersOf(cell, plan);
  if (fromPods(plan.options)) return `, ${runners} pods`;
  return runners > 1 ? `, ${runners} runners` : '';
}

/**
 * @param {CellPlan} cell
 * @param {Plan} plan
 * @param {PlannedSystem} system
 * @returns {number} CPUs that all generators of a load may use
 */
function coresOfLoad(cell, plan, system) {
  const { cpus = 1 } = plan.options.generators ?? {};
  return fromPods(plan.options) ? runnersOf(cell, plan) * cpus : generatorCpusOf(plan, system);
}

/**
 * @param {Plan} plan
 * @param {PlannedSystem} system
 * @returns {number} CPUs that the generator may use against this system
 */
export function generatorCpusOf(plan, system) {
  const inContainer = system.engine === 'docker' ? plan.docker?.generatorCpus : undefined;
  return plan.options.generatorCpus ?? inContainer ?? ownCpus();
}
