import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { cellsOf } from '../config/trials.js';
import { partOrNull, readPart } from './read-part.js';
import { isLifecycle, recordIds, recordOf } from './records.js';
import { methodProblem, readEnvironment, readPlan, recordFiles } from './run-folder.js';
import { damageOf, dataFiles, isSealed, SUMS } from './seal.js';
import { isWhole } from './whole.js';

/** @import { Plan } from '../types.d.ts' */

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
  ];
}

/**
 * @param {string} data
 * @param {Plan} plan
 * @returns {string[]} results, and files that they could follow from, of cells that are in no plan
 */
function strangers(data, plan) {
  const ids = recordIds(data, plan);
  const results = new Set(ids.map((id) => `results/${id}.json`));
  const raw = ids.map((id) => `raw/${id}.`);
  const isPlanned = (/** @type {string} */ file) =>
    results.has(file) || raw.some((own) => file.startsWith(own));
  return dataFiles(data)
    .filter((file) => file.includes('/') && !OF_SYSTEMS.test(file) && !isPlanned(file))
    .map((file) => `${file}: of no cell of the plan`);
}

/** What belongs to systems and starts. */
const OF_SYSTEMS = /^raw\/(conformance|lifecycle|ceiling|start)\./;

/**
 * @param {string} data
 * @param {Plan} plan as it was written
 * @returns {string[]} cells that were measured otherwise than planned
 */
function strangeCells(data, plan) {
  return cellsOf(plan).flatMap((cell) => {
    const { meta } = recordFiles(cell.id);
    const measured = existsSync(join(data, meta)) ? readPart(join(data, meta)).cell : cell;
    const { durationSec } = measured?.step ?? {};
    // Its windows may have been prolonged until they fitted.
    const isLonger = durationSec > Number(cell.step.durationSec);
    const loaded = isLonger ? { ...cell, step: { ...cell.step, durationSec } } : cell;
    return isDeepStrictEqual(measured, loaded) ? [] : [`${meta}: not the cell of the plan`];
  });
}

/**
 * @param {string} data
 * @param {Plan} plan
 * @returns {string[]} records that are not what raw/ gives
 */
function changedRecords(data, plan) {
  const sealed = isSealed(data);
  return recordIds(data, plan).flatMap((id) => {
    const { result, meta } = recordFiles(id);
    const stored = partOrNull(join(data, result));
    // What is not whole is measured again, and of a start-up a reading of the storage may have come after its record.
    if (!sealed && (!isWhole(stored) || isLifecycle(stored))) return [];
    const isThere = existsSync(join(data, meta));
    if (stored === null) return isThere ? [`${result}: missing, and ${meta} is there`] : [];
    if (!isThere) return [`${result}: nothing of it in raw/`];
    // As it would be on disk; in which order its fields stand says nothing.
    const fresh = JSON.parse(JSON.stringify(recordOf(data, id, plan)));
    return isDeepStrictEqual(fresh, stored) ? [] : [`${result}: does not follow from raw/`];
  });
}
