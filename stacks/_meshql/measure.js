import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { loadStacks } from '../../lib/config/stacks.js';
import { newestRun, runCommand, shortProfile, temporaryFolder } from '../../lib/e2e/harness.js';

export const WORKLOADS = ['rest-crud', 'graphql-queries', 'federation-depth', 'mixed-workload'];
/** One that takes long to be had has a test of its own in its folder. */
export const implementations = loadStacks().stacks.filter(
  ({ id, manifest }) =>
    manifest.workloads[WORKLOADS[0]] && id[0] !== '_' && !manifest.native?.build?.some((b) => b.slow),
);
const folder = temporaryFolder();

/**
 * A short run of the suite, for tests; several at once have a folder each.
 * @param {string[]} args
 * @param {string[]} workloads
 * @param {object} [changes] of the profile
 */
export async function measure(args, workloads, changes = {}) {
  const own = mkdtempSync(join(folder, 'run-'));
  const profile = shortProfile(own, {
    workloads,
    drive: 'burst',
    steps: [{ id: 'c4', model: 'closed', vus: 4, durationSec: 3 }],
    thresholds: { errorRatio: 0.001, minOperations: 10 },
    ...changes,
  });
  const reports = join(own, 'reports');
  const ended = await runCommand([profile, '--reports', reports, '--no-live', ...args]);
  return { ...ended, ...newestRun(reports) };
}
