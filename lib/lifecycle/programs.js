import { programsOf } from '../engines/native.js';
import { orNull } from '../errors.js';
import { removeNow } from '../process/child.js';
import { temporaryFolder } from '../process/temporary.js';
import { lastLine, runTool } from '../process/tool.js';

/** @import { CeilingRaw, Stack } from '../types.d.ts' */

/** Programs of a stack that print a line of JSON. */

/**
 * @param {Stack} stack
 * @param {number} repeat
 * @returns {Promise<CeilingRaw | null>} null where the manifest has no such program
 */
export async function ceilingOf(stack, repeat) {
  const ceiling = stack.manifest.lifecycle?.ceiling;
  if (!ceiling) return null;
  const data = temporaryFolder(`${stack.id}-ceiling`);
  const { fill, env } = programsOf(stack, { data });
  const { ok, stdout, stderr } = await runTool(ceiling.command.map(fill), { cwd: data, env });
  removeNow(data);
  const line = lastJson(stdout);
  const rate = line?.[ceiling.rate];
  const itemsPerSec = ok && typeof rate === 'number' ? rate : null;
  const telling = stderr.split('\n').find((text) => /error|not ok/i.test(text)) ?? lastLine(stderr);
  const why = telling.trim().slice(0, 200) || `it printed no ${ceiling.rate}`;
  const problem = itemsPerSec === null ? why : null;
  return { schemaVersion: 1, system: stack.id, repeat, itemsPerSec, problem, line };
}

/**
 * @param {string} text
 * @returns {Record<string, any> | null} the last line that is a JSON object
 */
export function lastJson(text) {
  const values = text.split('\n').map((line) => orNull(() => JSON.parse(line)));
  return values.findLast((value) => value && typeof value === 'object' && !Array.isArray(value)) ?? null;
}
