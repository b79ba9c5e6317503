import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BenchError } from '../errors.js';
import { readOptions } from '../options.js';
import { demandSameGenerators, generatorOptions } from './generators.js';

/** @param {RegExp} message */
const refused = (message) => (/** @type {unknown} */ e) =>
  e instanceof BenchError && e.exitCode === 2 && message.test(e.message);

const NONE = readOptions([]).options;
/** @param {Partial<import('../options.js').Options>} wish */
const generatorsOf = (wish) => generatorOptions({ ...NONE, ...wish });

test('several generators are asked for by their number; one is the same as none', () => {
  assert.equal(generatorsOf({}), null);
  assert.equal(generatorsOf({ generators: 1, on: 'local' }), null);
  assert.deepEqual(generatorsOf({ generators: 4 }), { count: 4, on: 'local' });
  assert.throws(() => generatorsOf({ on: 'local' }), refused(/--on local needs --generators N/));
  for (const wish of [{ renderOnly: true }, { generators: 2, namespace: 'load' }, { context: 'c' }])
    assert.throws(() => generatorsOf(wish), refused(/ needs --on kubernetes/));
  const pods = { generators: 1, on: /** @type {const} */ ('kubernetes'), renderOnly: true };
  assert.deepEqual(generatorsOf(pods), { count: 1, on: 'kubernetes', cpus: 1 });
  assert.throws(
    () => generatorsOf({ ...pods, out: ['json=x'] }),
    refused(/^--out is for generators of this/),
  );
  assert.throws(() => generatorsOf({ ...pods, generatorCpus: 0 }), refused(/from 0.1 to 256/));
  assert.deepEqual(
    generatorsOf({
      ...pods,
      renderOnly: false,
      namespace: 'load',
      context: 'c',
      generatorCpus: 0.5,
    }),
    { count: 1, on: 'kubernetes', cpus: 0.5, namespace: 'load', context: 'c' },
  );
  assert.throws(() => readOptions(['smoke', '--generators', '1001']), refused(/from 1 to 1000/));
  assert.throws(() => readOptions(['smoke', '--on', 'moon']), refused(/^unknown --on "moon"/));
});

test('a run goes on with the generators that it began with, or not at all', () => {
  const plan = (/** @type {any} */ generators) => /** @type {any} */ ({ options: { generators } });
  const three = plan({ count: 3, on: 'local' });
  for (const wish of [{}, { generators: 3 }, { generators: 3, on: /** @type {const} */ ('local') }])
    assert.doesNotThrow(() => demandSameGenerators(three, { ...NONE, ...wish }));
  assert.doesNotThrow(() => demandSameGenerators(plan(undefined), { ...NONE, generators: 1 }));
  assert.throws(
    () => demandSameGenerators(three, { ...NONE, renderOnly: true }),
    refused(/needs --on kubernetes/),
  );
  assert.throws(
    () => demandSameGenerators(three, { ...NONE, generators: 5 }),
    refused(/^the run began with 3 generators \(--on local\), and it would go on with 5 generators/),
  );
  assert.throws(
    () => demandSameGenerators(three, { ...NONE, generators: 1 }),
    refused(/would go on with one generator$/),
  );
  assert.throws(
    () => demandSameGenerators(plan(null), { ...NONE, generators: 2 }),
    refused(/began with one generator,/),
  );
});
