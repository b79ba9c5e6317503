import { programsOf } from '../engines/native.js';
import { lastJson } from '../lifecycle/programs.js';
import { runTool } from '../process/tool.js';

/**
 * @import { Instance } from '../engines/native.js'
 * @import { ConformanceOutcome, Stack } from '../types.d.ts'
 */

const TIMEOUT_MS = 300_000;

/**
 * Is this system right at all? Asked once, before its first load: figures of a wrong system are worthless.
 * @param {Stack} stack with a conformance check
 * @param {Instance} instance running; what the check stores stays in it
 * @param {{ours: boolean}} options `ours`: the suite itself started it, so nothing is tolerated
 * @returns {Promise<ConformanceOutcome>}
 */
export async function checkConformance(stack, instance, { ours }) {
  const check = /** @type {NonNullable<Stack['manifest']['conformance']>} */ (stack.manifest.conformance);
  const { fill, env } = programsOf(stack, { url: instance.hostUrl ?? instance.url });
  const command = [...check.command, ...(ours ? (check.ours ?? []) : [])];
  const { stdout, stderr } = await runTool(command.map(fill), { env, timeoutMs: TIMEOUT_MS });
  const line = lastJson(stdout);
  const counted = typeof line?.passed === 'number' && typeof line.failed === 'number';
  return {
    schemaVersion: 1,
    system: stack.id,
    passed: counted ? line.passed : 0,
    failed: counted ? line.failed : 0,
    tolerated: (counted && line.tolerated) || [],
    failures: (counted && line.failures) || [],
    problem: counted ? null : stderr.trim().split('\n').pop() || 'it printed no {passed, failed}',
  };
}

/**
 * @param {ConformanceOutcome} outcome
 * @returns {string | null} why no load may follow; null when it passed
 */
export function conformanceProblem({ passed, failed, failures, problem }) {
  if (problem !== null) return `the conformance check did not run: ${problem}`;
  if (failed === 0 && passed > 0) return null;
  const [first] = failures;
  const example = first ? `, for example ${first.check}: ${first.reason}` : '';
  return `the conformance check failed: ${failed} of ${passed + failed} checks${example}`;
}
