/** @import { Run } from './run.js' */

/**
 * The version that a system said it is, in its own cells or, of systems that were loaded side by side alone, in a start.
 * @param {Pick<Run, 'records'> & Partial<Pick<Run, 'sideBySide'>>} run
 * @param {string} system its id
 * @returns {string | null} null where it told none
 */
export function versionOf({ records, sideBySide = [] }, system) {
  const told = records.find((r) => r.system === system && r.version)?.version;
  return told ?? sideBySide.find(({ versions }) => versions[system])?.versions[system] ?? null;
}
