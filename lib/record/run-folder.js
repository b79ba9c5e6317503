import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BenchError } from '../errors.js';
import { readJson, writeFileAtomic, writeJson } from '../store.js';
import { currentPlan, olderConformance } from './older-plan.js';

/**
 * @import { CellMeta, CellRecord, ConformanceOutcome, Plan, ResourceSample } from '../types.d.ts'
 * @import { RawCell } from './cell.js'
 */

/**
 * Where the files of one cell lie inside the run's folder.
 * @param {string} cellId
 */
export function cellFiles(cellId) {
  return {
    meta: `raw/${cellId}.cell.json`,
    summary: `raw/${cellId}.summary.json`,
    histograms: `raw/${cellId}.histograms.json`,
    resources: `raw/${cellId}.resources.ndjson`,
    live: `raw/${cellId}.live.json`,
    syncs: `raw/${cellId}.syncs.json`,
    recovery: `raw/${cellId}.recovery.json`,
    recoverySummary: `raw/${cellId}.recovery-summary.json`,
    result: `results/${cellId}.json`,
  };
}

/**
 * @param {string} runFolder
 * @param {CellMeta} meta
 * @param {ResourceSample[]} samples
 */
export function writeRaw(runFolder, meta, samples) {
  const files = cellFiles(meta.cell.id);
  writeFileAtomic(join(runFolder, files.resources), samples.map((s) => `${JSON.stringify(s)}\n`).join(''));
  writeJson(join(runFolder, files.meta), meta);
}

/**
 * @param {string} runFolder
 * @param {string} cellId
 * @returns {RawCell}
 */
export function readRaw(runFolder, cellId) {
  const files = cellFiles(cellId);
  const optional = (/** @type {string} */ file) => {
    const path = join(runFolder, file);
    return existsSync(path) ? readJson(path) : null;
  };
  const resources = join(runFolder, files.resources);
  const present = Object.values(files).filter((f) => f !== files.result && existsSync(join(runFolder, f)));
  return {
    meta: readJson(join(runFolder, files.meta)),
    histograms: optional(files.histograms),
    summary: optional(files.summary),
    live: optional(files.live),
    syncs: optional(files.syncs),
    recovery: optional(files.recovery),
    samples: existsSync(resources)
      ? readFileSync(resources, 'utf8')
          .split('\n')
          .filter(Boolean)
          .map((l) => JSON.parse(l))
      : [],
    files: present,
  };
}

/**
 * @param {string} folder
 * @returns {boolean} whether a run is, or was, written there
 */
export function isRun(folder) {
  return existsSync(join(folder, 'plan.json'));
}

/**
 * @param {string} runFolder
 * @returns {Plan}
 * @throws {BenchError} when it is no run
 */
export function readPlan(runFolder) {
  const path = join(runFolder, 'plan.json');
  if (!existsSync(path)) {
    throw new BenchError(`${runFolder} is no run: it has no plan.json`, {
      hint: 'runs are the folders of reports/',
    });
  }
  return currentPlan(readJson(path));
}

/**
 * @param {string} runFolder
 * @param {Plan} plan
 * @returns {CellRecord[]} those measured so far, in the order of the plan
 */
export function readRecords(runFolder, plan) {
  return plan.blocks
    .flatMap((b) => b.cells)
    .map((c) => join(runFolder, cellFiles(c.id).result))
    .filter((path) => existsSync(path))
    .map((path) => readJson(path));
}

/**
 * @param {string} runFolder
 * @param {ConformanceOutcome} outcome
 */
export function writeConformance(runFolder, outcome) {
  writeJson(join(runFolder, conformancePath(outcome.system)), outcome);
}

/**
 * @param {string} runFolder
 * @param {Plan} plan
 * @returns {ConformanceOutcome[]} of the systems that were checked
 */
export function readConformance(runFolder, plan) {
  return plan.systems.flatMap(({ id }) => {
    const path = join(runFolder, conformancePath(id));
    return existsSync(path) ? [readJson(path)] : olderConformance(runFolder, id);
  });
}

/** @param {string} system */
function conformancePath(system) {
  return `raw/conformance.${system}.json`;
}
