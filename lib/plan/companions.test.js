import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadProfile, profileIds } from '../config/profiles.js';
import { BenchError } from '../errors.js';
import { demandBeside, demandNoFlags, demandResume } from './companions.js';

/** @param {RegExp} message */
function refused(message) {
  return (/** @type {unknown} */ e) =>
    e instanceof BenchError && e.exitCode === 2 && message.test(e.message) && e.hint !== undefined;
}

test('flags without a profile are told what they lack, and nothing at all is answered with help', () => {
  demandNoFlags({});
  for (const [flags, message] of /** @type {[Record<string, any>, RegExp][]} */ ([
    [{ steps: '1,2' }, /^--steps is of --script/],
    [{ 'step-duration': '5s' }, /^--step-duration is of --script/],
    [{ k6: [] }, /options of k6/],
    [{ on: 'local' }, /^--on without a profile/],
    [{ 'no-live': true }, /^--no-live without a profile/],
  ]))
    assert.throws(() => demandNoFlags(flags), refused(message), JSON.stringify(flags));
});

test('--force of a measurement needs a run that it goes on with', () => {
  demandResume({ force: true, resume: 'latest' });
  demandResume({});
  assert.throws(() => demandResume({ force: true }), refused(/^--force is of --resume/));
});

test('how long comparisons go on is no question where a profile has none', () => {
  const kinds = new Set();
  for (const profile of profileIds().map((id) => loadProfile(id))) {
    kinds.add(profile.sideBySide !== undefined);
    demandBeside(profile, { repeats: '3' });
    for (const flag of ['starts', 'until-decided', 'max-minutes'])
      if (profile.sideBySide) demandBeside(profile, { [flag]: '3' });
      else
        assert.throws(
          () => demandBeside(profile, { [flag]: '3' }),
          refused(new RegExp(`^--${flag} is for systems side by side`)),
        );
  }
  assert.equal(kinds.size, 2);
});
