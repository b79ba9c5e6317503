import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { cellsOf, pairedTrials } from '../config/trials.js';
import { orNull } from '../errors.js';
import { withRun } from '../record/archive.js';
import { readJson } from '../store.js';
import { cellKey, loadKey } from './estimate.js';

/**
 * How long loads took: where a system was slow it is slow again.
 * @import { PairedTrial, StartRaw } from '../types.d.ts'
 * @import { Seen } from './estimate.js'
 */

/** So many runs are looked into at most: each takes a moment. */
const MOST_RUNS = 4;
/** The files of a run that say how long its loads took. */
const TIMED = /^raw\/(start\.\d+\.\d+|(?!ceiling\.).*\.r\d+)\.json$/;
/** Of a slice, before its first cut. */
const LEAD_MS = 150;

/**
 * @param {string[]} runs folders, the newest last
 * @param {string} profileId runs of this profile say more
 * @returns {Seen}
 */
export function secondsSeen(runs, profileId) {
  /** @type {Seen} */
  const seen = new Map();
  const isAlike = (/** @type {string} */ run) => Number(run.endsWith(`-${profileId}`));
  const wanted = (/** @type {string} */ file) => file === 'plan.json' || TIMED.test(file);
  // What cannot be read says nothing.
  for (const run of [...runs].sort((a, b) => isAlike(a) - isAlike(b)).slice(-MOST_RUNS))
    orNull(() => withRun(run, (data) => addLoads(data, seen), { wanted, check: false }));
  return seen;
}

/**
 * @param {string} data of a run
 * @param {Seen} seen added to
 */
function addLoads(data, seen) {
  const plan = readJson(join(data, 'plan.json'));
  const trials = pairedTrials(plan);
  const planned = new Map(cellsOf(plan).map((cell) => [cell.id, cell]));
  for (const name of readdirSync(join(data, 'raw')).filter((file) => TIMED.test(`raw/${file}`))) {
    const raw = readJson(join(data, 'raw', name));
    if (raw.status !== 'ok') continue;
    if (raw.cell) seen.set(cellKey(planned.get(raw.cell.id) ?? raw.cell), raw.durationMs / 1000);
    else for (const [key, sec] of secondsOfStart(trials[raw.group], raw)) seen.set(key, sec);
  }
}

/**
 * @param {PairedTrial} trial
 * @param {Pick<StartRaw, 'sides' | 'slices'>} start
 * @returns {Seen} with the time that last answers took; of a system alone the window that fits, without what was tried before it
 */
export function secondsOfStart(trial, start) {
  /** @type {Seen} */
  const seen = new Map();
  for (const { cell, cutsMs, sides } of start.slices.filter(({ kind }) => kind !== 'warm')) {
    const systems = sides.map(({ name }) => String(start.sides.find((s) => s.name === name)?.system));
    const key = loadKey(trial, cell, systems);
    const sec = (Math.max(...sides.map((s) => s.report.endedMs)) - cutsMs[0] + LEAD_MS) / 1000;
    seen.set(key, systems.length > 1 ? sec + (seen.get(key) ?? 0) : sec);
  }
  return seen;
}
