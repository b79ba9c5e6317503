import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { BenchError, demandNone } from '../errors.js';
import { ROOT, shown } from '../paths.js';
import { shellWord } from '../process/shell.js';
import { isJsonFile, namesIn, readDeclared } from './declared.js';
import { FAULTS } from './faults.js';
import { suggest } from './nearest.js';
import { schemaProblems } from './validate.js';

/** @import { Fault, Profile, Step } from '../types.d.ts' */

export const PROFILES = join(ROOT, 'profiles');

/** @returns {string[]} ids, sorted */
export function profileIds() {
  return namesIn(PROFILES, '.json');
}

/**
 * @param {string} id of a committed profile, or the path of another file, ending in `.json`
 * @returns {Profile}
 * @throws {BenchError} unknown (with the nearest name) or invalid (with every problem)
 */
export function loadProfile(id) {
  const path = isJsonFile(id) ? resolve(id) : join(PROFILES, `${id}.json`);
  if (!existsSync(path)) {
    throw new BenchError(
      `unknown profile "${id}": ${isJsonFile(id) ? 'there is no such file' : suggest(id, profileIds())}`,
      { hint: '`./run-all.sh profiles` lists those that have a name' },
    );
  }
  const profile = readDeclared(path);
  demandNone(profileProblems(profile), {
    prefix: `${shown(path)}: `,
    hint: `\`./run-all.sh check${isJsonFile(id) ? ` ${shellWord(id)}` : ''}\` lists all problems`,
  });
  return profile;
}

/**
 * What the schema cannot express.
 * @param {Profile} profile
 * @returns {string[]}
 */
export function profileProblems(profile) {
  const problems = schemaProblems('profile', profile);
  if (problems.length > 0) return problems;
  const { steps } = profile;
  const ids = steps.map((s) => s.id);
  for (const [i, step] of steps.entries()) {
    if (ids.indexOf(step.id) < i) problems.push(`steps.${i}: the id "${step.id}" is used twice`);
    const isFirst = steps.slice(0, i + 1).every((s) => s.model !== 'closed');
    for (const problem of stepProblems(step, profile.drive, isFirst)) problems.push(`steps.${i}: ${problem}`);
  }
  for (const part of /** @type {const} */ (['calibration', 'sideBySide']))
    for (const id of profile[part]?.steps ?? [])
      if (!ids.includes(id)) problems.push(`${part}.steps: there is no step "${id}"`);
  return problems;
}

/**
 * @param {Step} step
 * @param {Profile['drive']} ofProfile
 * @param {boolean} isFirst whether no closed step is before it
 * @returns {Generator<string>}
 */
function* stepProblems(step, ofProfile, isFirst) {
  const { model, drive = ofProfile, operations, fractionOfKnee, depth = 1, clientPattern } = step;
  if (fractionOfKnee !== undefined && isFirst)
    yield '"fractionOfKnee" needs an earlier closed step that finds the highest throughput';
  if (operations !== undefined && model === 'open')
    yield '"operations" needs the closed model: a fixed rate needs a duration';
  if (step.fault) yield* faultProblems(step.fault, step);
  if (drive !== 'iteration') return;
  if (depth > 1) yield '"depth" needs the drive "burst": an iteration has one operation in flight';
  if (clientPattern)
    yield '"clientPattern" needs the drive "burst": a client library decides itself how it writes';
  if (model === 'open') yield 'the open model needs the drive "burst", which knows the scheduled moment';
}

/** A fault is watched for at least so long when it is over. */
const WATCH_SEC = 3;

/**
 * @param {Fault} fault
 * @param {Step} step
 * @returns {Generator<string>}
 */
function* faultProblems({ kind, atSec, forSec }, { model, kill, durationSec = 0 }) {
  const lasts = FAULTS[kind].end !== undefined;
  const leastSec = atSec + (forSec ?? 0) + WATCH_SEC;
  if (model !== 'open' || kill) yield '"fault" needs the open model, and excludes "kill"';
  if (!lasts && forSec !== undefined) yield `"forSec": a ${kind} is over at once`;
  if (lasts && forSec === undefined) yield `the fault "${kind}" needs "forSec"`;
  if (durationSec < leastSec)
    yield `"durationSec" must last ${WATCH_SEC} s beyond the fault: at least ${leastSec}`;
}

/**
 * @param {Profile} profile
 * @param {number[] | null} users null: of all steps
 * @returns {Profile} with the steps of so many users
 * @throws {BenchError} a number that no step has
 */
export function withSteps(profile, users) {
  if (users === null) return profile;
  const known = [...new Set(profile.steps.map((s) => s.vus))];
  const strange = users.find((n) => !known.includes(n));
  if (strange !== undefined)
    throw new BenchError(`--steps ${strange}: the profile has steps of ${known.join(', ')} users`);
  return { ...profile, steps: profile.steps.filter((s) => users.includes(s.vus)) };
}
