import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { cellsOf } from '../config/trials.js';
import { describeConditions } from '../environment/environment.js';
import { BenchError, demandNone, EXIT } from '../errors.js';
import { readRun } from '../figures/run.js';
import { METHOD_VERSION } from '../judge/method.js';
import { otherConditions } from '../plan/resume.js';
import { isPacked, unpackRun, withRun } from '../record/archive.js';
import { readEnvironment } from '../record/run-folder.js';
import { isSealed, unseal } from '../record/seal.js';
import { unfounded } from '../record/verify.js';
import { isWhole } from '../record/whole.js';
import { writeJson } from '../store.js';

/**
 * @import { MeasuredData } from '../figures/run.js'
 * @import { Conditions } from '../plan/resume.js'
 */

/**
 * What is there of a run. `complete`: nothing of it lacks; `others`: the conditions of today, where they are others and that was
 * allowed.
 * @typedef {MeasuredData & {complete: boolean, others: Conditions | null}} Begun
 */

/**
 * Checks that a run may go on: what there is of it follows from its raw files, and nothing else has changed.
 * @param {string} runFolder
 * @param {{force: boolean}} options `force`: also on another machine or commit
 * @returns {Promise<Begun>}
 * @throws {BenchError} when its figures were changed, or would come to be of two kinds
 */
export async function demandResumable(runFolder, { force }) {
  const run = basename(runFolder);
  const { begun, before } = withRun(runFolder, (data) => {
    demandNone(unfounded(data), {
      prefix: `the run ${run} cannot go on: `,
      hint: 'what was measured must follow from its files, by the method of today: bring them back, or measure anew',
      exitCode: EXIT.thresholds,
    });
    return {
      begun: readBegun(data),
      before: existsSync(join(data, 'environment.json')) ? readEnvironment(data) : null,
    };
  });
  if (begun.plan.methodVersion !== METHOD_VERSION)
    throw new BenchError(
      `the run ${run} was measured by method ${begun.plan.methodVersion}, and the rest would be by method ${METHOD_VERSION}`,
      { hint: 'measure anew; `report` and `compare` still read what there is', exitCode: EXIT.thresholds },
    );
  const now = await describeConditions();
  const others = before ? otherConditions(before, now) : [];
  if (!force)
    demandNone(others, {
      prefix: `the run ${run} began elsewhere: `,
      hint: 'its cells would be of two kinds; --force measures the rest all the same, and environment.json says so',
    });
  return { ...begun, others: others.length > 0 ? now : null };
}

/**
 * @param {string} data
 * @returns {Omit<Begun, 'others'>}
 */
function readBegun(data) {
  const run = readRun(data);
  const { plan, records, lifecycle } = run;
  const whole = new Set(records.filter(isWhole).map((r) => r.cell));
  const complete =
    isSealed(data) &&
    cellsOf(plan).every(({ id }) => whole.has(id)) &&
    run.isOver &&
    lifecycle.length === (plan.lifecycle ?? []).length &&
    lifecycle.every(({ ceilings }) => ceilings.length === 0 || ceilings.length === plan.repeats);
  return { ...run, complete };
}

/**
 * From here on the run's folder changes: its data lie open in it, without checksums.
 * @param {string} runFolder
 * @param {Begun} begun
 */
export function reopenRun(runFolder, { others }) {
  if (isPacked(runFolder)) unpackRun(runFolder);
  unseal(runFolder);
  if (!others) return;
  const environment = readEnvironment(runFolder);
  const resumed = [...(environment.resumed ?? []), { at: new Date().toISOString(), ...others }];
  writeJson(join(runFolder, 'environment.json'), { ...environment, resumed });
}
