import { lastLine } from './tool.js';

/**
 * @param {string} output of a program that was asked for its version
 * @returns {string} the first version number of its last line, else of all of it, else that line
 */
export function versionIn(output) {
  const pattern = /\d+\.\d+(?:\.\d+)?(?:[-+~][\w.]+)?/;
  const text = lastLine(output);
  return (pattern.exec(text) ?? pattern.exec(output))?.[0] ?? text;
}

/**
 * @param {Pick<import('./tool.js').ToolEnd, 'ok' | 'stdout' | 'stderr'>} end of a program that was asked for its version
 * @returns {string | null} null where it does not tell
 */
export function versionTold({ ok, stdout, stderr }) {
  return ok ? versionIn(stdout || stderr) : null;
}
