import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadStacks } from '../config/stacks.js';
import { nativeAvailability } from '../engines/index.js';
import { startNative } from '../engines/native.js';
import { demandTaken, untakenSettings } from './settings-taken.js';

const NATIVE = Object.freeze({ engine: /** @type {const} */ ('native') });
/** Systems, in each of their configurations, that tell their settings and that this machine can start at once. */
const asked = loadStacks().stacks.filter(
  (s) =>
    (s.manifest.ask?.resp?.settings ?? s.manifest.ask?.http?.settings) &&
    nativeAvailability(s).state === 'ready',
);
/** Those that save snapshots: they take `--maxclients`, too. */
const flagged = asked.filter((s) => s.manifest.ask?.resp?.settings?.includes('save'));

/** @param {import('../types.d.ts').Stack} stack @param {(i: import('../engines/native.js').Instance) => void} use */
async function up(stack, use) {
  const instance = await startNative(stack, { transport: 'resp', signal: new AbortController().signal });
  try {
    use(instance);
  } finally {
    await instance.stop();
  }
}

test('what a server says otherwise ends its start with the setting, what it has and what it was given', () => {
  const stack = /** @type {any} */ ({
    id: 'alpha',
    manifest: { settings: { workers: '2', level: 'info', log: 'no' }, docker: { settings: false } },
  });
  const instance = { stated: { version: '1', settings: { workers: '8', level: 'debug', log: 'no' } } };
  assert.throws(() => demandTaken(stack, NATIVE, instance), {
    message: 'alpha: its setting workers is "8", not "2" as it was given, and 1 more',
    exitCode: 3,
  });
  for (const engine of /** @type {const} */ (['external', 'docker']))
    assert.deepEqual(untakenSettings(stack, { engine }, instance), [], `${engine}: nothing was given`);
  assert.deepEqual(untakenSettings(stack, NATIVE, {}), [], 'it tells nothing');
});

test('real servers say that every setting of their manifests took', {
  skip: asked.length > 0 ? false : 'no such server on PATH or unpacked',
}, async () => {
  for (const stack of asked) {
    await up(stack, (instance) => {
      const names = Object.keys(stack.manifest.settings ?? {});
      const told = Object.keys(instance.stated?.settings ?? {});
      assert.deepEqual(
        names.filter((n) => !told.includes(n)),
        [],
        `${stack.id} does not know a setting`,
      );
      assert.deepEqual(untakenSettings(stack, NATIVE, instance), [], stack.id);
    });
  }
});

test('a real server that was started with another value is found out', {
  skip: flagged.length > 0 ? false : 'no such server on PATH or unpacked',
}, async () => {
  const [stack] = flagged;
  const native = /** @type {import('../types.d.ts').NativeRecipe} */ (stack.manifest.native);
  const start = [...native.start, '--maxclients', '50'];
  const settings = { ...stack.manifest.settings, maxclients: '60' };
  await up(
    { ...stack, manifest: { ...stack.manifest, settings, native: { ...native, start } } },
    (instance) =>
      assert.throws(
        () => demandTaken({ ...stack, manifest: { ...stack.manifest, settings } }, NATIVE, instance),
        {
          message: `${stack.id}: its setting maxclients is "50", not "60" as it was given`,
        },
      ),
  );
});
