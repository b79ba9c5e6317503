import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nativeAvailability } from '../engines/index.js';
import { provenanceOf } from '../engines/native.js';
import { companionProblems, withCompanions } from './companions.js';
import { loadStacks } from './stacks.js';
import { schemaProblems } from './validate.js';

/** @param {any} [over] @returns {import('../types.d.ts').StackManifest} */
function manifest(over = {}) {
  return {
    title: 'Alpha',
    origin: 'reference',
    workloads: { counters: { transports: ['resp'] } },
    durability: { policy: 'fsync', meaning: 'on the disk' },
    traits: { storage: 'a store', commit: 'in groups' },
    native: {
      needs: [{ binary: 'sh' }],
      start: ['alpha', '{url.store}'],
      companions: [
        {
          name: 'store',
          needs: [{ binary: 'no-such-store' }],
          start: ['no-such-store', '--port', '{port.store}'],
          ready: { log: 'ready', timeoutSec: 5 },
          url: 'store://{host}:{port.store}',
          given: { env: 'STORE_URI' },
          standIn: {
            title: 'a store of ours',
            durability: { policy: 'none', meaning: 'in memory' },
            traits: { storage: 'a store of ours' },
            needs: [{ binary: 'node' }],
            build: [{ name: 'ours', command: ['sh', 'make'] }],
            start: ['node', '{ours}/store.js'],
          },
          ...over,
        },
      ],
    },
    endpoint: { url: 'tcp://{host}:{port}', port: 1 },
    ready: { command: ['true'], timeoutSec: 1 },
  };
}

/** @param {import('../types.d.ts').StackManifest} m */
const stack = (m) => ({ id: 'alpha', base: 'alpha', variant: 'default', folder: '/nowhere', manifest: m });

test('where the program cannot be had, what stands in takes its place and says so', () => {
  const own = withCompanions(manifest(), {});
  const [store] = own.native?.companions ?? [];
  assert.equal(store.standsIn, 'a store of ours');
  assert.deepEqual(store.start, ['node', '{ours}/store.js']);
  assert.deepEqual(store.ready, { log: 'ready', timeoutSec: 5 }, 'what it does not say is the companion’s');
  assert.equal(own.durability.policy, 'none', 'it promises what it can keep');
  assert.deepEqual(own.traits, { storage: 'a store of ours', commit: 'in groups' });
  assert.deepEqual(Object.keys(store).sort(), [
    'build',
    'given',
    'name',
    'needs',
    'ready',
    'standsIn',
    'start',
    'url',
  ]);
  assert.deepEqual(own.native?.needs, [{ binary: 'sh' }, { binary: 'node' }]);
  assert.deepEqual(own.native?.build, [{ name: 'ours', command: ['sh', 'make'], companion: 'store' }]);
  const { state, missing } = nativeAvailability(stack(own));
  assert.equal(state, 'ready');
  assert.equal(missing, 'a store of ours stands in for store; STORE_URI=URL gives a real one');
  assert.match(provenanceOf(stack(own)), /a store of ours in place of store$/);
});

test('where the program can be had, nothing stands in', () => {
  const own = withCompanions(manifest(), {}, () => true);
  const [store] = own.native?.companions ?? [];
  assert.equal(store.standsIn, undefined);
  assert.equal(own.durability.policy, 'fsync');
  assert.deepEqual(store.start, ['no-such-store', '--port', '{port.store}']);
  assert.deepEqual(own.native?.needs, [{ binary: 'sh' }, { binary: 'no-such-store' }]);
});

test('without a stand-in a program that cannot be had makes the system unavailable, with what to do', () => {
  const own = withCompanions(manifest({ standIn: undefined }), {});
  const { state, missing } = nativeAvailability(stack(own));
  assert.equal(state, 'unavailable');
  assert.equal(missing, 'no-such-store: put no-such-store on PATH');
});

test('what the user gives goes before both, and needs nothing', () => {
  const own = withCompanions(manifest(), { STORE_URI: 'store://user:secret@far:1' });
  const [store] = own.native?.companions ?? [];
  assert.deepEqual(store, { name: 'store', given: { env: 'STORE_URI' }, url: 'store://user:secret@far:1' });
  assert.deepEqual(own.native?.needs, [{ binary: 'sh' }]);
  const provenance = provenanceOf(stack(own));
  assert.match(provenance, /store given by STORE_URI$/);
  assert.doesNotMatch(provenance, /secret/, 'an address may hold a password');
});

test('a manifest without companions stays as it is', () => {
  const plain = { ...manifest(), native: { start: ['alpha'] } };
  assert.equal(withCompanions(plain), plain);
});

test('the schema and the names are checked', () => {
  assert.deepEqual(schemaProblems('stack', manifest()), []);
  assert.deepEqual(companionProblems(manifest()), []);
  assert.deepEqual(schemaProblems('stack', manifest({ name: 'Store!' })), [
    'native.companions.0.name: must match pattern "^[a-z][a-z0-9]*$"',
  ]);
  assert.deepEqual(schemaProblems('stack', manifest({ strat: [] })), [
    'native.companions.0: unknown field "strat"; did you mean "start"?',
  ]);
  assert.deepEqual(companionProblems(manifest({ ports: ['store', 'admin'], start: ['x', '{port.admni}'] })), [
    'native.companions: the name "store" is used twice',
    'native: unknown placeholder {port.admni}; known: port.store, port.admin, url.store',
  ]);
  assert.deepEqual(companionProblems(manifest({ after: ['stoer'] })), [
    'native.companions.0.after: there is no "stoer" before "store"',
  ]);
});

test('no address that a user gives stands on a command line: others see it, with its password', () => {
  for (const { id, manifest: own } of loadStacks().stacks) {
    const { start, companions = [] } = own.native ?? {};
    const commands = JSON.stringify([start, ...companions.map((c) => [c.start, c.given?.clear])]);
    for (const { name } of companions.filter((c) => c.given))
      assert.ok(!commands.includes(`{url.${name}}`), `${id}: pass {url.${name}} by native.env`);
  }
});
