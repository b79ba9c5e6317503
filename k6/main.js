/**
 * The only script that k6 is started with: one workload, and either one step (or all closed ones) of a profile on one
 * system, or the loads of a trial that the runner orders one by one, on one system or several.
 *
 *   k6 run -e SYSTEM=… -e WORKLOAD=… -e PROFILE=smoke -e BASE_URL=scheme://host:port k6/main.js
 *
 * task.js reads what is asked for, schedule/ makes k6's scenarios of it, drives/ hold what a virtual user does in them,
 * state-check.js looks at what is stored, before and after.
 * Nothing here knows a system or a workload by name.
 */
import measure from 'k6/x/measure';
import { resultLines } from './result-lines.js';
import { runnerResult } from './runner-result.js';
import { left, plan, settings, systems } from './task.js';

export { burst } from './drives/burst.js';
export { fixedCount } from './drives/fixed-count.js';
export { iteration } from './drives/iteration.js';
export { listen } from './drives/listen.js';
export { orders } from './drives/orders.js';
export { noteStart, setup, teardown, verify } from './state-check.js';

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
  setupTimeout: `${60 * systems.length + (settings.meet ? settings.runners : 0)}s`,
  teardownTimeout: `${60 * systems.length}s`,
};

export function handleSummary(/** @type {Record<string, unknown>} */ { setup_data: _, ...data }) {
  if (settings.resultPath) {
    const result = runnerResult(JSON.stringify(data), measure.exportAll());
    return settings.resultPath === '-' ? { stdout: resultLines(result) } : { [settings.resultPath]: result };
  }
  const { summaryPath, histogramsPath } = settings;
  if (!summaryPath && !histogramsPath) return undefined;
  return {
    ...(summaryPath ? { [summaryPath]: JSON.stringify(data) } : {}),
    ...(histogramsPath ? { [histogramsPath]: measure.exportAll() } : {}),
  };
}
