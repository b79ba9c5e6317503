import { plainLine } from '../controls.js';
import { jsonOf, lastLine, runTool } from '../process/tool.js';

/**
 * The only place that knows kubectl's command line. It is what whoever has a cluster has: it knows their contexts and how
 * they log in.
 */

/**
 * @typedef {object} Where
 * @property {string} [context] absent: the current one
 * @property {string} [namespace] absent: that of the context
 */

/** How long the cluster may take to answer. */
const ANSWER_MS = 30_000;

/**
 * @param {Where} where
 * @param {string[]} args
 * @param {{input?: string, timeoutMs?: number}} [options]
 * @returns {Promise<{ok: boolean, stdout: string, problem: string}>} never rejects; `problem`: its last line of error, or that
 *   it did not answer
 */
export async function kubectl(where, args, { input, timeoutMs = ANSWER_MS } = {}) {
  const command = ['kubectl', ...flagsOf(where), ...args];
  const { ok, stdout, stderr, timedOut } = await runTool(command, { input, timeoutMs });
  if (timedOut) return { ok, stdout, problem: `no answer in ${timeoutMs / 1000} s` };
  return { ok, stdout, problem: ok ? '' : plainLine(lastLine(stderr)) };
}

/**
 * @param {Where} where
 * @returns {string[]}
 */
export function flagsOf({ context, namespace }) {
  return [...(context ? ['--context', context] : []), ...(namespace ? ['--namespace', namespace] : [])];
}

/**
 * @param {Where} where
 * @param {string[]} what resources, with their selectors
 * @returns {Promise<any>} what the cluster says of them; null where it does not
 */
export async function getJson(where, what) {
  return jsonOf(await kubectl(where, ['get', ...what, '--output', 'json']));
}
