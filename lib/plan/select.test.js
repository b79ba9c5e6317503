import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadStacks } from '../config/stacks.js';
import { readOptions } from '../options.js';
import { selectStacks, whoCanRun } from './select.js';

const workloads = /** @type {any} */ ([{ id: 'w', operations: { a: {} }, pipelines: true }]);
/** @param {string} base @param {string} variant */
function stack(base, variant) {
  const id = variant === 'default' ? base : `${base}@${variant}`;
  return /** @type {any} */ ({
    id,
    base,
    variant,
    manifest: {
      workloads: { w: { transports: ['resp'] } },
      endpoint: { url: 'resp://{host}:{port}', port: 1 },
    },
  });
}
const stacks = [stack('alpha', 'default'), stack('alpha', 'synced'), stack('beta', 'default')];
/** @param {string[]} flags */
const wished = (...flags) => readOptions(['smoke', ...flags]).options;
/** @param {string[]} flags */
const chosen = (...flags) => selectStacks(wished(...flags), stacks, workloads).chosen.map((s) => s.id);

test('without --systems every system takes part, variants included', () => {
  assert.deepEqual(chosen(), ['alpha', 'alpha@synced', 'beta']);
});

test('the name of a stack stands for all its variants, a full name for one', () => {
  assert.deepEqual(chosen('--systems', 'alpha'), ['alpha', 'alpha@synced']);
  assert.deepEqual(chosen('--systems', 'alpha@synced'), ['alpha@synced']);
  assert.deepEqual(chosen('--systems', 'alpha@default,beta'), ['alpha', 'beta']);
  assert.throws(() => chosen('--systems', 'alpha@snyced'), /did you mean "alpha@synced"\?/);
});

test('a variant of some profiles takes part in those, and elsewhere where it is named in full', () => {
  const kept = [...stacks, { ...stack('beta', 'always'), profiles: ['kills'] }];
  const of = (/** @type {string | undefined} */ systems, /** @type {string} */ profile) =>
    selectStacks(wished(...(systems ? ['--systems', systems] : [])), kept, workloads, profile).chosen.map(
      (s) => s.id,
    );
  assert.deepEqual(of(undefined, 'kills'), ['alpha', 'alpha@synced', 'beta', 'beta@always']);
  assert.deepEqual(of(undefined, 'smoke'), ['alpha', 'alpha@synced', 'beta']);
  assert.deepEqual(of('beta', 'kills'), ['beta', 'beta@always']);
  assert.deepEqual(of('beta', 'smoke'), ['beta']);
  assert.deepEqual(of('beta@always', 'smoke'), ['beta@always']);
});

test('an endpoint belongs to one configuration, by its full name', () => {
  const { options } = selectStacks(wished('--endpoint', 'alpha@synced=x://h:1'), stacks, workloads);
  assert.deepEqual(options.endpoints, { 'alpha@synced': 'x://h:1' });
});

test('systems that take part in none of the workloads are an error that names those', () => {
  const others = [...workloads, { id: 'v', operations: { a: {} }, pipelines: true }];
  assert.throws(
    () => selectStacks(wished('--systems', 'alpha', '--workloads', 'v'), stacks, others),
    /nothing to measure: no chosen system takes part in v/,
  );
});

test('a plan has the colour of each system and what it is for, and none of a variant', () => {
  const all = loadStacks().stacks;
  const base = all.find(
    (s) => s.manifest.color && s.manifest.fits && all.some((o) => o.id === `${s.id}@aof-always`),
  );
  const own = all.filter((s) => s.base === base?.id);
  const endpoints = Object.fromEntries(own.map(({ id }) => [id, 'x://h:1']));
  const { systems } = whoCanRun(own, /** @type {any} */ ({ endpoints }), new Map());
  assert.ok(systems.length > 1);
  for (const { id, color, fits } of systems)
    assert.deepEqual(
      [color, fits],
      id === base?.id ? [base?.manifest.color, base?.manifest.fits] : [undefined, undefined],
      id,
    );
});
