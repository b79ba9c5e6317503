import assert from 'node:assert/strict';
import { test } from 'node:test';
import { durabilityOf } from '../../lib/config/durability.js';
import { loadStacks } from '../../lib/config/stacks.js';
import { whoCanRun } from '../../lib/plan/select.js';
import { notesFor } from '../../lib/report/sections/conditions/section.js';

const stack = /** @type {import('../../lib/types.d.ts').Stack} */ (
  loadStacks().stacks.find((s) => s.id === 'spacetimedb')
);

/** @param {string} url */
function planned(url) {
  const options = { endpoints: { spacetimedb: url }, ports: {}, generatorCpus: null, live: false };
  return whoCanRun([stack], options, new Map()).systems[0];
}

/** @param {string | null} version @param {string} transport */
const policy = (version, transport) => durabilityOf(stack.manifest, { version, transport }).policy;

/** @param {string} version @param {string} transport */
const meaning = (version, transport) => durabilityOf(stack.manifest, { version, transport }).meaning;

test('what an acknowledgement means is said for each transport of each version', () => {
  // With every sync of 2.8.3 delayed by 400 ms a call over WebSocket took 403 ms and more, one over HTTP 5 to 25 ms.
  assert.deepEqual(
    ['http', 'ws', 'subscribed'].map((t) => policy('2.8.3', t)),
    ['fsync-interval', 'fsync', 'fsync'],
  );
  assert.deepEqual(
    ['http', 'ws', 'subscribed'].map((t) => policy('1.2.0', t)),
    ['fsync-interval', 'fsync-interval', 'fsync-interval'],
  );
  assert.equal(policy('1.4.0', 'ws'), 'fsync');
  assert.equal(policy(null, 'ws'), 'unknown', 'nothing is promised of a version that was not told');
});

test('a page speaks of the version that ran, and of no other', () => {
  const notes = (/** @type {string | null} */ version) => notesFor(planned('http://127.0.0.1:3000'), version);
  const onVersions = /\b[12]\.\d/;
  assert.ok(
    notes(null).every((n) => !onVersions.test(n)),
    'what the README says holds of all',
  );
  const ofOthers = ['1.2.0', '1.4.0', '2.0.2', '2.8.3'].flatMap((v) => [
    ...notes(v),
    meaning(v, 'http'),
    meaning(v, 'ws'),
  ]);
  assert.deepEqual(
    ofOthers.filter((n) => onVersions.test(n)),
    [],
    'nor is one told what another would do',
  );
  const [old, current] = ['1.2.0', '2.8.3'].map((v) => notes(v).filter((n) => !notes(null).includes(n)));
  assert.equal(old.length, 1);
  assert.match(old[0], /loses more acknowledged writes/);
  assert.equal(current.length, 1);
  assert.match(current[0], /confirmed reads/);
});

test('by its address it keeps the rules of its version, and none of our settings', () => {
  const system = planned('http://127.0.0.1:3000');
  assert.equal(system.title, 'SpacetimeDB');
  assert.deepEqual(system.settings, {});
  assert.equal(durabilityOf(system, { version: '2.8.3', transport: 'ws' }).policy, 'fsync');
});
