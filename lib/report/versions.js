/** @import { Run } from './run.js' */

/**
 * @param {Partial<Pick<Run, 'records'>>} run
 * @param {string} system its id
 * @returns {string | null} the version that it said it is; null where it told none
 */
export function versionOf({ records = [] }, system) {
  return records.find((r) => r.system === system && r.version)?.version ?? null;
}
