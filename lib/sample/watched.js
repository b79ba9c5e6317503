import { processesIn, sampleContainers } from './container-view.js';
import { sampleGroups } from './processes.js';

/**
 * @import { ProcessSample } from '../types.d.ts'
 * @import { ProcessRow } from '../process/table.js'
 * @import { ContainerView } from './container-view.js'
 */

/**
 * Whose processes are looked at: those of process groups, or those in containers.
 * @typedef {{pgids: number[], containers?: undefined} | {containers: ContainerView[], pgids?: undefined}} Watched
 */

/**
 * @param {Watched} watched
 * @param {ProcessRow[] | null} table
 * @returns {ProcessRow[]}
 */
export function processesOf({ pgids, containers }, table) {
  return containers ? processesIn(containers, table) : (table ?? []).filter((r) => pgids.includes(r.pgid));
}

/**
 * @param {Watched} watched
 * @param {ProcessRow[] | null} table one reading, shared by all that are looked at in a tick
 * @returns {ProcessSample | null} what they have used so far; null when nothing of them is left
 */
export function sampleWatched({ pgids, containers }, table) {
  return containers ? sampleContainers(containers, table) : sampleGroups(pgids, table);
}
