import assert from 'node:assert/strict';
import { test } from 'node:test';
import { demandTaken, untakenSettings } from './settings-taken.js';

const NATIVE = Object.freeze({ engine: /** @type {const} */ ('native') });

test('what a server says otherwise ends its start with the setting, what it has and what it was given', () => {
  const stack = /** @type {any} */ ({
    id: 'alpha',
    manifest: { settings: { workers: '2', level: 'info', log: 'no' }, docker: { settings: false } },
  });
  const instance = { stated: { version: '1', settings: { workers: '8', level: 'debug', log: 'no' } } };
  assert.throws(() => demandTaken(stack, NATIVE, instance), {
    message: 'alpha: its setting workers is "8", not "2" as it was given, and 1 more',
    exitCode: 3,
  });
  for (const engine of /** @type {const} */ (['external', 'docker']))
    assert.deepEqual(untakenSettings(stack, { engine }, instance), [], `${engine}: nothing was given`);
  assert.deepEqual(untakenSettings(stack, NATIVE, {}), [], 'it tells nothing');
});
