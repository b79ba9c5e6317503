import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aCell } from '../judge/testing.js';
import { exitCodeOf } from './exit-code.js';

/** @param {import('../types.d.ts').CellRecord['role']} role @param {string} code */
function cell(role, code) {
  return aCell({ reasons: code ? [{ code }] : [], record: { role } });
}

test('a run is as good as its worst cell', () => {
  assert.equal(exitCodeOf([cell('system', ''), cell('system', 'set_by_client')], false, []), 0);
  assert.equal(exitCodeOf([cell('system', ''), cell('system', 'oracle')], false, []), 4);
  assert.equal(exitCodeOf([cell('system', 'leaking')], false, []), 4);
  assert.equal(exitCodeOf([cell('system', 'oracle'), aCell({ record: { status: 'failed' } })], false, []), 3);
  assert.equal(exitCodeOf([cell('system', 'oracle')], true, []), 130);
});

test('of a script whose load k6 did not bring to its end it is the system that failed, unless k6 itself broke down', () => {
  for (const [k6ExitCode, exit] of [
    ...[97, 98, 100, 101, 102, 103, 104, 105, 106, 107].map((code) => [code, 3]),
    [109, 1],
  ])
    assert.equal(exitCodeOf([aCell({ record: { status: 'failed', k6ExitCode } })], false, []), exit);
  // What a script says of what it measured.
  for (const k6ExitCode of [99, 108, 110])
    assert.equal(
      exitCodeOf(
        [aCell({ reasons: [{ code: 'script_threshold' }], record: { status: 'failed', k6ExitCode } })],
        false,
        [],
      ),
      4,
    );
});

test('a server that came back with wrong data after a kill is no success', () => {
  assert.equal(exitCodeOf([cell('durability', 'oracle')], false, []), 4);
});

test('an own guess of a rate that was not held is no failure, a rate that was asked for is one', () => {
  /** @param {object} step @param {import('../types.d.ts').ReasonCode[]} codes */
  const open = (step, ...codes) =>
    aCell({
      reasons: codes.map((code) => ({ code })),
      record: { step: { id: 'open', model: 'open', vus: 100, durationSec: 3, ...step } },
    });
  const guessed = { fractionOfKnee: 0.5 };
  assert.equal(exitCodeOf([open(guessed, 'dropped', 'target_missed', 'schedule_lag')], false, []), 0);
  assert.equal(exitCodeOf([open(guessed, 'dropped', 'knee_unknown')], false, []), 0);
  assert.equal(exitCodeOf([open(guessed, 'dropped', 'errors')], false, []), 4, 'nor does it hide anything');
  assert.equal(exitCodeOf([open({ ratePerSec: 1000 }, 'dropped')], false, []), 4);
});

test('a null responder that the generator did not hold is no fault of a system', () => {
  assert.equal(exitCodeOf([cell('calibration', 'errors')], false, []), 0);
});

test('where trends are all that a profile promises, a busy machine is no failure, and a wrong state still is', () => {
  const trends = { sideBySide: { maxStarts: 1 } };
  const late = ['generator_starved', 'schedule_lag', 'dropped', 'target_missed'];
  const few = ['too_few', 'window_too_short', 'littles_law'];
  const busy = [...late, ...few].map((code) => cell('system', code));
  assert.equal(exitCodeOf(busy, false, [], [], trends), 0);
  assert.equal(exitCodeOf(busy, false, [], [], { sideBySide: { maxStarts: 12 } }), 4);
  assert.equal(exitCodeOf(busy, false, []), 4);
  for (const code of ['oracle', 'errors', 'restarted', 'missing_metric'])
    assert.equal(exitCodeOf([...busy, cell('system', code)], false, [], [], trends), 4, code);
});
