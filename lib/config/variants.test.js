import assert from 'node:assert/strict';
import { test } from 'node:test';
import { schemaProblems } from './validate.js';
import { expandVariants, overlay, variantProblems } from './variants.js';

/** @type {any} */
const manifest = {
  title: 'Some',
  origin: 'upstream',
  workloads: {
    counters: { transports: ['resp'] },
    documents: { transports: ['resp'], variants: ['synced'] },
  },
  variants: {
    synced: {
      title: 'Some (synced)',
      durability: { policy: 'fsync', meaning: 'on disk' },
      traits: { sync: 'yes' },
      native: { start: ['server', '--sync'] },
    },
  },
  durability: { policy: 'none', meaning: 'in memory' },
  traits: { sync: 'no', threads: '1' },
  native: { needs: [{ binary: 'server' }], start: ['server'] },
  endpoint: { url: 'x://{host}:{port}', port: 1 },
  ready: { tcp: { send: 'a', expect: 'b' }, timeoutSec: 1 },
};

test('a variant is a system of its own, laid over the base', () => {
  const [base, synced] = expandVariants('some', '/some', manifest);
  assert.deepEqual([base.id, base.base, base.variant], ['some', 'some', 'default']);
  assert.deepEqual([synced.id, synced.base, synced.variant], ['some@synced', 'some', 'synced']);
  assert.equal(synced.manifest.title, 'Some (synced)');
  assert.deepEqual(synced.manifest.traits, { sync: 'yes', threads: '1' }, 'objects are merged');
  assert.deepEqual(synced.manifest.native?.start, ['server', '--sync'], 'arrays are replaced');
  assert.deepEqual(synced.manifest.native?.needs, [{ binary: 'server' }]);
  assert.equal(base.manifest.durability.policy, 'none', 'the base is untouched');
});

test('the base takes part everywhere, a variant where a workload names it', () => {
  const [base, synced] = expandVariants('some', '/some', manifest);
  assert.deepEqual(Object.keys(base.manifest.workloads), ['counters', 'documents']);
  assert.deepEqual(synced.manifest.workloads, { documents: { transports: ['resp'] } });
});

test('an expanded manifest is a valid one', () => {
  for (const stack of expandVariants('some', '/some', manifest))
    assert.deepEqual(schemaProblems('stack', stack.manifest), []);
});

test('a variant that nobody names, or that nobody defines, is a problem', () => {
  assert.deepEqual(variantProblems(manifest), []);
  const unknown = overlay(manifest, { workloads: { counters: { variants: ['snyced'] } } });
  assert.match(variantProblems(unknown).join(), /workloads\.counters\.variants: unknown variant "snyced"/);
  const unused = overlay(manifest, { variants: { other: { title: 'Other' } } });
  assert.match(variantProblems(unused).join(), /variants\.other: no workload names it/);
});

test('a variant of the native recipe alone is a problem where there are containers, too', () => {
  const docker = { service: 'some', port: 1, images: { SOME_IMAGE: 'some:1' } };
  const both = overlay(manifest, { docker });
  assert.match(variantProblems(both).join(), /variants\.\S+: changes "native" only; in a container/);
  const env = { docker: { env: { SOME_LOG: 'yes' } } };
  const [variant] = Object.keys(manifest.variants ?? {});
  assert.deepEqual(variantProblems(overlay(both, { variants: { [variant]: env } })), []);
});

test('a variant without a title, or called default, is refused', () => {
  const untitled = overlay(manifest, { variants: { other: { traits: {} } } });
  assert.match(schemaProblems('stack', untitled).join(), /variants\.other: the field "title" is missing/);
  const taken = { ...manifest, variants: { default: { title: 'x' } } };
  assert.notDeepEqual(schemaProblems('stack', taken), []);
});

test('companions of a variant replace those of the same name, a null setting is not given, null containers are none', () => {
  const companion = (/** @type {string} */ name, /** @type {string} */ program) => ({
    name,
    start: [program],
    ready: { log: 'up', timeoutSec: 1 },
  });
  const base = {
    ...manifest,
    settings: { cache: '1', threads: '2' },
    docker: { service: 'some', port: 1, images: { SOME_IMAGE: 'some:1' } },
    native: { start: ['server'], companions: [companion('store', 'a'), companion('broker', 'b')] },
  };
  const native = { companions: [companion('store', 'other')] };
  const over = { title: 'Some', settings: { cache: null }, docker: null, native };
  const [own, synced] = expandVariants('some', '/some', { ...base, variants: { synced: over } });
  assert.deepEqual(
    synced.manifest.native?.companions?.map((c) => c.start),
    [['other'], ['b']],
  );
  assert.deepEqual(synced.manifest.settings, { threads: '2' });
  assert.equal(synced.manifest.docker, undefined);
  assert.deepEqual(own.manifest.settings, { cache: '1', threads: '2' }, 'the base is untouched');
  assert.ok(own.manifest.docker);
  assert.deepEqual(schemaProblems('stack', { ...base, variants: { synced: over } }), []);
  const strange = { ...over, native: { companions: [companion('strange', 'x')] } };
  assert.match(
    variantProblems({ ...base, variants: { synced: strange } }).join(),
    /variants\.synced: no companion is called "strange"/,
  );
});

test('a variant may have companions where the base has none, and not run natively where the base does', () => {
  const store = { name: 'store', start: ['store'], ready: { log: 'up', timeoutSec: 1 } };
  const over = { title: 'Some', native: { companions: [store] } };
  const some = { ...manifest, variants: { synced: over } };
  assert.deepEqual(variantProblems(some), []);
  const [base, synced] = expandVariants('some', '/some', some);
  assert.equal(base.manifest.native?.companions, undefined);
  assert.deepEqual(synced.manifest.native, { ...manifest.native, companions: [store] });
  const [, none] = expandVariants('some', '/some', {
    ...some,
    variants: { synced: { ...over, native: null } },
  });
  assert.equal('native' in none.manifest, false);
  assert.deepEqual(schemaProblems('stack', none.manifest), []);
});
