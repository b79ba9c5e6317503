/**
 * What the system has stored, before and after the load: k6's setup and teardown, and the two parts that are done alone
 * when several runners share one load, or after a kill and a restart.
 */
import exec from 'k6/execution';
import burstModule from 'k6/x/burst';
import measure from 'k6/x/measure';
import { meet } from './rendezvous.js';
import { runnerOf } from './schedule/segments.js';
import { before, client, context, documentFacts, left, settings, steps, workload } from './task.js';

/** Before the load: what is already stored, and what the workload needs; of several runners, until all are there. */
export async function setup() {
  const found = settings.checksState && !left ? await stateBefore() : { start: null };
  measure.tidy();
  if (settings.part === 'load')
    meet(runnerOf(exec.test.options.executionSegment, settings.runners), settings.runners);
  return found;
}

/** @returns {Promise<{start: unknown}>} */
async function stateBefore() {
  const documents = documentFacts();
  if (documents) measure.note('dataset', documents);
  if (settings.part === 'load') return sharedStart();
  const opened = client.open(settings.target);
  const start = await workload.before(opened, context);
  opened.close();
  // What answers list whole makes them longer: with unlike data two systems do unlike work.
  if (typeof start?.listed === 'number') measure.note('listed', start.listed);
  return { start };
}

/** Of several runners: what is stored was looked at before any of them, and others change it beside this one. */
function sharedStart() {
  measure.note('segment', exec.test.options.executionSegment);
  if (before?.tally) context.tally?.begin(0, before.tally.start);
  context.tally?.share();
  return { start: before?.start ?? null };
}

/** After the load: what is stored, against what was acknowledged. */
export async function teardown(/** @type {{start: unknown}} */ data) {
  if (!settings.checksState || left) return;
  if (settings.part === 'before') return;
  if (steps[0].kill || settings.part === 'load') {
    // The system is gone by now, or others still load it: who knows better checks it.
    measure.note('start', data.start);
    measure.note('totals', judgedTotals());
    if (context.tally) measure.note('tally', context.tally.counts());
    return;
  }
  await checkState(data.start, judgedTotals());
}

/** Totals, in which replies that were kept and are not right count as wrong answers. */
function judgedTotals() {
  const totals = measure.totals();
  if (!workload.judge) return totals;
  const problems = workload.judge(burstModule.samples(), context, totals);
  for (const { op } of problems) totals[op].wrong++;
  context.problems = problems.map((/** @type {{problem: string}} */ p) => p.problem);
  return totals;
}

/** Before the load of several runners: what each of them, and the check after them, begin with. */
export function noteStart(/** @type {{start: unknown}} */ data) {
  measure.note('start', data.start);
  if (context.tally) measure.note('tally', context.tally.counts());
}

/** After a kill and a restart: what is there, against what the earlier k6 had acknowledged. */
export async function verify() {
  await checkState(left.start, left.totals);
}

/**
 * @param {unknown} start what `before` of the workload returned
 * @param {unknown} totals by operation
 */
async function checkState(start, totals) {
  const opened = client.open(settings.target);
  measure.note('oracle', await workload.after(opened, context, start, totals));
  opened.close();
}
