import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { startGenerator } from '../generator/generator.js';
import { k6Outcome } from '../generator/k6.js';
import { lookFromPod, startPodRunners } from '../generator/kubernetes/pods.js';
import { startLocalRunners } from '../generator/runners.js';
import { tailOf } from '../process/child.js';
import { freePort } from '../process/ports.js';
import { within } from '../process/within.js';
import { cellFiles } from '../record/run-folder.js';
import { runnerFile } from '../record/runner-result.js';
import { notesOfAll } from '../record/runners.js';
import { fromPods, runnersOf } from '../record/who-loads.js';
import { readJson, writeJson } from '../store.js';

/**
 * The load of one cell from several runners: one k6 looks at the system before it, the runners load it together, one k6
 * checks the state after it against the sums of all.
 * @import { CellMeta, CellPlan, GeneratorsMeta, Plan } from '../types.d.ts'
 * @import { Ended, Runners } from '../generator/runners.js'
 * @import { CellContext, measureCell, Sampler } from './cell.js'
 */

/** @typedef {Pick<CellMeta, 'status' | 'reason' | 'logTail' | 'k6ExitCode' | 'generators' | 'outputProblems'>} Outcome */

/** For one k6 that only looks at the state. */
const LOOK_SEC = 120;
const END_SEC = 8;

/**
 * @param {CellPlan} cell
 * @param {Parameters<typeof measureCell>[1]} subject
 * @param {CellContext} context
 * @param {{sampler: Sampler, limitSec: number}} options `limitSec`: when a load is taken for stuck
 * @returns {Promise<Outcome>}
 */
export async function driveTogether(cell, subject, context, { sampler, limitSec }) {
  const { instance } = subject;
  const { plan, runFolder, signal } = context;
  const at = (/** @type {string} */ file) => join(runFolder, file);
  const files = cellFiles(cell.id);
  const count = runnersOf(cell, plan);
  removeResults(runFolder, cell);
  const keepsState = cell.role === 'system';
  /** @type {Record<string, unknown>} */
  let before = {};
  if (keepsState) {
    const problem = await look(cell, subject, context, { before: true }, files.before);
    if (problem) return ended(await failedAs(problem, subject, context));
    before = readJson(at(files.before)).notes;
  }
  const call = callOf(cell, subject, context, files.summary, files.histograms);
  const options = {
    count,
    before: keepsState ? at(files.before) : null,
    resultOf: (/** @type {number} */ runner) => at(runnerFile(cell.id, runner)),
    logOf: (/** @type {number} */ runner) => at(`raw/${cell.id}.runner-${runner}.k6.log`),
  };
  const { cluster } = context;
  const runners = cluster
    ? await startPodRunners(call, options, cluster)
    : await startLocalRunners(call, options);
  if (!cluster) sampler.watch({ watched: { pgids: runners.pgids } });
  const { first, late, closed } = await load(runners, subject, context, limitSec);
  const generators = generatorsOf(runners, plan, count, {
    ...closed,
    problems: [...late, ...closed.problems],
  });
  if (first === 'system-died') {
    const reason = ['the system ended during the cell', await instance.ending?.()].filter(Boolean).join(' ');
    return ended({ status: 'failed', reason, logTail: await instance.logTail() });
  }
  if (signal.aborted) return ended({ status: 'aborted', reason: 'interrupted', logTail: [] });
  if (first === 'stuck') {
    const hung = generators.problems.map(({ runner }) => runner).join(', ');
    const who = hung ? `runner ${hung} of ${count}` : 'the runners';
    const reason = `${who} did not end in ${Math.round(limitSec)} s`;
    return ended({ status: 'failed', reason, logTail: [] });
  }
  if (generators.problems.length === count)
    return ended({
      status: 'failed',
      reason: generators.problems[0].problem,
      logTail: await instance.logTail(),
    });
  const notes = keepsState ? notesOfAll(runFolder, cell, generators, before) : null;
  if (notes) {
    const merged = at(`raw/${cell.id}.merged.json`);
    writeJson(merged, notes);
    const problem = await look(cell, subject, context, { verify: merged }, files.after).finally(() =>
      rmSync(merged, { force: true }),
    );
    if (problem) return ended(await failedAs(problem, subject, context));
  }
  const { outputProblems = [] } = closed;
  return {
    ...{ status: 'ok', reason: null, logTail: [], k6ExitCode: 0, generators },
    ...(outputProblems.length > 0 ? { outputProblems } : {}),
  };
}

/**
 * @param {Runners} runners
 * @param {Parameters<typeof measureCell>[1]} subject
 * @param {CellContext} context
 * @param {number} limitSec
 */
async function load(runners, { instance }, { interrupted, onLive }, limitSec) {
  onLive(null);
  const poll = setInterval(async () => onLive(await runners.live()), 1000);
  const events = /** @type {const} */ ([
    runners.ended.then(() => /** @type {const} */ ('ended')),
    instance.died.then(() => /** @type {const} */ ('system-died')),
    interrupted.then(() => /** @type {const} */ ('interrupted')),
  ]);
  try {
    const late =
      (await Promise.race([runners.begin(), ...events.slice(1).map((e) => e.then(() => []))])) ?? [];
    // Who never began would wait for ever.
    const first = late.length > 0 ? 'late' : ((await within(limitSec * 1000, ...events)) ?? 'stuck');
    if (first === 'interrupted' || first === 'late') {
      runners.interrupt();
      await within(END_SEC * 1000, runners.ended);
    }
    const died = first === 'system-died' || (first === 'ended' && !instance.running());
    return { first: died ? 'system-died' : first, late, closed: await runners.close() };
  } catch (error) {
    await runners.close();
    throw error;
  } finally {
    clearInterval(poll);
  }
}

/**
 * @param {Runners} runners
 * @param {Plan} plan
 * @param {number} count
 * @param {Ended} ended
 * @returns {GeneratorsMeta}
 */
function generatorsOf({ coresEach }, plan, count, { problems, restarted, nodes }) {
  const first = new Map([...problems].reverse().map((p) => [p.runner, p]));
  return {
    on: fromPods(plan.options) ? 'kubernetes' : 'local',
    count,
    coresEach,
    ...(nodes === undefined ? {} : { nodes }),
    problems: [...first.values()].sort((a, b) => a.runner - b.runner),
    restarted,
  };
}

/**
 * @param {Omit<Outcome, 'k6ExitCode'>} outcome
 * @returns {Outcome}
 */
function ended(outcome) {
  return { ...outcome, k6ExitCode: null };
}

/**
 * @param {string} problem
 * @param {Parameters<typeof measureCell>[1]} subject
 * @param {CellContext} context
 * @returns {Promise<Omit<Outcome, 'k6ExitCode'>>}
 */
async function failedAs(problem, { instance }, { signal }) {
  if (signal.aborted) return { status: 'aborted', reason: 'interrupted', logTail: [] };
  return { status: 'failed', reason: problem, logTail: await instance.logTail() };
}

/**
 * One k6 without load.
 * @param {CellPlan} cell
 * @param {Parameters<typeof measureCell>[1]} subject
 * @param {CellContext} context
 * @param {{before: true} | {verify: string}} what
 * @param {string} file relative: what it exports
 * @returns {Promise<string | null>} why it failed
 */
async function look(cell, subject, context, what, file) {
  const { runFolder, interrupted, cluster } = context;
  if (cluster) {
    const options = { file: join(runFolder, file), limitSec: LOOK_SEC, interrupted };
    return lookFromPod(callOf(cell, subject, context, '', ''), what, options, cluster);
  }
  const summary = join(runFolder, `${file}.summary`);
  const logPath = join(runFolder, `${file}.k6.log`);
  rmSync(logPath, { force: true });
  const call = callOf(cell, subject, context, `${file}.summary`, file);
  const { child, release } = await startGenerator({ ...call, ...what, apiPort: await freePort(), logPath });
  await within(
    LOOK_SEC * 1000,
    child.exited.then(() => {}),
    interrupted,
  );
  await child.stop(2000);
  await release();
  rmSync(summary, { force: true });
  const { ok, reason } = k6Outcome(await child.exited, tailOf(logPath, 10));
  if (ok) rmSync(logPath, { force: true });
  return ok ? null : reason;
}

/**
 * @param {CellPlan} cell
 * @param {Parameters<typeof measureCell>[1]} subject
 * @param {CellContext} context
 * @param {string} summary relative
 * @param {string} histograms relative
 */
function callOf(cell, { stack, instance, ratesPerSec }, { k6, plan, runFolder }, summary, histograms) {
  const at = (/** @type {string} */ file) => join(runFolder, file);
  return {
    binary: k6,
    project: null,
    runFolder,
    plan,
    cell,
    url: instance.url,
    stackFolder: stack.folder,
    profilePath: at('profile.json'),
    files: { summary: at(summary), histograms: at(histograms), live: at(cellFiles(cell.id).live) },
    ratesPerSec,
    telemetry: { influxUrl: null, dashboardPort: null },
  };
}

/**
 * An earlier try may have had more runners.
 * @param {string} runFolder
 * @param {CellPlan} cell
 */
function removeResults(runFolder, { id }) {
  const folder = join(runFolder, 'raw');
  for (const name of readdirSync(folder))
    if (name.startsWith(`${id}.runner-`)) rmSync(join(folder, name), { force: true });
}
