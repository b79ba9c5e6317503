import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { BenchError } from '../errors.js';
import { ROOT, shown } from '../paths.js';
import { shellWord } from '../process/shell.js';
import { readDeclared } from './declared.js';
import { FAULTS } from './faults.js';
import { suggest } from './nearest.js';
import { schemaProblems } from './validate.js';

/** @import { Profile } from '../types.d.ts' */

export const PROFILES = join(ROOT, 'profiles');

/** @returns {string[]} ids, sorted */
export function profileIds() {
  return readdirSync(PROFILES)
    .filter((f) => f.endsWith('.json'))
    .map((f) => f.slice(0, -'.json'.length))
    .sort();
}

/**
 * @param {string} id of a committed profile, or the path of another file, ending in `.json`
 * @returns {Profile}
 * @throws {BenchError} unknown (with the nearest name) or invalid (with every problem)
 */
export function loadProfile(id) {
  const path = isProfilePath(id) ? resolve(id) : join(PROFILES, `${id}.json`);
  if (!existsSync(path)) {
    throw new BenchError(
      `unknown profile "${id}": ${isProfilePath(id) ? 'there is no such file' : suggest(id, profileIds())}`,
      { hint: '`./run-all.sh profiles` lists those that have a name' },
    );
  }
  const profile = readDeclared(path);
  const problems = profileProblems(profile);
  if (problems.length > 0) {
    throw new BenchError(`${shown(path)}: ${problems[0]}`, {
      hint: `\`./run-all.sh check${isProfilePath(id) ? ` ${shellWord(id)}` : ''}\` lists all problems`,
      detail: problems.slice(1),
    });
  }
  return profile;
}

/**
 * @param {string} word
 * @returns {boolean} whether it names a file, not a committed profile
 */
export function isProfilePath(word) {
  return word.endsWith('.json');
}

/**
 * What the schema cannot express.
 * @param {Profile} profile
 * @returns {string[]}
 */
export function profileProblems(profile) {
  const problems = schemaProblems('profile', profile);
  if (problems.length > 0) return problems;
  const seen = new Set();
  let closedBefore = false;
  for (const [i, step] of profile.steps.entries()) {
    if (seen.has(step.id)) problems.push(`steps.${i}: the id "${step.id}" is used twice`);
    seen.add(step.id);
    if (step.model === 'closed') closedBefore = true;
    if (step.fractionOfKnee !== undefined && !closedBefore) {
      problems.push(
        `steps.${i}: "fractionOfKnee" needs an earlier closed step that finds the highest throughput`,
      );
    }
    if (step.operations !== undefined && step.model === 'open')
      problems.push(`steps.${i}: "operations" needs the closed model: a fixed rate needs a duration`);
    if (step.fault) problems.push(...faultProblems(step).map((p) => `steps.${i}: ${p}`));
    const drive = step.drive ?? profile.drive;
    if (drive === 'iteration' && (step.depth ?? 1) > 1) {
      problems.push(`steps.${i}: "depth" needs the drive "burst": an iteration has one operation in flight`);
    }
    if (drive === 'iteration' && step.clientPattern) {
      problems.push(
        `steps.${i}: "clientPattern" needs the drive "burst": a client library decides itself how it writes`,
      );
    }
    if (drive === 'iteration' && step.model === 'open') {
      problems.push(`steps.${i}: the open model needs the drive "burst", which knows the scheduled moment`);
    }
  }
  for (const part of /** @type {const} */ (['calibration', 'sideBySide']))
    for (const id of profile[part]?.steps ?? [])
      if (!seen.has(id)) problems.push(`${part}.steps: there is no step "${id}"`);
  return problems;
}

/** A fault is watched for at least so long when it is over. */
const WATCH_SEC = 3;

/**
 * @param {import('../types.d.ts').Step} step
 * @returns {string[]}
 */
function faultProblems({ fault, model, kill, durationSec = 0 }) {
  const { kind, atSec, forSec } = /** @type {import('../types.d.ts').Fault} */ (fault);
  const lasts = FAULTS[kind].end !== undefined;
  const endSec = atSec + (forSec ?? 0);
  return [
    ...(model === 'open' && !kill ? [] : ['"fault" needs the open model, and excludes "kill"']),
    ...(!lasts && forSec !== undefined ? [`"forSec": a ${kind} is over at once`] : []),
    ...(lasts && forSec === undefined ? [`the fault "${kind}" needs "forSec"`] : []),
    ...(durationSec >= endSec + WATCH_SEC
      ? []
      : [`"durationSec" must last ${WATCH_SEC} s beyond the fault: at least ${endSec + WATCH_SEC}`]),
  ];
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
