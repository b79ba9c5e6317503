import assert from 'node:assert/strict';
import { test } from 'node:test';
import { belowFloor } from './floor.js';

test('latencies are compared only well above what the null responder takes at that rate, sent in time', () => {
  const seen = { smallerMs: 2, lagMs: 0.1, nullMs: 0.9, rateRatio: 1 };
  assert.equal(belowFloor(seen), null);
  assert.deepEqual(
    belowFloor({ ...seen, nullMs: 1 }),
    { code: 'at_floor', ms: 1 },
    'half of it is already too much',
  );
  assert.deepEqual(belowFloor({ ...seen, nullMs: 7 }), { code: 'at_floor', ms: 7 });
  assert.deepEqual(
    belowFloor({ ...seen, lagMs: 0.2 }),
    { code: 'sent_late', ms: 0.2 },
    'the generator sent late',
  );
});

test('without the null responder at that rate, or without the lag, nothing is compared', () => {
  const seen = { smallerMs: 2, lagMs: 0.1, nullMs: 0.9, rateRatio: 1 };
  const unknown = { code: 'no_reference' };
  assert.deepEqual(belowFloor({ ...seen, nullMs: null }), unknown);
  assert.deepEqual(belowFloor({ ...seen, lagMs: null }), unknown);
  assert.deepEqual(belowFloor({ ...seen, rateRatio: 0.7 }), unknown, 'it had less to do');
});
