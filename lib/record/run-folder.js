import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { partProblems } from '../config/validate.js';
import { BenchError } from '../errors.js';
import { METHOD_VERSION, METHODS_READ } from '../judge/method.js';
import { readText, writeFileAtomic, writeJson } from '../store.js';
import { partOrNull, readPart, strange } from './read-part.js';
import { readRunners } from './runners.js';

/**
 * @import { CellMeta, ConformanceOutcome, Plan, ResourceSample } from '../types.d.ts'
 * @import { RawCell } from './cell.js'
 */

/** @param {number} group @param {number} start @returns {string} id of the record of a start of several systems */
export function startId(group, start) {
  return `start.${group}.${start}`;
}

/** @param {string} system @returns {string} id of the record of its start-up */
export function lifecycleId(system) {
  return `lifecycle.${system}`;
}

/** @param {string} system @param {number} repeat @returns {string} where the speed of its storage alone lies inside the run's folder */
export function ceilingFile(system, repeat) {
  return `raw/ceiling.${system}.r${repeat}.json`;
}

/**
 * Where the files of one record lie inside the run's folder.
 * @param {string} id
 */
export function recordFiles(id) {
  return {
    meta: `raw/${id}.json`,
    summary: `raw/${id}.summary.json`,
    histograms: `raw/${id}.histograms.json`,
    resources: `raw/${id}.resources.ndjson`,
    live: `raw/${id}.live.json`,
    syncs: `raw/${id}.syncs.json`,
    before: `raw/${id}.before.json`,
    after: `raw/${id}.after.json`,
    recovery: `raw/${id}.recovery.json`,
    recoverySummary: `raw/${id}.recovery-summary.json`,
    result: `results/${id}.json`,
  };
}

/** Pages that k6 has written by itself: large, and nothing follows from them, so that no archive holds them. */
export const K6_PAGES = 'k6';

/**
 * @param {string} cellId
 * @returns {string} where k6's own page of a cell lies inside the run's folder
 */
export function k6PageOf(cellId) {
  return `${K6_PAGES}/${cellId}.html`;
}

/**
 * @param {string} runFolder
 * @param {CellMeta} meta
 * @param {ResourceSample[]} samples
 * @throws {BenchError} when the file system refuses; of the cell nothing is left then, what k6 wrote included
 */
export function writeRaw(runFolder, meta, samples) {
  const files = recordFiles(meta.cell.id);
  try {
    writeFileAtomic(join(runFolder, files.resources), samples.map((s) => `${JSON.stringify(s)}\n`).join(''));
    writeJson(join(runFolder, files.meta), meta);
  } catch (error) {
    // A disk that is full now was full while k6 wrote: its files may be torn.
    for (const file of Object.values(files)) rmSync(join(runFolder, file), { force: true });
    throw error;
  }
}

/**
 * @param {string} runFolder
 * @param {string} id
 * @returns {RawCell}
 */
export function readRaw(runFolder, id) {
  const files = recordFiles(id);
  const optional = (/** @type {string} */ file) => partOrNull(join(runFolder, file));
  const resources = join(runFolder, files.resources);
  const present = Object.values(files).filter((f) => f !== files.result && existsSync(join(runFolder, f)));
  const meta = readPart(join(runFolder, files.meta));
  const load = meta.generators
    ? readRunners(runFolder, meta, optional(files.after))
    : { histograms: optional(files.histograms), summary: optional(files.summary), files: [] };
  return {
    meta,
    ...load,
    live: optional(files.live),
    syncs: optional(files.syncs),
    recovery: optional(files.recovery),
    samples: existsSync(resources)
      ? readText(resources)
          .split('\n')
          .filter(Boolean)
          .map((l) => JSON.parse(l))
      : [],
    files: [...present, ...load.files],
  };
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
  const plan = readPart(path);
  const other = methodProblem(plan);
  if (other)
    throw new BenchError(`${path}: ${other}`, {
      hint: 'its pages stay as they are, and the commit in its environment.json reads it; docs/changelog.md says what changed',
    });
  const [wrong] = partProblems('run', 'Plan', plan);
  if (wrong) throw strange(path, wrong);
  return plan;
}

/**
 * @param {any} plan
 * @returns {string | null} why another version of the suite has to read it
 */
export function methodProblem(plan) {
  const methodVersion = plan?.methodVersion;
  return METHODS_READ.includes(methodVersion) || typeof methodVersion !== 'number'
    ? null
    : `measured by method ${methodVersion}, and this is method ${METHOD_VERSION}`;
}

/**
 * @param {string} runFolder
 * @returns {any}
 * @throws {BenchError} when it says nothing about a machine
 */
export function readEnvironment(runFolder) {
  const path = join(runFolder, 'environment.json');
  return readPart(path, 'Environment');
}

/** A part of a path that stays in its folder. */
const SAFE_NAME = /^(?!\.)[^/\\\p{Cc}]{1,200}$/u;

/**
 * @param {unknown} name
 * @returns {boolean} whether a file may be called so
 */
export function isSafeName(name) {
  return typeof name === 'string' && SAFE_NAME.test(name);
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
  return plan.systems.flatMap(
    ({ id }) => partOrNull(join(runFolder, conformancePath(id)), 'Conformance') ?? [],
  );
}

/** @param {string} system */
function conformancePath(system) {
  return `raw/conformance.${system}.json`;
}
