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
    throw new BenchError(`--${odd.name} needs a profile that compares systems side by side`, {
      hint: 'quick, smoke and counters do; use --repeats N with this one',
    });
}
