import { programsOf } from '../engines/native.js';
import { lastJson } from '../lifecycle/programs.js';
import { runTool } from '../setup/exec.js';

/**
 * @import { Instance } from '../engines/native.js'
 * @import { Stack } from '../types.d.ts'
 */

const TIMEOUT_MS = 300_000;

/**
 * Is this system right at all? Asked once, before its first load: figures of a wrong system are worthless.
 * @param {Stack} stack
 * @param {Instance} instance running; what the gate stores stays in it
 * @param {{ours: boolean}} options `ours`: the suite itself started it, so nothing is tolerated
 * @returns {Promise<string | null>} why no load may follow; null when it passed, or has no gate
 */
export async function gateProblem(stack, instance, { ours }) {
  const { gate } = stack.manifest;
  if (!gate) return null;
  const { fill, env } = programsOf(stack, { url: instance.url });
  const command = [...gate.command, ...(ours ? (gate.ours ?? []) : [])];
  const { stdout, stderr } = await runTool(command.map(fill), { env, timeoutMs: TIMEOUT_MS });
  const outcome = lastJson(stdout);
  if (typeof outcome?.passed !== 'number' || typeof outcome.failed !== 'number') {
    return `the gate did not run: ${stderr.trim().split('\n').pop() || 'it printed no {passed, failed}'}`;
  }
  if (outcome.failed === 0 && outcome.passed > 0) return null;
  const [first] = outcome.failures ?? [];
  const example = first ? `, for example ${first.check}: ${first.reason}` : '';
  return `the gate failed: ${outcome.failed} of ${outcome.passed + outcome.failed} checks${example}`;
}
