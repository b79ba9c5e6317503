import assert from 'node:assert/strict';
import { test } from 'node:test';
import { versionOf } from './systems.js';

test('a system has the version that it told in any of its measurements, and none where it told none', () => {
  const records = /** @type {any} */ ([
    { system: 'a', version: null },
    { system: 'b', version: '2.0.1' },
    { system: 'a', version: '7.0.15' },
    { system: 'c', version: null },
  ]);
  const told = ['a', 'b', 'c', 'd'].map((id) => versionOf({ records }, id));
  assert.deepEqual(told, ['7.0.15', '2.0.1', null, null]);
  assert.equal(versionOf({}, 'a'), null);
});
