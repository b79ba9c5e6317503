import { BenchError } from '../errors.js';

/** @import { Profile } from '../types.d.ts' */

/** How long systems are compared side by side: without such comparisons these would be ignored. */
const OF_COMPARISONS = ['starts', 'until-decided', 'max-minutes'];

/**
 * @param {Profile} profile
 * @param {Pick<import('../options.js').Options, 'given'>} options
 * @throws {BenchError} one that says how long comparisons go on, where there are none
 */
export function demandBeside({ sideBySide }, { given }) {
  const odd = sideBySide ? undefined : given.find(({ name }) => OF_COMPARISONS.includes(name));
  if (odd !== undefined)
    throw new BenchError(`--${odd.name} is for systems side by side, and this profile compares none so`, {
      hint: 'such profiles have "sideBySide" in their file: quick, smoke, counters …; --repeats N is for the others',
    });
}
