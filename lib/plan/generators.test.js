import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BenchError } from '../errors.js';
import { demandSameGenerators, generatorOptions } from './generators.js';

/** @param {RegExp} message */
const refused = (message) => (/** @type {unknown} */ e) =>
  e instanceof BenchError && e.exitCode === 2 && message.test(e.message);

test('several generators are asked for by their number; one is the same as none', () => {
  assert.equal(generatorOptions({}), null);
  assert.equal(generatorOptions({ generators: '1', on: 'local' }), null);
  assert.deepEqual(generatorOptions({ generators: '4' }), { count: 4, on: 'local' });
  assert.throws(() => generatorOptions({ on: 'local' }), refused(/--on local needs --generators N/));
  assert.throws(() => generatorOptions({ generators: '2', on: 'moon' }), refused(/--on moon: use local/));
  for (const flags of [{ 'render-only': true }, { generators: '2', namespace: 'load' }, { context: 'c' }])
    assert.throws(() => generatorOptions(flags), refused(/ needs --on kubernetes/));
  const pods = { generators: '1', on: 'kubernetes', 'render-only': true };
  assert.deepEqual(generatorOptions(pods), { count: 1, on: 'kubernetes', cpus: 1 });
  assert.throws(
    () => generatorOptions({ ...pods, out: ['json=x'] }),
    refused(/^--out is for generators of this/),
  );
  assert.throws(() => generatorOptions({ ...pods, 'generator-cpus': '0' }), refused(/from 0.1 to 256/));
  assert.deepEqual(
    generatorOptions({
      ...pods,
      'render-only': undefined,
      namespace: 'load',
      context: 'c',
      'generator-cpus': '0.5',
    }),
    { count: 1, on: 'kubernetes', cpus: 0.5, namespace: 'load', context: 'c' },
  );
  assert.throws(() => generatorOptions({ generators: '1001' }), refused(/from 1 to 1000/));
});

test('a run goes on with the generators that it began with, or not at all', () => {
  const plan = (/** @type {any} */ generators) => /** @type {any} */ ({ options: { generators } });
  const three = plan({ count: 3, on: 'local' });
  for (const flags of [{}, { generators: '3' }, { generators: '3', on: 'local' }])
    assert.doesNotThrow(() => demandSameGenerators(three, flags));
  assert.doesNotThrow(() => demandSameGenerators(plan(undefined), { generators: '1' }));
  assert.throws(() => demandSameGenerators(three, { 'render-only': true }), refused(/needs --on kubernetes/));
  assert.throws(
    () => demandSameGenerators(three, { generators: '5' }),
    refused(/^the run began with 3 generators \(--on local\), and it would go on with 5 generators/),
  );
  assert.throws(
    () => demandSameGenerators(three, { generators: '1' }),
    refused(/would go on with one generator$/),
  );
  assert.throws(
    () => demandSameGenerators(plan(null), { generators: '2' }),
    refused(/began with one generator,/),
  );
});
