import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { startLoad } from '../generator/load.js';
import { startLocalRunners } from '../generator/runners.js';
import { READY_SEC, startPodLook, startPodRunners } from '../kubernetes/pods.js';
import { ownCpus } from '../process/cpu-limit.js';
import { recordFiles } from '../record/run-folder.js';
import { runnerFile } from '../record/runner-result.js';
import { notesOfAll } from '../record/runners.js';
import { fromPods, runnersOf } from '../record/who-loads.js';
import { readJson, writeJson } from '../store.js';
import { callOf } from './call.js';
import { endOf } from './ends.js';

/**
 * The load of one cell from several runners: one k6 looks at the system before it, the runners load it together, one k6
 * checks the state after it against the sums of all.
 * @import { CellPlan, GeneratorsMeta } from '../types.d.ts'
 * @import { LoadEnd } from '../generator/load.js'
 * @import { CellContext, CellOutcome, Sampler, Subject } from './cell.js'
 * @import { Outcome } from './ends.js'
 */

/** For one k6 that only looks at the state. */
const LOOK_SEC = 120;

/**
 * @param {CellPlan} cell
 * @param {Subject} subject
 * @param {CellContext} context
 * @param {{sampler: Sampler, limitSec: number}} options `limitSec`: when a load is taken for stuck
 * @returns {Promise<CellOutcome>}
 */
export async function driveTogether(cell, subject, context, { sampler, limitSec }) {
  const { plan, runFolder, cluster } = context;
  const at = (/** @type {string} */ file) => join(runFolder, file);
  const files = recordFiles(cell.id);
  const count = runnersOf(cell, plan);
  // An earlier try may have had more runners.
  const earlier = readdirSync(at('raw')).filter((name) => name.startsWith(`${cell.id}.runner-`));
  for (const name of earlier) rmSync(at(`raw/${name}`), { force: true });
  const keepsState = cell.role === 'system';
  /** @type {Record<string, unknown>} */
  let before = {};
  if (keepsState) {
    const looked = await look(cell, subject, context, { before: true }, files.before);
    if (looked.status !== 'ok') return looked;
    before = readJson(at(files.before)).notes;
  }
  const call = { ...callOf(cell, subject, context), project: null };
  const options = {
    count,
    before: keepsState ? at(files.before) : null,
    resultOf: (/** @type {number} */ runner) => at(runnerFile(cell.id, runner)),
    logOf: (/** @type {number} */ runner) => at(`raw/${cell.id}.runner-${runner}.k6.log`),
  };
  const load = cluster
    ? await startPodRunners(call, options, cluster)
    : await startLocalRunners(call, options);
  if (load.seen) sampler.watch(load.seen);
  const { outcome, end } = await endOf(load, { ...context, instances: [subject.instance], limitSec });
  if (outcome.status !== 'ok') return outcome;
  /** @type {GeneratorsMeta} */
  const generators = {
    on: fromPods(plan.options) ? 'kubernetes' : 'local',
    coresEach: cluster ? cluster.where.cpus : ownCpus(),
    .../** @type {NonNullable<LoadEnd['runners']>} */ (end.runners),
  };
  const notes = keepsState ? notesOfAll(runFolder, cell, generators, before) : null;
  if (notes) {
    const merged = at(`raw/${cell.id}.merged.json`);
    writeJson(merged, notes);
    const looked = await look(cell, subject, context, { verify: merged }, files.after).finally(() =>
      rmSync(merged, { force: true }),
    );
    if (looked.status !== 'ok') return looked;
  }
  return { ...outcome, generators };
}

/**
 * One k6 without load.
 * @param {CellPlan} cell
 * @param {Subject} subject
 * @param {CellContext} context
 * @param {{before: true} | {verify: string}} what
 * @param {string} file relative: what it exports
 * @returns {Promise<Outcome>}
 */
async function look(cell, subject, context, what, file) {
  const { runFolder, interrupted, signal, cluster } = context;
  const summary = `${file}.summary`;
  const call = { ...callOf(cell, subject, context, { summary, histograms: file }), project: null };
  const load = cluster
    ? await startPodLook(call, what, { file: join(runFolder, file), limitSec: LOOK_SEC }, cluster)
    : await startLoad({ ...call, ...what, logPath: join(runFolder, `${file}.k6.log`) });
  const { outcome } = await endOf(load, {
    ...{ instances: [subject.instance], interrupted, signal, writeMs: 0 },
    limitSec: LOOK_SEC + (cluster ? READY_SEC : 0),
  });
  rmSync(join(runFolder, summary), { force: true });
  return outcome;
}
