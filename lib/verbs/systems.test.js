import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadStacks } from '../config/stacks.js';
import { schemaProblems } from '../config/validate.js';
import { readOptions } from '../options.js';
import { systemsVerb } from './systems.js';

const NONE = readOptions([]).options;

test('systems --json has every system, as its schema says', async () => {
  /** @type {string[]} */
  const results = [];
  const output = /** @type {any} */ ({
    say() {},
    result: (/** @type {string} */ text) => results.push(text),
  });
  assert.equal(await systemsVerb([], { ...NONE, json: true }, output), 0);
  const told = JSON.parse(results.join(''));
  assert.deepEqual(schemaProblems('systems', told), []);
  assert.deepEqual(
    told.systems.map((/** @type {any} */ s) => s.system),
    loadStacks()
      .stacks.map((s) => s.id)
      .filter((id) => !id.startsWith('_')),
  );
  const [first, ...others] = told.systems;
  assert.deepEqual(schemaProblems('systems', { ...told, systems: [{ ...first, missing: undefined }] }), [
    'systems.0: the field "missing" is missing',
  ]);
  assert.notDeepEqual(schemaProblems('systems', { ...told, systems: [{ ...first, state: 'maybe' }] }), []);
  assert.ok(others.length > 1);
});
