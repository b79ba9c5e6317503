/** @import { Run } from './run.js' */

/**
 * The version that a system said it is, in its own cells or, of systems that were loaded side by side alone, in a start.
 * @param {Partial<Pick<Run, 'records' | 'sideBySide'>>} run
 * @param {string} system its id
 * @returns {string | null} null where it told none
 */
export function versionOf({ records = [], sideBySide = [] }, system) {
  const told = records.find((r) => r.system === system && r.version)?.version;
  return told ?? sideBySide.find(({ versions }) => versions[system])?.versions[system] ?? null;
}

/**
 * @param {Parameters<typeof versionOf>[0]} run
 * @param {import('../types.d.ts').PlannedSystem} system
 * @returns {string | null} what it said it is, else the version of its package, not that of a program beside it; null
 *   where neither is known
 */
export function systemVersion(run, { id, provenance }) {
  // `Debian package some-server 5:7.0.15-1`
  return versionOf(run, id) ?? /^[^,]*?(?:\d+:)?(\d+\.\d+(?:\.\d+)*)/.exec(provenance)?.[1] ?? null;
}
