import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { nativeAvailability } from '../engines/index.js';
import { provenanceOf } from '../engines/native.js';
import { ROOT } from '../paths.js';
import { demandSameSystems } from '../plan/resume.js';
import { whoCanRun } from '../plan/select.js';
import { withOverride } from './override.js';

/** @type {import('../types.d.ts').StackManifest} */
const MANIFEST = {
  title: 'Alpha (ours)',
  origin: 'reference',
  workloads: { counters: { transports: ['resp'] } },
  durability: { policy: 'none', meaning: 'in memory' },
  traits: { ours: 'yes' },
  native: {
    build: [{ folder: 'server', command: ['make'] }],
    start: ['{cache}/alpha'],
    override: {
      env: 'ALPHA_BIN',
      title: 'Alpha',
      start: ['{binary}', '--port', '{port}'],
      version: ['{binary}', '--version'],
    },
  },
  endpoint: { url: 'tcp://{host}:{port}', port: 1 },
  ready: { command: ['true'], timeoutSec: 1 },
};

/** @param {import('../types.d.ts').StackManifest} manifest */
const stack = (manifest) => ({
  id: 'alpha',
  base: 'alpha',
  variant: 'default',
  // What it is built from is read: sources of ours stand for them.
  folder: join(ROOT, 'stacks', '_null'),
  manifest,
});

test('a program named by the variable takes the place of the build, and is the vendor’s', () => {
  const own = withOverride(MANIFEST, { ALPHA_BIN: process.execPath });
  assert.equal(own.title, 'Alpha');
  assert.equal(own.origin, 'upstream');
  assert.deepEqual(own.traits, {}, 'settings of our server are none of its');
  assert.equal(own.native?.build, undefined);
  assert.deepEqual(own.native?.start, [process.execPath, '--port', '{port}']);
  assert.deepEqual(own.native?.version, [process.execPath, '--version']);
  assert.equal(nativeAvailability(stack(own)).state, 'ready');
  assert.equal(provenanceOf(stack(own)), 'named by ALPHA_BIN');
  const said = withOverride(MANIFEST, { ALPHA_BIN: process.execPath, ALPHA_BIN_FROM: 'built at v2' });
  assert.equal(provenanceOf(stack(said)), 'named by ALPHA_BIN (built at v2)');
});

test('what its user says of a program is a field of the plan', () => {
  const options = { endpoints: {}, ports: {}, generatorCpus: null, live: false };
  const builtAs = () => whoCanRun([stack(withOverride(MANIFEST))], options, new Map()).systems[0].builtAs;
  process.env.ALPHA_BIN = process.execPath;
  try {
    assert.equal(builtAs(), undefined);
    process.env.ALPHA_BIN_FROM = 'built at v2';
    assert.equal(builtAs(), 'built at v2');
  } finally {
    delete process.env.ALPHA_BIN;
    delete process.env.ALPHA_BIN_FROM;
  }
});

test('without the variable a program on PATH takes the place of the build, with its files and hooks', () => {
  const native = /** @type {NonNullable<import('../types.d.ts').StackManifest['native']>} */ (
    MANIFEST.native
  );
  const override = { .../** @type {any} */ (native.override), path: ['no-such-alpha', 'node'] };
  /** @type {import('../types.d.ts').StackManifest} */
  const manifest = {
    ...MANIFEST,
    hookBuild: [{ name: 'two', folder: 'two', command: ['make'], engines: ['docker'] }],
    native: { ...native, config: ['alpha.conf'], env: { QUIET: '1' }, override },
  };
  const own = withOverride(manifest, {});
  assert.deepEqual(
    own.native?.needs?.map((n) => n.source),
    ['node on PATH'],
  );
  assert.match(String(own.native?.start[0]), /\/node$/);
  assert.deepEqual([own.native?.config, own.native?.env], [['alpha.conf'], { QUIET: '1' }]);
  assert.equal(
    own.hookBuild?.[0].engines,
    undefined,
    'its version, and so what its hooks need, is not known',
  );
  assert.equal(
    withOverride(
      { ...manifest, native: { ...native, override: { ...override, path: ['no-such-alpha'] } } },
      {},
    ).origin,
    'reference',
  );
});

test('without the variable nothing changes', () => {
  assert.equal(withOverride(MANIFEST, {}), MANIFEST);
  assert.equal(withOverride(MANIFEST, { ALPHA_BIN: '' }), MANIFEST);
});

test('a variable that names no program is one line that says so', () => {
  const own = withOverride(MANIFEST, { ALPHA_BIN: '/no/such/alpha' });
  const { state, missing } = nativeAvailability(stack(own));
  assert.equal(state, 'unavailable');
  assert.match(missing, /ALPHA_BIN does not name a program that can be started/);
});

test('one that already runs is the product; whoever measures ours starts it from here', () => {
  const options = { endpoints: { alpha: 'tcp://127.0.0.1:9' }, ports: {}, generatorCpus: null, live: false };
  const { systems } = whoCanRun([stack(MANIFEST)], options, new Map());
  assert.equal(systems[0].origin, 'upstream');
  assert.equal(systems[0].title, 'Alpha');
  const started = { ...stack(withOverride(MANIFEST, { ALPHA_BIN: process.execPath })), id: 'beta' };
  const beside = whoCanRun([stack(MANIFEST), started], options, new Map());
  assert.equal(beside.systems[0].title, 'Alpha (by its address)', 'beside one that is started');
  assert.deepEqual(systems[0].settings, {});
});

test('a run is not resumed with another program under the same name', () => {
  const upstream = withOverride(MANIFEST, { ALPHA_BIN: process.execPath });
  const options = { endpoints: {}, ports: {}, generatorCpus: null, live: false };
  const { systems } = whoCanRun([stack(upstream)], options, new Map());
  const plan = /** @type {import('../types.d.ts').Plan} */ (/** @type {unknown} */ ({ systems }));
  demandSameSystems(plan, [stack(upstream)], 'run');
  assert.throws(() => demandSameSystems(plan, [stack(MANIFEST)], 'run'), {
    message: 'the run run measured "alpha" as upstream, and it would now be reference',
    hint: 'set or unset ALPHA_BIN as it was',
  });
  assert.throws(() => demandSameSystems(plan, [], 'run'), /not in stacks/);
});

test('a server given by its address is not ours: no settings, durability or notes of ours are its', () => {
  const { override: _, ...native } = /** @type {NonNullable<typeof MANIFEST.native>} */ (MANIFEST.native);
  /** @type {import('../types.d.ts').StackManifest} */
  const plain = {
    ...MANIFEST,
    native,
    promises: [{ title: 't', metric: 'p95', load: { workload: 'w' }, atMost: 2 }],
  };
  const options = { endpoints: { alpha: 'tcp://127.0.0.1:9' }, ports: {}, generatorCpus: null, live: false };
  const [system] = whoCanRun([stack(plain)], options, new Map()).systems;
  assert.deepEqual(
    [system.origin, system.title, system.settings, system.notes],
    ['upstream', 'Alpha', {}, []],
  );
  assert.equal(system.durability.policy, 'unknown');
  assert.equal(system.promises, undefined);
  /** @type {import('../types.d.ts').StackManifest} */
  const vendors = { ...plain, origin: 'upstream' };
  const [theirs] = whoCanRun([stack(vendors)], options, new Map()).systems;
  assert.deepEqual(
    [theirs.settings, theirs.durability.policy],
    [{}, 'unknown'],
    'somebody else configured it',
  );
});

test('a manifest that starts nothing describes the server at the address', () => {
  const { native: _, ...own } = MANIFEST;
  const options = { endpoints: { alpha: 'tcp://127.0.0.1:9' }, ports: {}, generatorCpus: null, live: false };
  const [system] = whoCanRun([stack(own)], options, new Map()).systems;
  assert.deepEqual([system.title, system.durability], [own.title, own.durability]);
});
