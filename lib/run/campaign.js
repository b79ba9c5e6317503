import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { windowGroups } from '../../k6/schedule/facts.js';
import { startSystem } from '../engines/index.js';
import { BenchError } from '../errors.js';
import { measureCeiling, measureLifecycle } from '../lifecycle/stage.js';
import { readTrace, syncCounter } from '../lifecycle/syncs.js';
import { removeNow } from '../process/child.js';
import { temporaryFolder } from '../process/temporary.js';
import { within } from '../process/within.js';
import { recordOf } from '../record/recompute.js';
import { cellFiles, readRecord, writeConformance, writeRaw } from '../record/run-folder.js';
import { isWhole } from '../record/whole.js';
import { writeJson } from '../store.js';
import { generatorCpusOf, measureCell } from './cell.js';
import { measureFault, preparedFault } from './chaos.js';
import { checkConformance, conformanceProblem } from './conformance.js';
import { measureRecovery } from './durability.js';
import { kneeOf, kneeUnknownOf, slowestKneeOf, targetRates } from './knee.js';
import { measureStarts } from './starts.js';

/**
 * @import { Block, CellMeta, CellPlan, CellRecord, Plan, Stack } from '../types.d.ts'
 * @import { Instance } from '../engines/native.js'
 * @import { LiveView } from '../live/view.js'
 * @import { CellContext } from './cell.js'
 * @import { StartProgress } from './start-progress.js'
 */

/** The load of a step without a schedule. */
const UNPACED = Object.freeze({ ratesPerSec: {}, kneeUnknown: [] });

/**
 * @typedef {object} Campaign
 * @property {Plan} plan
 * @property {Stack[]} stacks
 * @property {string} runFolder
 * @property {string} k6
 * @property {AbortSignal} signal first Ctrl-C
 * @property {Promise<void>} interrupted the same as a promise
 * @property {CellContext['project']} project
 * @property {CellContext['cluster']} [cluster]
 * @property {CellContext['telemetry']} telemetry
 * @property {LiveView | null} [view] the runner's part of the live view
 * @property {{running: (cell: CellPlan, live: any) => void, ended: (cell: CellPlan, record: CellRecord) => void,
 *   skip: (n: number) => void, say: (text: string) => void} & StartProgress} progress
 * @property {import('../types.d.ts').StartRecord[]} [starts] of systems side by side, when they are over
 * @property {Map<string, number>} fitting as in {@link import('./slices.js').Loaded}
 * @property {Map<string, string | null>} [nonconforming] filled on the way: system to why it gets no load, null for a pass
 */

/**
 * Runs the plan's blocks in order, one system up at a time. What was measured is on disk when a cell ends.
 * @param {Campaign} campaign
 * @returns {Promise<CellRecord[]>} of this run, those of an earlier invocation included
 */
export async function runCampaign(campaign) {
  /** @type {CellRecord[]} */
  const records = [];
  await measureLifecycle(campaign, campaign.progress.say);
  campaign.starts = await measureStarts(campaign);
  for (const block of campaign.plan.blocks) {
    if (campaign.signal.aborted) break;
    await runBlock(block, campaign, records);
    await measureCeiling(block, campaign);
  }
  return records;
}

/**
 * @param {Block} block
 * @param {Campaign} campaign
 * @param {CellRecord[]} records appended to
 */
async function runBlock(block, campaign, records) {
  const { done, open } = splitDone(block, campaign);
  records.push(...done);
  campaign.progress.skip(done.length);
  if (block.role === 'syscalls') {
    for (const cell of open) await countSyncs(cell, block, campaign, records);
    return;
  }
  if (open.length > 0 && !(await conforms(block, campaign))) {
    const error = new BenchError(campaign.nonconforming?.get(block.system) ?? '');
    for (const cell of open) finish(failedMeta(cell, error, campaign), campaign, records);
    return;
  }
  /** @type {Instance | null} */
  let instance = null;
  try {
    for (const cell of open) {
      if (campaign.signal.aborted) break;
      if (instance && !instance.running()) {
        await instance.stop();
        instance = null;
      }
      try {
        instance ??= await bringUp(block, campaign);
        await instance.demandThere?.();
      } catch (error) {
        if (campaign.signal.aborted) break;
        if (!(error instanceof BenchError)) throw error;
        finish(failedMeta(cell, error, campaign), campaign, records);
        continue;
      }
      await runCell(cell, block, instance, campaign, records);
      await coolDown(campaign);
    }
  } finally {
    await instance?.stop();
  }
}

/**
 * Once for each system, on an instance of its own.
 * @param {Block} block
 * @param {Campaign} campaign
 * @returns {Promise<boolean>} false: `campaign.nonconforming` has the reason
 */
async function conforms(block, campaign) {
  campaign.nonconforming ??= new Map();
  const { nonconforming, stacks, signal, plan } = campaign;
  const stack = /** @type {Stack} */ (stacks.find((s) => s.id === block.system));
  if (!stack.manifest.conformance || block.role !== 'system' || signal.aborted) return true;
  if (!nonconforming.has(block.system)) {
    try {
      const instance = await bringUp(block, campaign);
      const ours = plan.systems.find((s) => s.id === block.system)?.engine !== 'external';
      const outcome = await checkConformance(stack, instance, { ours }).finally(() => instance.stop());
      writeConformance(campaign.runFolder, outcome);
      nonconforming.set(block.system, conformanceProblem(outcome));
    } catch (error) {
      // What does not start is reported with its cells.
      if (!(error instanceof BenchError)) throw error;
      nonconforming.set(block.system, null);
    }
  }
  return nonconforming.get(block.system) === null;
}

/**
 * The load of a cell on a system of its own that is being traced: the trace is whole when the system has ended.
 * @param {CellPlan} cell
 * @param {Block} block
 * @param {Campaign} campaign
 * @param {CellRecord[]} records appended to
 */
async function countSyncs(cell, block, campaign, records) {
  const counter = await syncCounter();
  if ('problem' in counter) {
    const meta = failedMeta(cell, new BenchError(counter.problem), campaign);
    finish({ ...meta, status: 'unavailable' }, campaign, records);
    return;
  }
  const folder = temporaryFolder('trace');
  const trace = join(folder, 'syncs.txt');
  try {
    const instance = await bringUp(block, campaign, counter.wrap(trace));
    const meta = await measureOne(cell, block, instance, campaign, UNPACED).finally(() => instance.stop());
    writeJson(join(campaign.runFolder, cellFiles(cell.id).syncs), readTrace(trace));
    finish(meta, campaign, records, false);
  } catch (error) {
    if (campaign.signal.aborted) return;
    if (!(error instanceof BenchError)) throw error;
    finish(failedMeta(cell, error, campaign), campaign, records);
  } finally {
    removeNow(folder);
  }
}

/**
 * @param {Block} block
 * @param {Campaign} campaign
 * @returns {{done: CellRecord[], open: CellPlan[]}} cells with a whole result are not measured again
 */
function splitDone(block, { runFolder }) {
  /** @type {CellRecord[]} */
  const done = [];
  const open = block.cells.filter((cell) => {
    const path = join(runFolder, cellFiles(cell.id).result);
    const record = existsSync(path) ? readRecord(runFolder, cell) : null;
    if (!record || !isWhole(record)) return true;
    done.push(record);
    return false;
  });
  return { done, open };
}

/**
 * @param {Block} block
 * @param {Campaign} campaign
 * @param {(command: string[]) => string[]} [wrap] a program that watches it
 * @returns {Promise<Instance>}
 */
function bringUp(block, { plan, stacks, project, signal }, wrap) {
  const stack = /** @type {Stack} */ (stacks.find((s) => s.id === block.system));
  const planned = /** @type {Plan['systems'][number]} */ (plan.systems.find((s) => s.id === block.system));
  return startSystem(stack, planned, {
    transport: block.transport,
    options: plan.options,
    project,
    signal,
    wrap,
    // A fresh system for each kill and each fault: a block of one cell.
    fault: preparedFault(block.cells[0].step),
  });
}

/**
 * @param {Campaign} campaign
 * @returns {CellRecord[]} what each system did alone in its starts, before any repeat; other data are another load
 */
function aloneOf({ starts = [] }) {
  return starts
    .flatMap((s) => s.alone)
    .filter(({ step }) => step.dataset === undefined)
    .map((record) => ({ ...record, repeat: 0 }));
}

/**
 * @param {CellPlan} cell
 * @param {Block} block
 * @param {Instance} instance
 * @param {Campaign} campaign
 * @param {CellRecord[]} records
 */
async function runCell(cell, block, instance, campaign, records) {
  const { plan } = campaign;
  const workload = /** @type {Plan['workloads'][number]} */ (
    plan.workloads.find((w) => w.id === cell.workload)
  );
  const operations = windowGroups(workload, cell.step).flatMap((g) => g.operations);
  const knee = (cell.role === 'system' ? kneeOf : slowestKneeOf)(cell, [...records, ...aloneOf(campaign)]);
  const ratesPerSec = targetRates(cell, knee, operations, workload);
  if (cell.step.model === 'open' && Object.keys(ratesPerSec).length === 0) {
    const error = new BenchError('no knee to take a share of: no closed step was measured');
    finish(failedMeta(cell, error, campaign), campaign, records);
    return;
  }
  const load = { ratesPerSec, kneeUnknown: kneeUnknownOf(cell, knee, operations) };
  finish(await measureOne(cell, block, instance, campaign, load), campaign, records, false);
}

/**
 * @param {CellPlan} cell
 * @param {Block} block
 * @param {Instance} instance
 * @param {Campaign} campaign
 * @param {{ratesPerSec: Record<string, number>, kneeUnknown: string[]}} load
 * @returns {Promise<CellMeta>}
 */
async function measureOne(cell, block, instance, campaign, load) {
  const { plan } = campaign;
  const subject = {
    stack: /** @type {Stack} */ (campaign.stacks.find((s) => s.id === cell.system)),
    system: /** @type {Plan['systems'][number]} */ (plan.systems.find((s) => s.id === cell.system)),
    instance,
    workload: /** @type {Plan['workloads'][number]} */ (plan.workloads.find((w) => w.id === cell.workload)),
    ...load,
    position: plan.blocks.filter((b) => b.repeat === cell.repeat && b.role === block.role).indexOf(block),
  };
  const view = cell.telemetry ? campaign.view : null;
  view?.started(
    cell,
    ((await instance.identity?.()) ?? []).map((c) => c.name),
  );
  return measureOf(cell.role)(cell, subject, {
    plan,
    runFolder: campaign.runFolder,
    k6: campaign.k6,
    signal: campaign.signal,
    interrupted: campaign.interrupted,
    project: campaign.project,
    cluster: campaign.cluster,
    telemetry: cell.telemetry ? campaign.telemetry : { influxUrl: null, dashboardPort: null },
    onLive: (live) => campaign.progress.running(cell, live),
    onSample: (sample, generatorCores) => view?.sampled(cell, sample, generatorCores),
  });
}

/** @param {CellPlan['role']} role */
function measureOf(role) {
  if (role === 'durability') return measureRecovery;
  return role === 'chaos' ? measureFault : measureCell;
}

/**
 * Raw files to a judged record, on disk and announced.
 * @param {CellMeta} meta
 * @param {Campaign} campaign
 * @param {CellRecord[]} records
 * @param {boolean} [writeMeta] false when the cell's own stage wrote its raw files
 */
function finish(meta, campaign, records, writeMeta = true) {
  const { plan, runFolder, progress } = campaign;
  if (writeMeta) writeRaw(runFolder, meta, []);
  const record = recordOf(runFolder, meta.cell.id, plan, records);
  writeJson(join(runFolder, cellFiles(meta.cell.id).result), record);
  records.push(record);
  progress.ended(meta.cell, record);
  campaign.view?.ended(meta.cell, record);
}

/**
 * @param {CellPlan} cell
 * @param {BenchError} error
 * @param {Campaign} campaign
 * @returns {CellMeta}
 */
function failedMeta(cell, error, { plan }) {
  return {
    schemaVersion: 1,
    cell,
    position: 0,
    status: 'failed',
    reason: error.message,
    logTail: error.detail,
    startedAt: null,
    durationMs: null,
    engine: plan.systems.find((s) => s.id === cell.system)?.engine ?? plan.engine,
    version: null,
    restarted: false,
    generatorCores: generatorCpusOf(
      plan,
      plan.systems.find((s) => s.id === cell.system),
    ),
    targetPerSec: {},
    k6ExitCode: null,
    parity: {},
    telemetry: { influx: false, dashboard: false },
  };
}

/** @param {Campaign} campaign */
function coolDown({ plan, interrupted }) {
  return within(plan.profile.coolDownSec * 1000, interrupted);
}
