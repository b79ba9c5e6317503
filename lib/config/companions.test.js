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
          build: [{ name: 'ours', command: ['sh', 'make'] }],
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

test('what a companion needs and builds becomes part of the recipe, and what cannot be had makes the system unavailable', () => {
  const own = withCompanions(manifest(), {});
  assert.deepEqual(own.native?.companions, manifest().native?.companions);
  assert.deepEqual(own.native?.needs, [{ binary: 'sh' }, { binary: 'no-such-store' }]);
  assert.deepEqual(own.native?.build, [{ name: 'ours', command: ['sh', 'make'], companion: 'store' }]);
  const { state, missing } = nativeAvailability(stack(withCompanions(manifest({ build: undefined }), {})));
  assert.equal(state, 'unavailable');
  assert.equal(missing, 'no-such-store: put no-such-store on PATH');
});

test('what the user gives goes before its own program, and needs nothing', () => {
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
