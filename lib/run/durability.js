import { join } from 'node:path';
import { causeOf } from '../errors.js';
import { NO_START } from '../figures/recoveries.js';
import { startLoad } from '../generator/load.js';
import { within } from '../process/within.js';
import { recordFiles } from '../record/run-folder.js';
import { callOf } from './call.js';
import { ABORTED, endOf, endOrUnderLoad, failed } from './ends.js';

/**
 * Durability, measured: load, SIGKILL in the midst of it, start again on the same data, count what is left.
 * @import { CellPlan } from '../types.d.ts'
 * @import { CellContext, CellOutcome, Subject } from './cell.js'
 */

/** How long k6's window goes on beyond the kill, so that the kill finds the system at work. */
const MARGIN_SEC = 10;
const VERIFY_SEC = 60;
/** k6 ends its scenarios, notes what was acknowledged and writes it. */
const WRITE_MS = 10_000;

/**
 * @param {CellPlan} cell
 * @param {Subject} subject
 * @param {CellContext} context
 * @returns {Promise<CellOutcome>}
 */
export function killUnderLoad(cell, subject, context) {
  return killedAndChecked(cell, subject, context).catch((error) => failed(causeOf(error), subject.instance));
}

/**
 * @param {CellPlan} cell
 * @param {Subject} subject
 * @param {CellContext} context
 * @returns {Promise<CellOutcome>}
 */
async function killedAndChecked(cell, subject, context) {
  const { instance } = subject;
  const { kill, restart } = instance;
  if (!kill || !restart) throw new Error('this engine cannot kill and restart a system');
  const { durationSec = 0 } = cell.step;
  const load = await startPart(cell, subject, context, { part: 'load', beyondSec: MARGIN_SEC });
  const waiting = { ...context, instances: [instance], limitSec: VERIFY_SEC };
  const early = await endOrUnderLoad(load, { ...waiting, before: () => 'the kill' }, durationSec);
  if (early) return early.outcome;
  const killedAtMs = Date.now();
  await kill();
  if (cell.step.powerLoss) await instance.disk?.lose();
  load.interrupt();
  await within(WRITE_MS, load.ended);
  const { k6ExitCode } = await load.close();
  const begun = Date.now();
  try {
    await restart();
  } catch (error) {
    return failed(`${NO_START}: ${causeOf(error)}`, instance);
  }
  const restartMs = Date.now() - begun;
  if (context.signal.aborted) return ABORTED;
  const check = await startPart(cell, subject, context, { part: 'verify' });
  const { outcome } = await endOf(check, { ...waiting, onLive: undefined });
  if (outcome.status === 'failed')
    return { ...outcome, reason: `the check after the restart: ${outcome.reason}` };
  if (outcome.status !== 'ok') return outcome;
  load.discardLog();
  return { ...outcome, k6ExitCode, recovery: { killedAtMs, restartMs } };
}

/**
 * @param {CellPlan} cell
 * @param {Subject} subject
 * @param {CellContext} context
 * @param {{part: 'load' | 'verify', beyondSec?: number}} options `beyondSec`: how long the load goes on after the step
 */
function startPart(cell, subject, context, { part, beyondSec = 0 }) {
  const { summary, histograms, recovery, recoverySummary } = recordFiles(cell.id);
  const at = (/** @type {string} */ file) => join(context.runFolder, file);
  const files =
    part === 'load' ? { summary, histograms } : { summary: recoverySummary, histograms: recovery };
  const durationSec = (cell.step.durationSec ?? 0) + beyondSec;
  return startLoad({
    ...callOf({ ...cell, step: { ...cell.step, durationSec } }, subject, context, files),
    logPath: at(`raw/${cell.id}.${part}.k6.log`),
    ...(part === 'verify' ? { verify: at(histograms) } : {}),
  });
}
