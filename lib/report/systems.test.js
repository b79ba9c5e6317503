import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadStacks } from '../config/stacks.js';
import { contenders, namedToday, versionOf } from './systems.js';

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

test('a product wins against servers of ours, these among themselves, and a stand-in against nobody', () => {
  const systems = [
    ...['theirs', 'theirs2'].map((id) => ({ id, origin: 'upstream' })),
    ...['ours', 'ours2'].map((id) => ({ id, origin: 'reference' })),
    { id: 'on-a-stand-in', origin: 'reference', standsInFor: 'MongoDB' },
  ].map((system) => ({ ...system, role: 'system' }));
  const plan = /** @type {any} */ ({ systems });
  assert.deepEqual(contenders(plan), ['theirs', 'theirs2']);
  assert.deepEqual(contenders(plan, ['on-a-stand-in', 'ours', 'ours2']), ['ours', 'ours2']);
  assert.deepEqual(contenders(plan, ['on-a-stand-in', 'theirs2']), ['theirs2']);
  assert.deepEqual(contenders(plan, ['on-a-stand-in']), ['on-a-stand-in'], 'alone it has its figures');
  assert.deepEqual(contenders(plan, []), []);
});

test('a system has the name that it has today, but for another one of its id, one from elsewhere and one by its address', () => {
  const [{ id, manifest }] = loadStacks().stacks.filter((s) => s.manifest.origin === 'reference');
  const old = { title: 'Its name of before', origin: 'reference' };
  const titleOf = (/** @type {object} */ more) => {
    const plan = /** @type {any} */ ({ systems: [{ id, ...old, ...more }] });
    return namedToday(plan).systems[0].title;
  };
  assert.equal(titleOf({}), manifest.title);
  for (const more of [
    { origin: 'upstream' },
    { id: 'unheard-of' },
    { outside: true },
    { like: 'another' },
    { endpoint: 'http://h:1' },
  ])
    assert.equal(titleOf(more), old.title, JSON.stringify(more));
});
