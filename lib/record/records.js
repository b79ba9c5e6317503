import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { cellsOf, pairedTrials } from '../config/trials.js';
import { partProblems, schemaProblems } from '../config/validate.js';
import { BenchError } from '../errors.js';
import { writeJson } from '../store.js';
import { lifecycleRecord } from './lifecycle.js';
import { readPart } from './read-part.js';
import { judgedRecord } from './recompute.js';
import { ceilingFile, lifecycleId, readRaw, recordFiles, startId } from './run-folder.js';
import { buildStart } from './starts.js';
import { isWhole } from './whole.js';

/**
 * The records of a run: of each load of one system, of each start of several, and of each system's start-up. Each follows from
 * its raw files, has an id, and lies in one file that is named after it.
 * @import { CeilingRaw, CellMeta, CellRecord, LifecycleRaw, LifecycleRecord, Plan, StartRaw, StartRecord } from '../types.d.ts'
 */

/** @typedef {CellRecord | StartRecord | LifecycleRecord} AnyRecord */

/** @param {AnyRecord} record @returns {record is StartRecord} */
export function isStart(record) {
  return 'pairs' in record;
}

/** @param {AnyRecord} record @returns {record is LifecycleRecord} */
export function isLifecycle(record) {
  return 'startMs' in record;
}

/** @param {AnyRecord} record @returns {string} by which its files are known */
export function idOf(record) {
  if (isStart(record)) return startId(record.group, record.start);
  return isLifecycle(record) ? lifecycleId(record.system) : record.cell;
}

/** @param {AnyRecord} record @returns {CellRecord[]} every load of one system in it, alone or while nobody else was up */
export function samplesOf(record) {
  if (isStart(record)) return record.alone;
  return isLifecycle(record) ? [] : [record];
}

/**
 * @param {string} runFolder
 * @param {Plan} plan
 * @returns {string[]} ids of all that the plan foresees, in its order: loads, starts as far as there are any, and start-ups
 */
export function recordIds(runFolder, plan) {
  const starts = pairedTrials(plan).flatMap((_, group) => {
    /** @type {string[]} */
    const ids = [];
    const next = () => startId(group, ids.length + 1);
    while (existsSync(join(runFolder, recordFiles(next()).result))) ids.push(next());
    return ids;
  });
  const lifecycles = (plan.lifecycle ?? []).map(({ system }) => lifecycleId(system));
  return [...cellsOf(plan).map(({ id }) => id), ...starts, ...lifecycles];
}

/**
 * Raw files to the record that follows from them.
 * @param {string} runFolder
 * @param {string} id
 * @param {Plan} plan
 * @returns {AnyRecord}
 */
export function recordOf(runFolder, id, plan) {
  const raw = readRaw(runFolder, id);
  const meta = /** @type {CellMeta | StartRaw | LifecycleRaw} */ (raw.meta);
  if ('slices' in meta) return buildStart(meta, raw.histograms, plan);
  if ('startMs' in meta) return lifecycleRecord(meta, ceilingsOf(runFolder, meta.system, plan));
  return judgedRecord(raw, plan);
}

/**
 * @param {string} runFolder
 * @param {string} system
 * @param {Plan} plan
 * @returns {CeilingRaw[]} by repeat
 */
function ceilingsOf(runFolder, system, { repeats }) {
  return Array.from({ length: repeats }, (_, i) => join(runFolder, ceilingFile(system, i + 1)))
    .filter((path) => existsSync(path))
    .map((path) => readPart(path, 'Ceiling'));
}

/**
 * @param {string} runFolder
 * @param {string} id of raw files that are there
 * @param {Plan} plan
 * @param {AnyRecord} [record] what follows from them
 * @returns {AnyRecord} the same, on disk from now on
 */
export function storeRecord(runFolder, id, plan, record = recordOf(runFolder, id, plan)) {
  writeJson(join(runFolder, recordFiles(id).result), record);
  return record;
}

/**
 * @param {string} runFolder
 * @param {string} id
 * @returns {AnyRecord | null} a failed one included; null where there is none
 * @throws {BenchError} when the file is another record's, or holds none: it says the first thing that is wrong
 */
export function readRecord(runFolder, id) {
  const path = join(runFolder, recordFiles(id).result);
  if (!existsSync(path)) return null;
  const record = readPart(path);
  const problem = problemOf(record, id);
  if (problem)
    throw new BenchError(`${path} is no ${problem}`, { hint: 'the file was changed after the run' });
  return record;
}

/**
 * @param {string} runFolder
 * @param {string} id
 * @returns {AnyRecord | null} null: it is to be measured, or once more
 */
export function readWhole(runFolder, id) {
  const record = readRecord(runFolder, id);
  return isWhole(record) ? record : null;
}

/** @param {any} record @param {string} id @returns {string | null} what it is not */
function problemOf(record, id) {
  if (typeof record !== 'object' || record === null) return `result of ${id}`;
  const part = (isStart(record) && 'Start') || (isLifecycle(record) && 'Lifecycle');
  const [problem] = part ? partProblems('run', part, record) : [];
  if (problem) return `record: ${problem}`;
  if (idOf(record) !== id) return `result of ${id}`;
  const [wrong] = samplesOf(record).flatMap((sample) => schemaProblems('result', sample));
  return wrong ? `record: ${wrong}` : null;
}

/**
 * @param {string} runFolder
 * @param {Plan} plan
 * @returns {AnyRecord[]} of all that was measured so far
 */
export function readRecords(runFolder, plan) {
  return recordIds(runFolder, plan).flatMap((id) => readRecord(runFolder, id) ?? []);
}
