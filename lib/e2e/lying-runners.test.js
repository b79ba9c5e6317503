import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { generatorBuild } from '../setup/builds.js';
import { addSystem, newestRun, responder, runCommand, shortProfile, temporaryFolder } from './harness.js';

/** Two generators share a load, and what one of them hands over is not what it did. */
const folder = temporaryFolder();
const stacks = join(folder, 'stacks');
addSystem(stacks, 'kept', { title: 'Kept' });

/** A cache in which k6 is a program that lies. */
const cache = join(folder, 'cache');
const k6 = generatorBuild().output;
const lying = join(cache, 'builds', ...k6.split('/').slice(-2));
mkdirSync(lying, { recursive: true });
symlinkSync(fileURLToPath(new URL('./lying-runner.js', import.meta.url)), join(lying, 'k6'));
const nulls = dirname(responder().build.output);
symlinkSync(nulls, join(cache, 'builds', nulls.split('/').at(-1) ?? ''));
const env = { LADDERBENCH_CACHE: cache, LYING_K6: join(k6, 'k6') };

/** @param {string} name @param {string[]} steps @returns {Promise<Map<string, any>>} records by step */
async function measured(name, steps) {
  const own = join(folder, `${name}-profile`);
  mkdirSync(own);
  const profile = shortProfile(own, {
    workloads: ['counters'],
    warmupSec: 0,
    steps: steps.map((id) => ({ id, model: 'closed', vus: 4, durationSec: 1 })),
  });
  const reports = join(folder, name);
  const { code, stderr } = await runCommand(
    [profile, '--generators', '2', '--systems', 'kept', '--stacks', stacks, '--reports', reports].concat(
      '--engine',
      'native',
    ),
    { env },
  );
  assert.ok(code === 4 || code === 3, stderr);
  return new Map(
    newestRun(reports)
      .records.filter((r) => r.role === 'system')
      .map((r) => [r.step.id, r]),
  );
}

/** It waits for the most part, and so it runs beside the other. */
const hanging = measured('hangs', ['hangs']);
hanging.catch(() => {});

/** Each lie, and what names it. @type {Record<string, RegExp>} */
const LIES = {
  doubled: /oracle|littles_law/,
  halved: /oracle/,
  faster: /littles_law/,
  shifted: /start_skew/,
  unsealed: /runner_missing: runner 2 of 2: .*checksum/,
  gone: /runner_missing: runner 2 of 2: it left no result/,
  torn: /runner_missing: runner 2 of 2: it was cut off/,
  copied: /runner_missing: runner 2 of 2: it ran the segment/,
  stale: /runner_missing: runner 2 of 2: it contradicts itself: .*outside of its cell/,
  dies: /runner_missing: runner 2 of 2: k6 was ended by SIGKILL/,
};

test('if one of two load generators lies, or hands over another’s results or none, the measurement is INVALID by name', async () => {
  const records = await measured('lies', ['honest', ...Object.keys(LIES)]);
  const said = (/** @type {string} */ step) =>
    records.get(step)?.verdict.reasons.map((/** @type {any} */ r) => `${r.code}: ${r.measured}`) ?? [];
  assert.deepEqual(
    said('honest').filter((/** @type {string} */ s) =>
      /^(runner_missing|oracle|start_skew|littles_law)/.test(s),
    ),
    [],
  );
  for (const [lie, named] of Object.entries(LIES)) {
    assert.equal(records.get(lie)?.verdict.status, 'INVALID', `${lie}: ${said(lie)}`);
    assert.match(said(lie).join('\n'), named, lie);
  }
});

test('a generator that hangs after its load is not waited for without end, and named', async () => {
  const records = await hanging;
  const { status, reason } = records.get('hangs');
  assert.equal(status, 'failed');
  assert.match(reason, /^runner 2 of 2 did not end in \d+ s/);
});
