import { BenchError } from '../errors.js';
import { readScript } from './script.js';

/** @import { Profile } from '../types.d.ts' */

/** Flags that only mean something beside another one, or with some profiles: alone they would be ignored. */

/** How long systems are compared side by side. */
const OF_COMPARISONS = ['starts', 'until-decided', 'max-minutes'];

/**
 * @param {Record<string, any>} flags given without a profile, a script or a run
 * @throws {BenchError} there is one: help is the answer to nothing at all
 */
export function demandNoFlags(flags) {
  readScript(flags, undefined);
  const [flag] = Object.keys(flags);
  if (flag !== undefined)
    throw new BenchError(`--${flag} without a profile: nothing says what is measured`, {
      hint: 'name one before it; `./run-all.sh profiles` lists them',
    });
}

/**
 * @param {Record<string, any>} flags of measuring
 * @throws {BenchError} `--force` with nothing to go on with
 */
export function demandResume(flags) {
  if (flags.force && flags.resume === undefined)
    throw new BenchError('--force is of --resume: what is measured anew has nothing to force', {
      hint: './run-all.sh --resume latest --force',
    });
}

/**
 * @param {Profile} profile
 * @param {Record<string, any>} flags
 * @throws {BenchError} one that says how long comparisons go on, where there are none
 */
export function demandBeside({ sideBySide }, flags) {
  const flag = sideBySide ? undefined : OF_COMPARISONS.find((name) => flags[name] !== undefined);
  if (flag !== undefined)
    throw new BenchError(`--${flag} is for systems side by side, and this profile compares none so`, {
      hint: 'such profiles have "sideBySide" in their file: quick, smoke, counters …; --repeats N is for the others',
    });
}
