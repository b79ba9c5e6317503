import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { METHOD_VERSION } from '../judge/method.js';
import { readJson } from '../store.js';
import { freshLifecycle, readLifecycle } from './lifecycle.js';
import { recordOf } from './recompute.js';
import { cellFiles, readEnvironment, readPlan } from './run-folder.js';
import { damageOf, isSealed, SUMS } from './seal.js';

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
 * @param {string} data
 * @returns {string[]} what does not follow from the raw files and the plan
 */
export function unfounded(data) {
  const plan = readPlan(data);
  if (existsSync(join(data, 'environment.json'))) readEnvironment(data);
  if (plan.methodVersion !== METHOD_VERSION)
    return [`plan.json: measured by method ${plan.methodVersion}, and this is method ${METHOD_VERSION}`];
  const profile =
    !existsSync(join(data, 'profile.json')) ||
    isDeepStrictEqual(readJson(join(data, 'profile.json')), JSON.parse(JSON.stringify(plan.profile)));
  return [
    ...(profile ? [] : ['profile.json: not the profile of the plan']),
    ...strangers(data, plan),
    ...lostResults(data, plan),
    ...changedRecords(data, plan),
    ...changedLifecycle(data, plan),
  ];
}

/**
 * @param {string} data
 * @param {Plan} plan
 * @returns {string[]} results of cells that are in no plan
 */
function strangers(data, plan) {
  const folder = join(data, 'results');
  if (!existsSync(folder)) return [];
  const planned = new Set(cellsOf(plan).map((c) => `${c.id}.json`));
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json') && !planned.has(name))
    .map((name) => `results/${name}: of no cell of the plan`);
}

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
 * @param {Plan} plan
 * @returns {string[]} cells whose stored record is not what raw/ gives
 */
function changedRecords(data, plan) {
  /** @type {CellRecord[]} */
  const again = [];
  const measured = cellsOf(plan).filter((cell) => existsSync(join(data, cellFiles(cell.id).result)));
  return measured.flatMap((cell) => {
    const files = cellFiles(cell.id);
    if (!existsSync(join(data, files.meta))) return [`${files.result}: nothing of it in raw/`];
    if (!isDeepStrictEqual(readJson(join(data, files.meta)).cell, cell))
      return [`${files.meta}: not the cell of the plan`];
    const fresh = recordOf(data, cell.id, plan, again);
    again.push(fresh);
    const stored = readJson(join(data, files.result));
    // As it would be on disk; in which order its fields stand says nothing.
    const same = isDeepStrictEqual(JSON.parse(JSON.stringify(fresh)), stored);
    return same ? [] : [`${files.result}: does not follow from raw/`];
  });
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

/** @param {Plan} plan */
function cellsOf(plan) {
  return plan.blocks.flatMap((b) => b.cells);
}
