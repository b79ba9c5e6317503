/** @import { RunOptions, ScriptOptions } from '../types.d.ts' */

/**
 * @param {Pick<RunOptions, 'script' | 'scripts'>} options of a run by a script
 * @param {string} system
 * @returns {ScriptOptions} the script that is its workload: where two are compared, each system is one of them
 */
export function scriptOf({ script, scripts }, system) {
  return /** @type {ScriptOptions} */ (scripts?.[system] ?? script);
}
