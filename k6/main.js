/**
 * The only script that k6 is started with: one system, one workload, one step (or all closed ones) of a profile.
 *
 *   k6 run -e SYSTEM=… -e WORKLOAD=… -e PROFILE=smoke -e BASE_URL=scheme://host:port k6/main.js
 *
 * task.js reads what is asked for, schedule/ makes k6's scenarios of it, drives/ hold what a virtual user does in them.
 * Nothing here knows a system or a workload by name.
 */
import measure from 'k6/x/measure';
import { client, context, documentFacts, left, plan, settings, steps, workload } from './task.js';

export { burst } from './drives/burst.js';
export { fixedCount } from './drives/fixed-count.js';
export { iteration } from './drives/iteration.js';
export { listen } from './drives/listen.js';

export const options = {
  scenarios: left
    ? { verify: { executor: 'shared-iterations', vus: 1, iterations: 1, exec: 'verify' } }
    : plan.scenarios,
  thresholds: left ? {} : plan.thresholds,
  summaryTrendStats: ['count', 'avg', 'min', 'med', 'max', 'p(90)', 'p(95)', 'p(99)', 'p(99.9)'],
  systemTags: ['scenario', 'error_code'],
  setupTimeout: '60s',
  teardownTimeout: '60s',
};

/** Before the load: what is already stored, and what the workload needs. */
export async function setup() {
  if (!settings.checksState || left) return { start: null };
  const documents = documentFacts();
  if (documents) measure.note('dataset', documents);
  const opened = client.open(settings.target);
  const start = await workload.before(opened, context);
  opened.close();
  return { start };
}

/** After the load: what is stored, against what was acknowledged. */
export async function teardown(/** @type {{start: unknown}} */ data) {
  if (!settings.checksState || left) return;
  if (steps[0].kill) {
    // The system is gone by now: who starts it again checks it.
    measure.note('start', data.start);
    measure.note('totals', measure.totals());
    if (context.tally) measure.note('tally', context.tally.counts());
    return;
  }
  await checkState(data.start, measure.totals());
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
  if (!settings.summaryPath) return undefined;
  /** @type {Record<string, string>} */
  const files = { [settings.summaryPath]: JSON.stringify(data) };
  if (settings.histogramsPath) files[settings.histogramsPath] = measure.exportAll();
  return files;
}
