/** @import { Run } from './run.js' */

/**
 * @param {Partial<Pick<Run, 'records'>>} run
 * @param {string} system its id
 * @returns {string | null} the version that it said it is; null where it told none
 */
export function versionOf({ records = [] }, system) {
  return records.find((r) => r.system === system && r.version)?.version ?? null;
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
