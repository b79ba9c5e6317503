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
export async function killUnderLoad(cell, subject, context) {
  const { instance } = subject;
  const { kill, restart } = instance;
  if (!kill || !restart) throw new Error('this engine cannot kill and restart a system');
  const { durationSec = 0 } = cell.step;
  const files = recordFiles(cell.id);
  const at = (/** @type {string} */ file) => join(context.runFolder, file);
  const beyond = { ...cell, step: { ...cell.step, durationSec: durationSec + MARGIN_SEC } };
  const load = await startLoad({
    ...callOf(beyond, subject, context),
    logPath: at(`raw/${cell.id}.load.k6.log`),
  });
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
  const { recovery: histograms, recoverySummary: summary } = files;
  const check = await startLoad({
    ...callOf(cell, subject, context, { summary, histograms }),
    logPath: at(`raw/${cell.id}.verify.k6.log`),
    verify: at(files.histograms),
  });
  const { outcome } = await endOf(check, { ...waiting, onLive: undefined });
  if (outcome.status === 'failed')
    return { ...outcome, reason: `the check after the restart: ${outcome.reason}` };
  if (outcome.status !== 'ok') return outcome;
  load.discardLog();
  return { ...outcome, k6ExitCode, recovery: { killedAtMs, restartMs } };
}
