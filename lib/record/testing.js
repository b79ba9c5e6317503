import { cpSync, mkdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as hdr from 'hdr-histogram-js';
import { METHOD_VERSION } from '../judge/method.js';
import { readJson, writeFileAtomic, writeJson } from '../store.js';
import { storeRecord } from './records.js';
import { lifecycleId, readPlan, recordFiles, writeRaw } from './run-folder.js';
import { seal } from './seal.js';

/** @import { CellPlan } from '../types.d.ts' */

/** The stored runs: real ones, their systems renamed, their records in one file. */
export const STORED = fileURLToPath(new URL('../report/testdata', import.meta.url));
const GOLDEN = join(STORED, 'run-small');
export const SYSTEM = 'alpha';

/**
 * Lays a stored run out as a run leaves its folder: each record in a file of its own.
 * @param {string} name of the stored run
 * @param {string} folder becomes the run's
 * @returns {string} the folder
 */
export function layOut(name, folder) {
  const together = 'records.json';
  cpSync(join(STORED, name), folder, { recursive: true, filter: (path) => basename(path) !== together });
  for (const [file, record] of Object.entries(readJson(join(STORED, name, together))))
    writeJson(join(folder, file), record);
  return folder;
}

/**
 * A run whole and small: one system, two cells, start-up figures.
 * @param {string} folder becomes the run's
 * @param {{profileId?: string}} [options]
 * @returns {{cells: string[]}} their ids
 */
export function smallRun(folder, { profileId = 'smoke' } = {}) {
  mkdirSync(folder, { recursive: true });
  cpSync(join(GOLDEN, 'environment.json'), join(folder, 'environment.json'));
  const whole = readJson(join(GOLDEN, 'plan.json'));
  const trial = whole.trials.find((/** @type {any} */ t) => t.systems.includes(SYSTEM));
  const cells = /** @type {CellPlan[]} */ (trial.cells.slice(0, 2));
  writeJson(join(folder, 'plan.json'), {
    ...whole,
    profileId,
    methodVersion: METHOD_VERSION,
    systems: whole.systems.filter((/** @type {any} */ s) => s.id === SYSTEM),
    trials: [{ ...trial, cells }],
    lifecycle: [{ system: SYSTEM, unavailable: null }],
  });
  writeJson(join(folder, 'profile.json'), whole.profile);
  const plan = readPlan(folder);
  for (const cell of cells) {
    const files = recordFiles(cell.id);
    const windows = Object.keys(plan.workloads[0].operations).map((op) => windowOf(op, cell.step.vus));
    writeJson(join(folder, files.histograms), { notes: {}, cpu: [], windows });
    writeJson(join(folder, files.summary), { metrics: { iterations: { values: { count: 9000 } } } });
    writeRaw(
      folder,
      metaOf(cell),
      [{ t: 0 }, { t: 5000 }].map((s) => /** @type {any} */ (s)),
    );
    storeRecord(folder, cell.id, plan);
  }
  writeJson(join(folder, recordFiles(lifecycleId(SYSTEM)).meta), {
    schemaVersion: 1,
    system: SYSTEM,
    status: 'ok',
    reason: null,
    startMs: [12, 13, 14],
    idle: [],
    runtime: [],
  });
  storeRecord(folder, lifecycleId(SYSTEM), plan);
  writeFileAtomic(join(folder, 'README.md'), '# A run\n');
  seal(folder);
  return { cells: cells.map((c) => c.id) };
}

/**
 * A thousand operations a second: as many users as milliseconds of each, by Little's law.
 * @param {string} op
 * @param {number} ms of each of its operations
 */
function windowOf(op, ms) {
  const count = 3000;
  const histogram = hdr.build({ numberOfSignificantValueDigits: 3 });
  for (let i = 0; i < count; i++) histogram.recordValue(Math.round(ms * 10_000));
  const data = hdr.encodeIntoCompressedBase64(histogram);
  return {
    op,
    phase: 'measure',
    startMs: 1000,
    endMs: 4000,
    count,
    late: 0,
    early: 0,
    aborted: 0,
    dropped: 0,
    errors: {},
    meanMs: ms,
    minMs: ms,
    maxMs: ms,
    service: { encoding: 'V2', unit: '100ns', data },
    response: null,
    lag: null,
    series: [],
  };
}

/** @param {CellPlan} cell */
function metaOf(cell) {
  return /** @type {any} */ ({
    schemaVersion: 1,
    cell,
    position: 0,
    status: 'ok',
    reason: null,
    logTail: [],
    startedAt: '2026-11-21T01:18:30.000Z',
    durationMs: 5000,
    engine: 'native',
    version: '1',
    restarted: false,
    generatorCores: 2,
    targetPerSec: {},
    k6ExitCode: 0,
    parity: { drive: 'burst' },
    telemetry: { influx: false, dashboard: false },
  });
}
