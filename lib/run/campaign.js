import { join } from 'node:path';
import { windowGroups } from '../../k6/schedule/facts.js';
import { needOf } from '../config/faults.js';
import { singleTrials } from '../config/trials.js';
import { BenchError } from '../errors.js';
import { nextPaired } from '../figures/side-by-side.js';
import { measureCeiling, measureLifecycle } from '../lifecycle/stage.js';
import { readTrace, syncCounter } from '../lifecycle/syncs.js';
import { loadKey } from '../plan/estimate.js';
import { fitted, fittingMs } from '../plan/fit.js';
import { removeNow } from '../process/child.js';
import { temporaryFolder } from '../process/temporary.js';
import { within } from '../process/within.js';
import { blankMeta } from '../record/conditions.js';
import { readWhole, recordOf, storeRecord } from '../record/records.js';
import { recordFiles, writeRaw } from '../record/run-folder.js';
import { writeJson } from '../store.js';
import { generatorCpusOf, measureCell } from './cell.js';
import { kneeOf, kneeUnknownOf, slowestKneeOf, targetRates } from './knee.js';
import { startPaired } from './starts.js';
import { askConforming, heldSystems, perform } from './trial.js';

/**
 * @import { CellMeta, CellPlan, CellRecord, PairedTrial, Plan, SingleTrial, Stack, StartRecord, WorkloadFacts } from '../types.d.ts'
 * @import { Instance } from '../engines/native.js'
 * @import { LiveView } from '../live/view.js'
 * @import { CellContext } from './cell.js'
 * @import { Place } from './starts.js'
 * @import { Held } from './trial.js'
 */

/** The load of a step without a schedule. */
const UNPACED = Object.freeze({ ratesPerSec: {}, kneeUnknown: [] });

/**
 * @typedef {object} Campaign
 * @property {Plan} plan
 * @property {string} runFolder
 * @property {string} k6
 * @property {AbortSignal} signal first Ctrl-C
 * @property {Promise<void>} interrupted the same as a promise
 * @property {CellContext['project']} project
 * @property {CellContext['cluster']} [cluster]
 * @property {CellContext['telemetry']} telemetry
 * @property {LiveView | null} [view] the runner's part of the live view
 * @property {import('./progress.js').Progress} progress
 * @property {(id: string) => Held} heldOf a system of the plan
 * @property {(id: string) => WorkloadFacts} workloadOf of the plan
 * @property {StartRecord[]} starts of systems side by side, when they are over
 * @property {Map<string, number>} fitting as in {@link import('./slices.js').Loaded}, from repeat to repeat as well
 * @property {Map<string, Promise<string | null>>} nonconforming filled on the way: system to why it gets no load, null for a pass
 */

/**
 * Runs the trials of the plan: those of several systems, as often as their comparisons need, then those of one in their order.
 * What was measured is on disk when a load ends.
 * @param {Omit<Campaign, 'heldOf' | 'workloadOf' | 'starts' | 'fitting' | 'nonconforming'> & {stacks: Stack[]}} given
 */
export async function runCampaign({ stacks, ...given }) {
  const { plan, signal } = given;
  /** @type {Campaign} */
  const campaign = {
    ...given,
    heldOf: heldSystems(plan, stacks),
    workloadOf: (id) => /** @type {WorkloadFacts} */ (plan.workloads.find((w) => w.id === id)),
    starts: [],
    fitting: new Map(),
    nonconforming: new Map(),
  };
  /** @type {CellRecord[]} */
  const records = [];
  await measureLifecycle(campaign, () => askConforming(campaign));
  for (const { trial, place } of trialsInTurn(campaign)) {
    if (signal.aborted) break;
    if (place) {
      const start = await startPaired(campaign, trial, place);
      campaign.starts.push(start);
      records.push(...start.alone);
    } else {
      await runSingle(trial, campaign, records);
      await measureCeiling(trial, campaign);
    }
  }
}

/**
 * @param {Campaign} campaign
 * @returns {Generator<{trial: PairedTrial, place: Place} | {trial: SingleTrial, place: null}>} the next one, as what was measured before it asks for
 */
function* trialsInTurn({ plan, starts }) {
  const began = Date.now();
  const { maxMinutes = null } = plan.sideBySide ?? {};
  while (plan.sideBySide) {
    const late = maxMinutes !== null && Date.now() - began > maxMinutes * 60_000;
    const next = nextPaired(plan, starts, late);
    if (next === null) break;
    yield { trial: next.group, place: { index: next.index, before: next.own } };
  }
  for (const trial of singleTrials(plan)) yield { trial, place: null };
}

/**
 * A trial of one system: its loads one after another.
 * @param {SingleTrial} planned
 * @param {Campaign} campaign
 * @param {CellRecord[]} records of the run so far, appended to
 */
async function runSingle(planned, campaign, records) {
  const { cells } = planned;
  const done = cells.flatMap(
    ({ id }) => /** @type {CellRecord[]} */ (readWhole(campaign.runFolder, id) ?? []),
  );
  records.push(...done);
  for (const { cell } of done) campaign.progress.skip(cell);
  const open = cells.filter(({ id }) => !done.some((record) => record.cell === id));
  const trial = { planned, held: campaign.heldOf(planned.systems[0]), open, campaign, records };
  const load = planned.role === 'syscalls' ? countSyncs : loadInTurn;
  while (open.length > 0 && !campaign.signal.aborted) await load(trial);
}

/**
 * As many of the loads that are open as the system lives through, up to one that runs again for longer: its system has fresh
 * data then.
 * @param {OneTrial} trial
 */
async function loadInTurn(trial) {
  const { held, open, campaign } = trial;
  const needs = needOf(open[0].step);
  await perform(campaign, { ...partOf(trial), howOf: () => ({ needs }) }, async ([instance]) => {
    let fits = true;
    do {
      await instance.demandThere?.();
      fits = await runCell(open[0], instance, trial);
      // One by its address may get the loads of another trial at once.
      if (open.length > 0 || held.system.engine === 'external')
        await within(campaign.plan.profile.coolDownSec * 1000, campaign.interrupted);
    } while (fits && open.length > 0 && instance.running() && !campaign.signal.aborted);
  });
}

/**
 * What a trial of one system needs.
 * @typedef {object} OneTrial
 * @property {SingleTrial} planned
 * @property {Held} held
 * @property {CellPlan[]} open what is left to load, in order
 * @property {Campaign} campaign
 * @property {CellRecord[]} records of the run so far, appended to
 */

/**
 * What fails is the result of the load whose turn it was.
 * @param {OneTrial} trial
 * @returns {import('./trial.js').Trial<Held>}
 */
function partOf(trial) {
  const { planned, held, open } = trial;
  const failed = (/** @type {BenchError} */ error) => {
    if (open.length === 0) throw error;
    fail(open[0], error, trial);
  };
  return { held: [held], transport: planned.transport, failed };
}

/**
 * A load on a system of its own that is being traced: the trace is whole when the system has ended.
 * @param {OneTrial} trial
 */
async function countSyncs(trial) {
  const { open, campaign } = trial;
  const [cell] = open;
  const counter = await syncCounter();
  if ('problem' in counter) {
    fail(cell, new BenchError(counter.problem), trial, 'unavailable');
    return;
  }
  const folder = temporaryFolder('trace');
  const trace = join(folder, 'syncs.txt');
  try {
    const howOf = () => ({ wrap: counter.wrap(trace) });
    const meta = await perform(campaign, { ...partOf(trial), howOf }, ([instance]) =>
      measureOne(cell, instance, trial, UNPACED),
    );
    if (!meta) return;
    writeJson(join(campaign.runFolder, recordFiles(cell.id).syncs), readTrace(trace));
    finish(cell, trial);
  } finally {
    removeNow(folder);
  }
}

/**
 * @param {CellPlan} planned
 * @param {Instance} instance
 * @param {OneTrial} trial
 * @returns {Promise<boolean>} false: its windows did not fit it, and it is to run again for longer
 */
async function runCell(planned, instance, trial) {
  const { campaign, records } = trial;
  const workload = campaign.workloadOf(planned.workload);
  const key = loadKey(planned, planned.step.id, [planned.system]);
  const known = campaign.fitting.get(key) ?? 0;
  const cell = fitted(planned, workload, known);
  const operations = windowGroups(workload, cell.step).flatMap((g) => g.operations);
  const knee = (cell.role === 'system' ? kneeOf : slowestKneeOf)(cell, records);
  const ratesPerSec = targetRates(cell, knee, operations, workload);
  if (cell.step.model === 'open' && Object.keys(ratesPerSec).length === 0) {
    fail(cell, new BenchError('no knee to take a share of: no closed step was measured'), trial);
    return true;
  }
  const load = { ratesPerSec, kneeUnknown: kneeUnknownOf(cell, knee, operations) };
  await measureOne(cell, instance, trial, load);
  const record = /** @type {CellRecord} */ (recordOf(campaign.runFolder, cell.id, campaign.plan));
  const windowMs = fittingMs(cell, record, campaign.plan);
  // A window that was asked for may come out a moment shorter.
  if (windowMs <= known || campaign.signal.aborted) {
    finish(cell, trial, record);
    return true;
  }
  campaign.view?.ended(cell, record);
  campaign.fitting.set(key, windowMs);
  campaign.progress.again(planned, record, fitted(planned, workload, windowMs));
  return false;
}

/**
 * @param {CellPlan} cell
 * @param {Instance} instance
 * @param {OneTrial} trial
 * @param {{ratesPerSec: Record<string, number>, kneeUnknown: string[]}} load
 * @returns {Promise<CellMeta>}
 */
async function measureOne(cell, instance, { planned, held, campaign }, load) {
  const alike = singleTrials(campaign.plan).filter((t) => t.repeat === cell.repeat && t.role === cell.role);
  const subject = {
    ...{ ...held, ...load, instance },
    workload: campaign.workloadOf(cell.workload),
    position: alike.indexOf(planned),
  };
  const view = cell.telemetry ? campaign.view : null;
  view?.started(cell, await instance.identity?.());
  return measureCell(cell, subject, {
    ...campaign,
    telemetry: cell.telemetry ? campaign.telemetry : { influxUrl: null, dashboardPort: null },
    onLive: (live) => campaign.progress.running(cell, live),
    onSample: (sample, generatorCores) => view?.sampled(cell, sample, generatorCores),
  });
}

/**
 * Raw files to a judged record, on disk and announced: that load is over.
 * @param {CellPlan} cell as it was loaded
 * @param {OneTrial} trial
 * @param {CellRecord} [known] where it was made of them already
 */
function finish(cell, { open, campaign, records }, known) {
  const { plan, runFolder, progress, view } = campaign;
  const record = /** @type {CellRecord} */ (storeRecord(runFolder, cell.id, plan, known));
  records.push(record);
  progress.ended(/** @type {CellPlan} */ (open.shift()), record);
  view?.ended(cell, record);
}

/**
 * That load got no load, which is its result.
 * @param {CellPlan} cell
 * @param {BenchError} error
 * @param {OneTrial} trial
 * @param {'failed' | 'unavailable'} [status]
 */
function fail(cell, error, trial, status = 'failed') {
  const { plan, runFolder } = trial.campaign;
  const { system } = trial.held;
  /** @type {CellMeta} */
  const meta = {
    ...blankMeta(cell, system),
    ...{ status, reason: error.message, logTail: error.detail },
    generatorCores: generatorCpusOf(plan, system),
  };
  writeRaw(runFolder, meta, []);
  finish(cell, trial);
}
