import { mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { USUAL_PATTERN } from '../../k6/lib/client-pattern.js';
import { stepLimitSec, stepSeconds } from '../../k6/lib/schedule.js';
import { dieWithUs } from '../engines/native.js';
import { freePort } from '../engines/ports.js';
import { startSampler } from '../sample/sampler.js';
import { startChild, tailOf } from './child.js';
import { cpuLimit, ownCpus } from './cpu-limit.js';
import { cellFiles, writeRaw } from './files.js';
import { k6Command, k6Outcome, liveFigures } from './k6.js';
import { ownName } from './temporary.js';

/**
 * @import { CellMeta, CellPlan, Plan, PlannedSystem, Stack, WorkloadFacts } from '../types.d.ts'
 * @import { Instance } from '../engines/native.js'
 * @import { Child } from './child.js'
 */

/** What a k6 process may take beyond its windows before it is taken for stuck. */
const GRACE_SEC = 90;

/**
 * @typedef {object} CellContext
 * @property {Plan} plan
 * @property {string} runFolder
 * @property {string} k6 path of the binary
 * @property {AbortSignal} signal first Ctrl-C
 * @property {Promise<void>} interrupted the same as a promise
 * @property {{influxUrl: string | null, dashboardPort: number | null}} telemetry
 * @property {(live: {ratePerSec: number | null, p95Ms: number | null} | null) => void} onLive
 */

/**
 * Measures one cell and writes its raw files: oracle, warm-up, load, oracle are one k6 process.
 * @param {CellPlan} cell
 * @param {{stack: Stack, system: PlannedSystem, instance: Instance, workload: WorkloadFacts,
 *   ratesPerSec: Record<string, number>, position: number}} subject
 * @param {CellContext} context
 * @returns {Promise<CellMeta>}
 */
export async function measureCell(cell, subject, context) {
  const { instance } = subject;
  const { runFolder } = context;
  const files = cellFiles(cell.id);
  mkdirSync(join(runFolder, 'raw'), { recursive: true });
  for (const file of Object.values(files)) rmSync(join(runFolder, file), { force: true });
  const logPath = join(runFolder, 'raw', `${cell.id}.k6.log`);
  rmSync(logPath, { force: true });

  const startedAt = new Date();
  const sampler = startSampler({
    systemPgid: instance.pgid,
    everyMs: samplingMs(cell, subject.workload, context.plan),
    ...(cell.step.footprint ? { diskBytes: instance.diskBytes } : {}),
  });
  let samples = /** @type {import('../types.d.ts').ResourceSample[]} */ ([]);
  const outcome = await driveLoad(cell, subject, context, logPath, sampler.watchGenerator).finally(() => {
    samples = sampler.stop();
  });
  if (outcome.status === 'ok') rmSync(logPath, { force: true });

  const meta = metaOf(cell, subject, context, { ...outcome, startedAt });
  writeRaw(runFolder, meta, samples);
  return meta;
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
  const seconds = stepSeconds(profile, step, workload);
  if (seconds < 5) return 50;
  return seconds < 30 ? 200 : 500;
}

/**
 * @param {CellPlan} cell
 * @param {Parameters<typeof measureCell>[1]} subject
 * @param {CellContext} context
 * @param {string} logPath
 * @param {(pgid: number) => void} watch
 * @returns {Promise<Pick<CellMeta, 'status' | 'reason' | 'logTail' | 'k6ExitCode'>>}
 */
async function driveLoad(cell, { stack, instance, workload, ratesPerSec }, context, logPath, watch) {
  const { plan, runFolder, signal } = context;
  const files = cellFiles(cell.id);
  const apiPort = await freePort();
  const call = k6Command({
    binary: context.k6,
    plan,
    cell,
    url: instance.url,
    stackFolder: stack.folder,
    profilePath: join(runFolder, 'profile.json'),
    files: {
      summary: join(runFolder, files.summary),
      histograms: join(runFolder, files.histograms),
      live: join(runFolder, files.live),
    },
    ratesPerSec,
    apiPort,
    telemetry: context.telemetry,
  });
  const limit = plan.options.generatorCpus
    ? cpuLimit(ownName(`generator-${Date.now()}`), plan.options.generatorCpus)
    : null;
  const child = await startChild(dieWithUs(call.command), { cwd: dirname(logPath), env: call.env, logPath });
  limit?.add(child.pid);
  watch(child.pid);

  const limitSec = stepLimitSec(plan.profile, cell.step, workload) + GRACE_SEC;
  const ended = await waitForEnd(child, instance, context, limitSec, apiPort);
  await child.stop(2000);
  limit?.remove();

  const log = tailOf(logPath, 10);
  const { code } = await child.exited;
  const outcome = k6Outcome(await child.exited, log);
  if (ended === 'system-died') {
    return {
      status: 'failed',
      reason: 'the system ended during the cell',
      logTail: instance.logTail(),
      k6ExitCode: code,
    };
  }
  if (signal.aborted) return { status: 'aborted', reason: 'interrupted', logTail: [], k6ExitCode: code };
  if (ended === 'stuck') {
    return {
      status: 'failed',
      reason: `k6 did not end in ${Math.round(limitSec)} s`,
      logTail: log,
      k6ExitCode: code,
    };
  }
  if (!outcome.ok)
    return { status: 'failed', reason: outcome.reason, logTail: instance.logTail(), k6ExitCode: code };
  return { status: 'ok', reason: null, logTail: [], k6ExitCode: code };
}

/**
 * Waits for k6, the system's death, Ctrl-C or the time limit, whichever comes first; k6 is then told to end.
 * @param {Child} child
 * @param {Instance} instance
 * @param {CellContext} context
 * @param {number} limitSec
 * @param {number} apiPort
 * @returns {Promise<'ended' | 'system-died' | 'interrupted' | 'stuck'>}
 */
async function waitForEnd(child, instance, { interrupted, onLive }, limitSec, apiPort) {
  onLive(null);
  const poll = setInterval(async () => onLive(await liveFigures(apiPort)), 1000);
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  const first = await Promise.race([
    child.exited.then(() => /** @type {const} */ ('ended')),
    instance.died.then(() => /** @type {const} */ ('system-died')),
    interrupted.then(() => /** @type {const} */ ('interrupted')),
    new Promise((resolve) => {
      timer = setTimeout(resolve, limitSec * 1000);
    }).then(() => /** @type {const} */ ('stuck')),
  ]);
  clearInterval(poll);
  clearTimeout(timer);
  if (first === 'interrupted') {
    // k6 ends its scenarios and writes what it has.
    child.signal('SIGINT');
    await Promise.race([child.exited, new Promise((resolve) => setTimeout(resolve, 8000))]);
  }
  if (first === 'ended' && !instance.running()) return 'system-died';
  return first;
}

/**
 * @param {CellPlan} cell
 * @param {Parameters<typeof measureCell>[1]} subject
 * @param {CellContext} context
 * @param {Pick<CellMeta, 'status' | 'reason' | 'logTail' | 'k6ExitCode'> & {startedAt: Date}} outcome
 * @returns {CellMeta}
 */
function metaOf(cell, { stack, system, instance, ratesPerSec, position }, { plan, telemetry }, outcome) {
  const drive = cell.step.drive ?? plan.profile.drive;
  const targets = Object.values(ratesPerSec);
  return {
    schemaVersion: 1,
    cell,
    position,
    status: outcome.status,
    reason: outcome.reason,
    logTail: outcome.logTail,
    startedAt: outcome.startedAt.toISOString(),
    durationMs: Date.now() - outcome.startedAt.getTime(),
    engine: system.engine,
    version: instance.version,
    restarted: false,
    generatorCores: plan.options.generatorCpus ?? ownCpus(),
    targetPerSec: ratesPerSec,
    k6ExitCode: outcome.k6ExitCode,
    parity: {
      transport: cell.transport,
      client: drive === 'burst' ? 'k6/x/burst' : 'the client library of the stack',
      drive,
      connections: cell.step.vus,
      pipelineDepth: cell.step.depth ?? 1,
      clientPattern: cell.step.clientPattern ?? USUAL_PATTERN,
      model: cell.step.model,
      targetPerSec: targets.length > 0 ? targets.join('/') : null,
      durability: stack.manifest.durability.policy,
      cpuLimit: null,
      memoryLimit: null,
      engine: system.engine,
      generatorCpus: plan.options.generatorCpus ?? ownCpus(),
      version: instance.version,
    },
    telemetry: { influx: telemetry.influxUrl !== null, dashboard: telemetry.dashboardPort !== null },
  };
}
