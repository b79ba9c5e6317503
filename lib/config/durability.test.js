import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareVersions, durabilityOf } from './durability.js';
import { loadStacks } from './stacks.js';

const none = { policy: 'none', meaning: 'in memory' };
/** @type {any} */
const system = {
  durability: none,
  durabilityWhen: [
    { settings: { log: 'yes', sync: 'always' }, policy: 'fsync', meaning: 'on disk' },
    { from: '2.0.4', transports: ['ws'], policy: 'fsync', meaning: 'confirmed' },
    { from: '2.0', below: '3', policy: 'fsync-interval', meaning: 'behind' },
  ],
};

test('the first rule that holds of version, transport and settings says what an acknowledgement means', () => {
  /** @param {any} facts */
  const meaning = (facts) =>
    durabilityOf(system, { version: null, transport: 'http', stated: null, ...facts }).meaning;
  assert.equal(meaning({}), 'in memory', 'of an unknown version no rule for versions holds');
  assert.equal(meaning({ version: '1.12.0' }), 'in memory');
  assert.equal(meaning({ version: '2.10.0', transport: 'ws' }), 'confirmed');
  assert.equal(meaning({ version: '2.0.3', transport: 'ws' }), 'behind');
  assert.equal(meaning({ version: '2.10.0' }), 'behind');
  assert.equal(meaning({ version: '3.0.0' }), 'in memory');
  assert.equal(meaning({ stated: { log: 'yes', sync: 'always' } }), 'on disk');
  assert.equal(meaning({ stated: { log: 'yes' } }), 'in memory', 'what is not said does not hold');
});

test('versions compare by numbers, not by letters', () => {
  assert.ok(compareVersions('2.10.0', '2.9.3') > 0);
  assert.ok(compareVersions('v1.2', '1.2.1') < 0);
  assert.equal(compareVersions('2.0', '2.0.0'), 0);
});

test('where settings decide, what a system is given has the meaning that its manifest declares', () => {
  const rules = loadStacks().stacks.filter((s) => s.manifest.durabilityWhen?.some((r) => r.settings));
  assert.ok(rules.length >= 3);
  for (const { id, manifest } of rules) {
    const facts = { version: null, transport: 'resp', stated: manifest.settings };
    const found = durabilityOf({ ...manifest, durability: { policy: 'unknown', meaning: 'no rule' } }, facts);
    assert.equal(found.policy, manifest.durability.policy, id);
  }
});
