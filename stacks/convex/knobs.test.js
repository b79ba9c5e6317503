import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { loadStacks } from '../../lib/config/stacks.js';

const read = (/** @type {string} */ file) => readFileSync(join(import.meta.dirname, file), 'utf8');
const { commit, knobs } = JSON.parse(read('knobs.json'));
const { stacks } = loadStacks();
/** @param {string} id */
const manifestOf = (id) => /** @type {any} */ (stacks.find((s) => s.id === id)?.manifest);

/** What the image, its start script or the server's own command line read, beside the knobs. */
const NO_KNOBS = [
  'INSTANCE_NAME',
  'INSTANCE_SECRET',
  'DISABLE_BEACON',
  'RUST_LOG',
  'POSTGRES_URL',
  'DO_NOT_REQUIRE_SSL',
];

test('every knob that is set exists at the pinned commit', () => {
  assert.ok(
    manifestOf('convex').docker.images.CONVEX_IMAGE.endsWith(`:${commit}`),
    'the list is of the image',
  );
  const service = read('compose.yml').split(/^ {2}convex-postgres:/m)[0];
  const set = [...service.matchAll(/^ {6}([A-Z][A-Z0-9_]+):/gm)].map(([, name]) => name);
  const settings = ['convex', 'convex@tuned'].flatMap((id) => Object.keys(manifestOf(id).settings));
  assert.ok(set.length > 15);
  const strange = [...set, ...settings].filter((name) => !knobs.includes(name) && !NO_KNOBS.includes(name));
  assert.deepEqual([...new Set(strange)], []);
});

test('what decides a hot counter is named, and the backend opens fewer connections than PostgreSQL lets in', () => {
  const { settings } = manifestOf('convex');
  for (const name of ['OCC_MAX_RETRIES', 'OCC_INITIAL_BACKOFF_MS', 'OCC_MAX_BACKOFF_MS'])
    assert.ok(settings[`UDF_EXECUTOR_${name}`], name);
  assert.ok(Number(manifestOf('convex@tuned').settings.POSTGRES_MAX_CONNECTIONS) < 100);
});
