/**
 * The only script that k6 is started with: one system, one workload, one step (or all closed ones) of a profile.
 *
 *   k6 run -e SYSTEM=… -e WORKLOAD=… -e PROFILE=smoke -e BASE_URL=scheme://host:port k6/main.js
 *
 * task.js reads what is asked for, schedule/ makes k6's scenarios of it, drives/ hold what a virtual user does in them.
 * Nothing here knows a system or a workload by name.
 */
import exec from 'k6/execution';
import measure from 'k6/x/measure';
import { meet } from './rendezvous.js';
import { resultLines } from './result-lines.js';
import { runnerResult } from './runner-result.js';
import { runnerOf } from './schedule/segments.js';
import { before, client, context, documentFacts, left, plan, settings, steps, workload } from './task.js';

export { burst } from './drives/burst.js';
export { fixedCount } from './drives/fixed-count.js';
export { iteration } from './drives/iteration.js';
export { listen } from './drives/listen.js';

/** What is done once in place of any load. */
const alone = left ? 'verify' : settings.part === 'before' ? 'noteStart' : null;

export const options = {
  scenarios: alone
    ? { [alone]: { executor: 'shared-iterations', vus: 1, iterations: 1, exec: alone } }
    : plan.scenarios,
  thresholds: alone ? {} : plan.thresholds,
  summaryTrendStats: ['count', 'avg', 'min', 'med', 'max', 'p(90)', 'p(95)', 'p(99)', 'p(99.9)'],
  // Who sends the load elsewhere is not measured there, nor is anybody else asked what is stored.
  maxRedirects: 0,
  systemTags: ['scenario', 'error_code'],
  // Somebody tells one runner after another to go.
  setupTimeout: `${60 + (settings.meet ? settings.runners : 0)}s`,
  teardownTimeout: '60s',
};

/** Before the load: what is already stored, and what the workload needs. */
export async function setup() {
  if (!settings.checksState || left) return { start: null };
  const documents = documentFacts();
  if (documents) measure.note('dataset', documents);
  if (settings.part === 'load') return sharedStart();
  const opened = client.open(settings.target);
  const start = await workload.before(opened, context);
  opened.close();
  return { start };
}

/** Of several runners: what is stored was looked at before any of them, and others change it beside this one. */
function sharedStart() {
  measure.note('segment', exec.test.options.executionSegment);
  if (before?.tally) context.tally?.begin(0, before.tally.start);
  context.tally?.share();
  meet(runnerOf(exec.test.options.executionSegment, settings.runners), settings.runners);
  return { start: before?.start ?? null };
}

/** After the load: what is stored, against what was acknowledged. */
export async function teardown(/** @type {{start: unknown}} */ data) {
  if (!settings.checksState || left) return;
  if (settings.part === 'before') return;
  if (steps[0].kill || settings.part === 'load') {
    // The system is gone by now, or others still load it: who knows better checks it.
    measure.note('start', data.start);
    measure.note('totals', measure.totals());
    if (context.tally) measure.note('tally', context.tally.counts());
    return;
  }
  await checkState(data.start, measure.totals());
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

export function handleSummary(/** @type {unknown} */ data) {
  if (settings.resultPath) {
    const result = runnerResult(JSON.stringify(data), measure.exportAll());
    return settings.resultPath === '-' ? { stdout: resultLines(result) } : { [settings.resultPath]: result };
  }
  if (!settings.summaryPath) return undefined;
  /** @type {Record<string, string>} */
  const files = { [settings.summaryPath]: JSON.stringify(data) };
  if (settings.histogramsPath) files[settings.histogramsPath] = measure.exportAll();
  return files;
}
