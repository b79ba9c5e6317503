import assert from 'node:assert/strict';
import { test } from 'node:test';
import { floorOf } from './floor.js';

test('latencies are compared only well above what the null responder takes at that rate, sent in time', () => {
  const seen = { smallerMs: 2, lagMs: 0.1, nullMs: 0.9, rateRatio: 1 };
  assert.equal(floorOf(seen), null);
  assert.equal(floorOf({ ...seen, nullMs: 1 }), 'floor', 'half of it is already too much');
  assert.equal(floorOf({ ...seen, nullMs: 7 }), 'floor');
  assert.equal(floorOf({ ...seen, lagMs: 0.2 }), 'floor', 'the generator sent late');
});

test('without the null responder at that rate, or without the lag, nothing is compared', () => {
  const seen = { smallerMs: 2, lagMs: 0.1, nullMs: 0.9, rateRatio: 1 };
  assert.equal(floorOf({ ...seen, nullMs: null }), 'unknown');
  assert.equal(floorOf({ ...seen, lagMs: null }), 'unknown');
  assert.equal(floorOf({ ...seen, rateRatio: 0.7 }), 'unknown', 'it had less to do');
});
