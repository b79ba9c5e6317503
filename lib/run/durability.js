import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { causeOf } from '../errors.js';
import { startGenerator } from '../generator/generator.js';
import { k6Outcome, liveFigures } from '../generator/k6.js';
import { tailOf } from '../process/child.js';
import { freePort } from '../process/ports.js';
import { within } from '../process/within.js';
import { NO_START } from '../record/recoveries.js';
import { cellFiles, writeRaw } from '../record/run-folder.js';
import { makeFolder } from '../store.js';
import { metaOf } from './cell.js';

/**
 * Durability, measured: load, SIGKILL in the midst of it, start again on the same data, count what is left.
 * @import { CellMeta, CellPlan } from '../types.d.ts'
 * @import { CellContext, measureCell } from './cell.js'
 */

/** How long k6's window goes on beyond the kill, so that the kill finds the system at work. */
const MARGIN_SEC = 10;
const K6_START_SEC = 60;
const VERIFY_SEC = 60;

/** @typedef {Pick<CellMeta, 'status' | 'reason' | 'logTail' | 'k6ExitCode'> &
 *   {recovery?: CellMeta['recovery'], chaos?: CellMeta['chaos']}} Outcome */

/**
 * @param {CellPlan} cell
 * @param {Parameters<typeof measureCell>[1]} subject
 * @param {CellContext} context
 * @returns {Promise<CellMeta>}
 */
export async function measureRecovery(cell, subject, context) {
  const { runFolder } = context;
  const files = cellFiles(cell.id);
  makeFolder(join(runFolder, 'raw'));
  for (const file of Object.values(files)) rmSync(join(runFolder, file), { force: true });
  const startedAt = new Date();
  const outcome = await killUnderLoad(cell, subject, context).catch((error) =>
    failed(causeOf(error), subject.instance),
  );
  const meta = metaOf(cell, subject, context, { ...outcome, startedAt });
  writeRaw(runFolder, meta, []);
  return meta;
}

/**
 * @param {CellPlan} cell
 * @param {Parameters<typeof measureCell>[1]} subject
 * @param {CellContext} context
 * @returns {Promise<Outcome>}
 */
async function killUnderLoad(cell, subject, context) {
  const { instance } = subject;
  if (!instance.kill || !instance.restart) throw new Error('this engine cannot kill and restart a system');
  const load = await startK6(cell, subject, context, { part: 'load', beyondSec: MARGIN_SEC });
  const went = await underLoadFor(cell.step.durationSec ?? 0, load, context);
  if (went !== 'under load') {
    await load.end('SIGTERM');
    if (went === 'interrupted')
      return { status: 'aborted', reason: 'interrupted', logTail: [], k6ExitCode: null };
    return failed(`the load ended before the kill: ${load.lastWords()}`, instance);
  }
  const killedAtMs = Date.now();
  await instance.kill();
  // k6 ends its scenarios, notes what was acknowledged and writes it.
  const k6ExitCode = await load.end('SIGINT');
  const begun = Date.now();
  try {
    await instance.restart();
  } catch (error) {
    return failed(`${NO_START}: ${causeOf(error)}`, instance);
  }
  const restartMs = Date.now() - begun;
  const check = await startK6(cell, subject, context, { part: 'verify' });
  const checked = await within(
    VERIFY_SEC * 1000,
    check.exited,
    context.interrupted.then(() => false),
  );
  await check.end('SIGTERM');
  if (context.signal.aborted)
    return { status: 'aborted', reason: 'interrupted', logTail: [], k6ExitCode: null };
  if (!checked || !check.ok()) return failed(`the check after the restart: ${check.lastWords()}`, instance);
  load.discardLog();
  check.discardLog();
  return { status: 'ok', reason: null, logTail: [], k6ExitCode, recovery: { killedAtMs, restartMs } };
}

/**
 * @param {string} reason
 * @param {Parameters<typeof measureCell>[1]['instance']} instance
 * @returns {Promise<Outcome>}
 */
export async function failed(reason, instance) {
  return { status: 'failed', reason, logTail: await instance.logTail(), k6ExitCode: null };
}

/**
 * @param {CellPlan} cell
 * @param {Parameters<typeof measureCell>[1]} subject
 * @param {CellContext} context
 * @param {{part: 'load' | 'verify', beyondSec?: number}} options `beyondSec`: how long the load goes on after the step
 */
export async function startK6(
  cell,
  { stack, system, instance, ratesPerSec },
  context,
  { part, beyondSec = 0 },
) {
  const { plan, runFolder } = context;
  const files = cellFiles(cell.id);
  const logPath = join(runFolder, 'raw', `${cell.id}.${part}.k6.log`);
  rmSync(logPath, { force: true });
  const apiPort = await freePort();
  const at = (/** @type {string} */ file) => join(runFolder, file);
  const generator = await startGenerator({
    binary: context.k6,
    project: system.engine === 'docker' ? context.project : null,
    runFolder,
    logPath,
    plan,
    cell: { ...cell, step: { ...cell.step, durationSec: (cell.step.durationSec ?? 0) + beyondSec } },
    url: instance.url,
    stackFolder: stack.folder,
    profilePath: at('profile.json'),
    files: {
      summary: at(part === 'load' ? files.summary : files.recoverySummary),
      histograms: at(part === 'load' ? files.histograms : files.recovery),
      live: at(files.live),
    },
    ...(part === 'verify' ? { verify: at(files.histograms) } : {}),
    ratesPerSec,
    apiPort,
    telemetry: { influxUrl: null, dashboardPort: null },
  });
  const { child } = generator;
  /** @type {{code: number | null, signal: NodeJS.Signals | null} | null} */
  let end = null;
  const exited = child.exited.then((e) => {
    end = e;
    return true;
  });
  const outcome = () => k6Outcome(end ?? { code: null, signal: 'SIGKILL' }, tailOf(logPath, 10));
  return {
    apiPort,
    exited,
    ok: () => outcome().ok,
    lastWords: () => outcome().reason || 'k6 ended',
    discardLog: () => rmSync(logPath, { force: true }),
    /** @param {'SIGINT' | 'SIGTERM'} signal @returns {Promise<number | null>} exit code */
    async end(signal) {
      if (!end) child.signal(signal);
      await within(10_000, exited);
      await child.stop(2000);
      await generator.release();
      return end?.code ?? null;
    },
  };
}

/**
 * Waits until k6 has measured a first second, and then for as long as the step says, that second included.
 * @param {number} durationSec
 * @param {Awaited<ReturnType<typeof startK6>>} load
 * @param {CellContext} context
 * @returns {Promise<'under load' | 'ended' | 'interrupted'>}
 */
export async function underLoadFor(durationSec, load, { interrupted, signal, onLive }) {
  const until = Date.now() + K6_START_SEC * 1000;
  const ended = load.exited.then(() => /** @type {const} */ ('ended'));
  const stopped = interrupted.then(() => /** @type {const} */ ('interrupted'));
  let live = null;
  while (!live?.ratePerSec && Date.now() < until && !signal.aborted) {
    const now = await within(100, ended);
    if (now === 'ended') return 'ended';
    live = await liveFigures(load.apiPort);
    onLive(live);
  }
  if (!live?.ratePerSec) return signal.aborted ? 'interrupted' : 'ended';
  const first = await within(Math.max(0, durationSec - 1) * 1000, ended, stopped);
  return first ?? 'under load';
}
