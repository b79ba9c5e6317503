import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadProfile, profileIds } from '../config/profiles.js';
import { BenchError } from '../errors.js';
import { demandBeside } from './companions.js';

/** @param {RegExp} message */
function refused(message) {
  return (/** @type {unknown} */ e) =>
    e instanceof BenchError && e.exitCode === 2 && message.test(e.message) && e.hint !== undefined;
}

/** @param {string} name of a flag */
const given = (name) => ({ given: [{ name, value: /** @type {const} */ (true) }] });

test('how long comparisons go on is no question where a profile has none', () => {
  const kinds = new Set();
  for (const profile of profileIds().map((id) => loadProfile(id))) {
    kinds.add(profile.sideBySide !== undefined);
    demandBeside(profile, given('repeats'));
    for (const flag of ['starts', 'until-decided', 'max-minutes'])
      if (profile.sideBySide) demandBeside(profile, given(flag));
      else
        assert.throws(
          () => demandBeside(profile, given(flag)),
          refused(new RegExp(`^--${flag} needs a profile that compares systems side by side`)),
        );
  }
  assert.equal(kinds.size, 2);
});
