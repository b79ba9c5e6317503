import assert from 'node:assert/strict';
import { test } from 'node:test';
import { attributeWithin, attributionText, exactly, isBound } from './attribution.js';

const usual = { system: 0.6, loop: 0.4, idleCores: 0.002 };

/** @param {{system: number | null, loop: number | null, idleCores: number | null}} evidence of threads that were seen themselves */
const attribute = ({ system, loop, idleCores }) =>
  attributeWithin({ system: exactly(system), loop: exactly(loop), idleCores });

test('a full thread of the system beside a loop with time to spare: the system set the figure', () => {
  assert.equal(attribute({ ...usual, system: 0.93, loop: 0.6 }), 'system');
});

test('nobody is full: something else, a disk or a lock or the round trip, is waited for', () => {
  assert.equal(attribute(usual), 'waits');
  assert.equal(attribute({ ...usual, system: 0.1, loop: 0.05 }), 'waits');
});

test('a full loop, or both full: the client may have set the figure, so it is a bound', () => {
  assert.equal(attribute({ ...usual, system: 0.6, loop: 0.95 }), 'generator');
  assert.equal(attribute({ ...usual, system: 0.95, loop: 0.92 }), 'generator');
  assert.equal(attribute({ ...usual, system: 0.6, loop: 0.6 }), 'generator', 'between the two: not proven');
});

test('without evidence, or of a server that spins when idle, nothing is attributed', () => {
  assert.equal(attribute({ ...usual, system: null, loop: 0.6 }), 'unattributed');
  assert.equal(attribute({ ...usual, loop: null }), 'unattributed');
  assert.equal(attribute({ ...usual, system: 0.95, idleCores: 0.3 }), 'unattributed');
  assert.equal(attribute({ ...usual, system: 0.95, loop: 0.7, idleCores: null }), 'unattributed');
});

test('of a system that was not seen, a client with half its time left did not set the figure', () => {
  const seen = (/** @type {number} */ most) =>
    attributeWithin({ system: null, loop: { least: 0.2, most }, idleCores: null });
  assert.deepEqual([seen(0.5), seen(0.51)], ['elsewhere', 'unattributed']);
  assert.equal(
    attributionText('elsewhere', { system: null, loop: { least: 0.2, most: 0.31 } }),
    'not set by the load generator: it wanted 0.20 to 0.31 of a CPU; the system was not seen',
  );
});

test('only what is the system’s own is no bound', () => {
  assert.deepEqual(
    ['system', 'waits', 'elsewhere', 'generator', 'unattributed'].map((s) => isBound(/** @type {any} */ (s))),
    [false, false, false, true, true],
  );
});

test('the disk is named where a thread was seen in a file call at many looks, and not for a few', () => {
  const half = { least: 0.3, most: 0.3 };
  const said = (/** @type {any} */ diskSleep) =>
    attributionText('waits', { system: half, loop: half, diskSleep });
  assert.match(
    said({ looks: 40, seen: 31 }),
    /waited for its disk \(a thread of it was in a file call at 31 of 40 looks\)/,
  );
  assert.match(said({ looks: 40, seen: 4 }), /waited for something else \(disk, lock, round trip\)/);
  assert.match(said({ looks: 4, seen: 4 }), /something else/, 'four looks are none');
  assert.match(said(undefined), /something else/);
});
