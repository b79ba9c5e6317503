import { ofGroups, withDescendants } from '../process/table.js';
import { sampleContainers } from './container-view.js';
import { sampleRows, sampleWithPs } from './processes.js';

/**
 * @import { ProcessSample } from '../types.d.ts'
 * @import { ProcessRow } from '../process/table.js'
 * @import { ContainerView } from './container-view.js'
 */

/**
 * Whose processes are looked at: those of process groups or some, with all that they start, or those in containers.
 * @typedef {{pgids: number[], containers?: undefined, roots?: undefined}
 *   | {containers: ContainerView[], pgids?: undefined, roots?: undefined}
 *   | {roots: number[], pgids?: undefined, containers?: undefined}} Watched
 */

/**
 * @param {Watched} watched
 * @param {ProcessRow[] | null} table
 * @returns {ProcessRow[]}
 */
export function processesOf({ pgids, containers, roots }, table) {
  const first = containers?.flatMap(({ pid }) => pid ?? []) ?? roots;
  return first ? withDescendants(table ?? [], first) : ofGroups(table ?? [], pgids ?? []);
}

/**
 * @param {Watched} watched
 * @param {ProcessRow[] | null} table one reading of {@link processTable}, shared by all that are looked at in a tick
 * @returns {ProcessSample | null} what they have used so far; null when nothing of them is left
 */
export function sampleWatched(watched, table) {
  const { pgids, containers } = watched;
  if (containers) return sampleContainers(containers, table);
  return pgids && table === null ? sampleWithPs(pgids) : sampleRows(processesOf(watched, table));
}
