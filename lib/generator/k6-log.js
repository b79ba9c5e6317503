import { K6_EXIT } from '../config/k6-exit.js';
import { plainLine } from '../controls.js';
import { BenchError, EXIT, orNull } from '../errors.js';

/** @typedef {{level?: string, msg: string, error?: string, output?: string, source?: string, executor?: string}} LogLine */

/**
 * @param {string} name of the script
 * @param {import('../process/tool.js').ToolEnd} ended that did not end well
 * @returns {BenchError}
 */
export function k6Problem(name, { code, stderr, cause }) {
  // A shell's own words for what is no program.
  const isNone = code === 126 || code === 127;
  if (cause || isNone)
    return new BenchError(`k6 ${cause ?? 'cannot be started: its file is no program'}`, {
      hint: '`./run-all.sh clean --cache` removes the build of k6, and the next run makes another',
    });
  const why = lastErrorIn(stderr) ?? 'k6 did not say why';
  return new BenchError(`${name}: ${code === null ? why : k6Text(code, why)}`, {
    hint: 'mend the script, or what follows "--"',
    exitCode: exitOf(code),
  });
}

/**
 * @param {number | null} code of k6
 * @param {string} why its own line
 * @returns {string} with the code, where the line does not say all
 */
export function k6Text(code, why) {
  return exitOf(code) === EXIT.usage && K6_EXIT[Number(code)] ? why : `k6 ended with code ${code}: ${why}`;
}

/** @param {number | null} code of k6 @returns {number} of ours */
export function exitOf(code) {
  return K6_EXIT[Number(code)]?.exit ?? EXIT.usage;
}

/** @param {string} text of k6's log @returns {string | null} its last error, one line */
export function lastErrorIn(text) {
  const last = linesOf(text).findLast(({ level = 'error' }) => level === 'error');
  return last ? firstLine(last) : null;
}

/** @param {{msg?: string, error?: string}} line @returns {string} without the stack */
export function firstLine({ msg = '', error }) {
  const own = msg
    .replace(/^could not initialize '.*?': could not load JS test '.*?': /s, '')
    .replace(/\n\s*at .*$/s, '');
  return plainLine(error ? `${own} (${error})` : own);
}

/**
 * @param {string} text of k6's log
 * @returns {LogLine[]}
 */
export function linesOf(text) {
  return text
    .split('\n')
    .filter((l) => l.trim())
    .map((line) => orNull(() => JSON.parse(line)) ?? { msg: line });
}
