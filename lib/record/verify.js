import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { cellsOf } from '../config/trials.js';
import { writeJson } from '../store.js';
import { freshLifecycle, readLifecycle, storeLifecycle } from './lifecycle.js';
import { readPart } from './read-part.js';
import { recordOf } from './recompute.js';
import { cellFiles, methodProblem, readEnvironment, readPlan } from './run-folder.js';
import { damageOf, isSealed, SUMS } from './seal.js';
import { readStarts, startFiles, startRecordOf } from './starts.js';
import { isWhole } from './whole.js';

/** @import { CellRecord, Plan } from '../types.d.ts' */

/**
 * Checks a run against its checksums first, and only where these hold whether its records follow from `raw/`.
 * @param {string} data folder with the files of a run
 * @returns {string[]} what does not hold, each with its file or cell; empty when all does
 */
export function verifyRun(data) {
  if (!isSealed(data)) return [`${SUMS}: missing, as after a run that was killed`, ...unfounded(data)];
  const damage = damageOf(data);
  return damage.length > 0 ? damage : unfounded(data);
}

/**
 * A run without checksums was killed, perhaps between a raw file and what follows from it: that much may lack there.
 * @param {string} data
 * @returns {string[]} what does not follow from the raw files and the plan
 */
export function unfounded(data) {
  const other = methodProblem(readPart(join(data, 'plan.json')));
  if (other) return [`plan.json: ${other}`];
  const plan = readPlan(data);
  if (existsSync(join(data, 'environment.json'))) readEnvironment(data);
  const profile =
    !existsSync(join(data, 'profile.json')) ||
    isDeepStrictEqual(readPart(join(data, 'profile.json')), plan.profile);
  return [
    ...(profile ? [] : ['profile.json: not the profile of the plan']),
    ...strangers(data, plan),
    ...strangeCells(data, plan),
    ...changedRecords(data, plan),
    ...(isSealed(data) ? [...lostResults(data, plan), ...changedLifecycle(data, plan)] : []),
  ];
}

/**
 * @param {string} data
 * @param {Plan} plan
 * @returns {string[]} results, and files that they could follow from, of cells that are in no plan
 */
function strangers(data, plan) {
  const ids = cellsOf(plan).map((c) => c.id);
  const planned = new Set(ids.map((id) => `${id}.json`));
  const namesIn = (/** @type {string} */ folder) =>
    existsSync(join(data, folder)) ? readdirSync(join(data, folder)) : [];
  const isOfCell = (/** @type {string} */ name) => ids.some((id) => name.startsWith(`${id}.`));
  return [
    ...namesIn('results')
      .filter((name) => name.endsWith('.json') && !planned.has(name))
      .map((name) => `results/${name}`),
    ...namesIn('raw')
      .filter((name) => !OF_SYSTEMS.test(name) && !isOfCell(name))
      .map((name) => `raw/${name}`),
  ].map((file) => `${file}: of no cell of the plan`);
}

/** In raw/, what belongs to systems and starts. */
const OF_SYSTEMS = /^(conformance|lifecycle|ceiling|start)\./;

/**
 * @param {string} data
 * @param {Plan} plan
 * @returns {string[]} cells that were measured and whose result is gone
 */
function lostResults(data, plan) {
  return cellsOf(plan)
    .map((cell) => cellFiles(cell.id))
    .filter((files) => existsSync(join(data, files.meta)) && !existsSync(join(data, files.result)))
    .map((files) => `${files.result}: missing, and ${files.meta} is there`);
}

/**
 * @param {string} data
 * @param {Plan} plan as it was written
 * @returns {string[]} cells that were measured otherwise than planned
 */
function strangeCells(data, plan) {
  return cellsOf(plan).flatMap((cell) => {
    const { meta } = cellFiles(cell.id);
    const measured = existsSync(join(data, meta)) ? readPart(join(data, meta)).cell : cell;
    return isDeepStrictEqual(measured, cell) ? [] : [`${meta}: not the cell of the plan`];
  });
}

/**
 * One stored record with the raw file that it follows from. `whole`: its files may not be half gone already.
 * @typedef {{result: string, raw: string, stored: any, whole: boolean, fresh: () => unknown}} Followed
 */

/**
 * @param {string} data
 * @param {Plan} plan
 * @returns {string[]} repeats and starts whose stored record is not what raw/ gives
 */
function changedRecords(data, plan) {
  const sealed = isSealed(data);
  return [...followedCells(data, plan), ...followedStarts(data, plan)].flatMap((own) => {
    // What is not whole is measured again.
    if (!sealed && !own.whole) return [];
    if (!existsSync(join(data, own.raw))) return [`${own.result}: nothing of it in raw/`];
    return isStored(own.fresh(), own.stored) ? [] : [`${own.result}: does not follow from raw/`];
  });
}

/** @param {string} data @param {Plan} plan @returns {Followed[]} */
function followedCells(data, plan) {
  /** @type {CellRecord[]} */
  const again = [];
  return measuredCells(data, plan).map((cell) => {
    const files = cellFiles(cell.id);
    const stored = readPart(join(data, files.result));
    const fresh = () => {
      const judged = recordOf(data, cell.id, plan, again);
      again.push(judged);
      // Where a reference was measured again, what stands beside it is judged anew at the end.
      const isLate = !isSealed(data) && !isStored(judged, stored);
      return isLate ? recordOf(data, cell.id, plan, []) : judged;
    };
    return { result: files.result, raw: files.meta, stored, whole: isWhole(stored), fresh };
  });
}

/** @param {string} data @param {Plan} plan @returns {Followed[]} */
function followedStarts(data, plan) {
  return readStarts(data, plan).map((stored) => {
    const { result, raw } = startFiles(stored.group, stored.start);
    const fresh = () => startRecordOf(data, plan, stored.group, stored.start);
    return { result, raw, stored, whole: true, fresh };
  });
}

/**
 * Judges every cell of a run that went on anew: a reference that was measured later stands beside those before it, too.
 * @param {string} data
 */
export function rejudge(data) {
  const plan = readPlan(data);
  /** @type {CellRecord[]} */
  const again = [];
  for (const cell of measuredCells(data, plan)) {
    const path = join(data, cellFiles(cell.id).result);
    const fresh = recordOf(data, cell.id, plan, again);
    again.push(fresh);
    if (!isStored(fresh, readPart(path))) writeJson(path, fresh);
  }
  for (const { system } of plan.lifecycle ?? []) storeLifecycle(data, system);
}

/**
 * @param {unknown} fresh
 * @param {unknown} stored
 * @returns {boolean} whether it would be the same on disk; in which order its fields stand says nothing
 */
function isStored(fresh, stored) {
  return isDeepStrictEqual(JSON.parse(JSON.stringify(fresh)), stored);
}

/**
 * @param {string} data
 * @param {Plan} plan
 */
function measuredCells(data, plan) {
  return cellsOf(plan).filter((cell) => existsSync(join(data, cellFiles(cell.id).result)));
}

/**
 * @param {string} data
 * @param {Plan} plan
 * @returns {string[]}
 */
function changedLifecycle(data, plan) {
  const kept = readLifecycle(data, plan);
  return (plan.lifecycle ?? []).flatMap(({ system }) => {
    const fresh = JSON.stringify(freshLifecycle(data, system));
    const stored = kept.find((l) => l.system === system) ?? null;
    return fresh === JSON.stringify(stored) ? [] : [`lifecycle of ${system}: does not follow from raw/`];
  });
}
