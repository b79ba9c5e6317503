/**
 * What the system has stored, before and after the load: k6's setup and teardown, and the two parts that are done alone
 * when several runners share one load, or after a kill and a restart.
 */
import exec from 'k6/execution';
import burstModule from 'k6/x/burst';
import measure from 'k6/x/measure';
import { meet } from './rendezvous.js';
import { runnerOf } from './schedule/segments.js';
import { before, context, documentFacts, left, settings, steps, systems, workload } from './task.js';

/** @import { SystemOfTask } from './task.js' */

/**
 * Before the load: what is already stored, and what the workload needs; of several runners, until all are there.
 * @returns {Promise<{starts: Record<string, unknown>}>} by name of the system
 */
export async function setup() {
  /** @type {Record<string, unknown>} */
  const starts = {};
  if (settings.checksState && !left)
    for (const system of systems) starts[system.name] = await stateBefore(system);
  measure.tidy();
  if (settings.part === 'load')
    meet(runnerOf(exec.test.options.executionSegment, settings.runners), settings.runners);
  return { starts };
}

/** @param {SystemOfTask} system */
async function stateBefore({ client, target, context: own }) {
  const documents = documentFacts();
  if (documents) measure.note('dataset', documents);
  if (settings.part === 'load') return sharedStart();
  const opened = client.open(target);
  const start = await workload.before(opened, own);
  opened.close();
  // What answers list whole makes them longer: with unlike data two systems do unlike work.
  if (!settings.trial && typeof start?.listed === 'number') measure.note('listed', start.listed);
  return start;
}

/** Of several runners: what is stored was looked at before any of them, and others change it beside this one. */
function sharedStart() {
  measure.note('segment', exec.test.options.executionSegment);
  if (before?.tally) context.tally?.begin(0, before.tally.start);
  context.tally?.share();
  return before?.start ?? null;
}

/** After the load: what is stored, against what was acknowledged. */
export async function teardown(/** @type {{starts: Record<string, unknown>}} */ { starts }) {
  if (!settings.checksState || left || settings.part === 'before') return;
  if (steps[0]?.kill || settings.part === 'load') {
    // The system is gone by now, or others still load it: who knows better checks it.
    measure.note('totals', judgedTotals(starts));
    noteStart({ starts });
    return;
  }
  await checkState(starts, judgedTotals(starts));
}

/**
 * Totals, in which replies that were kept and are not right count as wrong answers.
 * @param {Record<string, unknown>} starts what `before` of the workload returned, by system
 */
function judgedTotals(starts) {
  const totals = measure.totals();
  if (!workload.judge || settings.trial) return totals;
  const problems = workload.judge(burstModule.samples(), context, totals, starts[systems[0].name]);
  for (const { op } of problems) totals[op].wrong++;
  context.problems = problems.map((/** @type {{problem: string}} */ p) => p.problem);
  return totals;
}

/** Before the load of several runners: what each of them, and the check after them, begin with. */
export function noteStart(/** @type {{starts: Record<string, unknown>}} */ { starts }) {
  measure.note('start', starts[systems[0].name] ?? null);
  if (context.tally) measure.note('tally', context.tally.counts());
  if (context.stored && settings.part !== 'load') measure.note('stored', context.stored().state());
}

/** After a kill and a restart: what is there, against what the earlier k6 had acknowledged. */
export async function verify() {
  await checkState({ [systems[0].name]: left.start }, left.totals);
}

/**
 * @param {Record<string, unknown>} starts what `before` of the workload returned, by system
 * @param {Record<string, unknown>} totals by operation
 */
async function checkState(starts, totals) {
  /** @type {Record<string, unknown>} */
  const oracles = {};
  for (const { name, prefix, client, target, context: own } of systems) {
    const ofSystem = Object.entries(totals).flatMap(([op, total]) =>
      op.startsWith(prefix) ? [[op.slice(prefix.length), total]] : [],
    );
    const opened = client.open(target);
    oracles[name] = await workload.after(opened, own, starts[name], Object.fromEntries(ofSystem));
    opened.close();
  }
  measure.note('oracle', settings.trial ? oracles : oracles[systems[0].name]);
}
