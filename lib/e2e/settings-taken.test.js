/** Real servers against the settings of their manifests: what they were given is what they say they have. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadStacks } from '../config/stacks.js';
import { nativeAvailability } from '../engines/index.js';
import { startNative } from '../engines/native.js';
import { demandTaken, untakenSettings } from '../run/settings-taken.js';
import { isBuilt, runBuild, stackBuilds } from '../setup/builds.js';

const NATIVE = Object.freeze({ engine: /** @type {const} */ ('native') });
/** Systems, in each of their configurations, that tell their settings and that this machine can start, once they are built. */
const asked = loadStacks().stacks.filter(
  (s) =>
    (s.manifest.ask?.resp?.settings ?? s.manifest.ask?.http?.settings) &&
    nativeAvailability(s).state === 'ready',
);
/** Those that save snapshots: they take `--maxclients`, too. */
const flagged = asked.filter((s) => s.manifest.ask?.resp?.settings?.includes('save'));

/** @param {import('../types.d.ts').Stack} stack @param {(i: import('../engines/native.js').Instance) => void} use */
async function up(stack, use) {
  for (const build of stackBuilds(stack)) if (!isBuilt(build)) await runBuild(build);
  const instance = await startNative(stack, { transport: 'resp', signal: new AbortController().signal });
  try {
    use(instance);
  } finally {
    await instance.stop();
  }
}

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
