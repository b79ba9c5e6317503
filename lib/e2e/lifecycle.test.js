import assert from 'node:assert/strict';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { loadStacks } from '../config/stacks.js';
import { nativeAvailability } from '../engines/index.js';
import { ceilingOf } from '../lifecycle/programs.js';
import { unpackRun, withRun } from '../record/archive.js';
import { lifecycleId, recordFiles } from '../record/run-folder.js';
import { isBuilt, runBuild, stackBuilds } from '../setup/builds.js';
import { readJson } from '../store.js';
import { addSystem, newestRun, responder, runCommand, shortProfile, temporaryFolder } from './harness.js';

const folder = temporaryFolder();
const stacks = join(folder, 'stacks');
const binary = join(responder().build.output, 'null');

/** @param {object} [more] */
function recipe(more = {}) {
  const rate = 'perSec';
  return {
    lifecycle: {
      runtime: [
        { what: 'binary', path: binary },
        { what: 'Node.js itself', binary: 'node' },
      ],
      ceiling: {
        title: 'storage',
        workload: 'counters',
        operation: 'increment',
        command: ['echo', JSON.stringify({ [rate]: 123_456 })],
        rate,
      },
    },
    conformance: { command: ['echo', 'talk\n{"passed": 18, "failed": 0}'] },
    ...more,
  };
}

/** 300 ms after its start it gives its first right answer. */
const LATE = ['--not-ready', '300ms'];
addSystem(stacks, 'late', { args: LATE, title: 'Late', more: recipe() });
addSystem(stacks, 'early', { title: 'Early', more: recipe() });
addSystem(stacks, 'odd', {
  title: 'Odd',
  more: recipe({ conformance: { command: ['echo', '{"passed": 17, "failed": 1}'] } }),
});
addSystem(stacks, 'wrong', {
  title: 'Wrong',
  more: { lifecycle: { runtime: [{ what: 'nothing', path: '/no/such/file' }] } },
});

/** @param {string} name @param {string} systems */
async function measure(name, systems) {
  const reports = join(folder, name);
  const ended = await runCommand([
    shortProfile(folder, { coldStarts: undefined, ceilings: undefined }),
    ...['--systems', systems, '--stacks', stacks, '--reports', reports, '--no-live'],
  ]);
  return { ...ended, reports, ...newestRun(reports) };
}

test('start-up, idle memory, size, contract and ceiling are measured, reported and follow from raw/', async () => {
  const { code, stderr, folder: run, report, reports } = await measure('both', 'early,late');
  assert.ok(code === 0 || code === 4, stderr);
  const [early, late] = ['early', 'late'].map((id) =>
    withRun(run, (data) => readJson(join(data, recordFiles(lifecycleId(id)).result))),
  );
  assert.equal(early.startMs.length, 10);
  for (const ms of late.startMs) assert.ok(ms >= 300, `${ms} ms`);
  const fastest = Math.min(...late.startMs);
  // Ten starts, of which a busy machine cannot delay each: the question is asked often enough.
  assert.ok(fastest < 400, `${fastest} ms`);
  for (const ms of early.startMs) assert.ok(ms > 0 && ms < fastest, `${ms} ms`);
  assert.ok(early.idleRssBytes > 100_000 && early.idleResidentBytes > early.idleRssBytes);
  assert.deepEqual(early.runtime[0], { what: 'binary', bytes: statSync(binary).size, shared: false });
  assert.equal(early.runtime[1].shared, true);
  assert.equal(early.ceilings[0].itemsPerSec, 123_456);
  assert.match(report, /\| start-up, ms \(10 cold starts\) \| .* \|\n/);
  assert.match(report, /\| Early \| 18 \| 0 \| – \|\n\| Late \| 18 \| 0 \| – \|/);
  assert.match(report, /No soak was run/);

  const verify = () => runCommand(['report', run, '--reports', reports, '--verify']);
  assert.equal((await verify()).code, 0);
  unpackRun(run);
  const file = join(run, recordFiles(lifecycleId('late')).result);
  writeFileSync(file, readFileSync(file, 'utf8').replace('"startMs": [', '"startMs": [1,'));
  const forged = await verify();
  assert.equal(forged.code, 4);
  assert.match(forged.stderr, /results\/lifecycle\.late\.json: changed/);
});

test('a system that fails its conformance check gets no load: in the report and in the exit code', async () => {
  const { code, report, records, stderr } = await measure('odd', 'odd');
  assert.equal(code, 3, stderr);
  assert.match(report, /\| Odd \| 17 \| 1 \| – \|/);
  for (const record of records.filter((r) => r.role === 'system'))
    assert.match(record.reason ?? '', /the conformance check failed: 1 of 18 checks/);
});

test('a runtime file that is not there is said, and the rest is measured', async () => {
  const { code, records, report, stderr } = await measure('wrong', 'wrong');
  assert.equal(code, 3, stderr);
  assert.match(stderr, /lifecycle\.runtime names \/no\/such\/file, which is missing/);
  assert.match(report, /failed: wrong: lifecycle\.runtime names/);
  assert.ok(records.some((r) => r.role === 'system' && r.status === 'ok'));
});

/** Real systems that have a program for it, and a server here, or the means to build one. */
const withCeiling = loadStacks().stacks.filter(
  (s) => s.manifest.lifecycle?.ceiling && nativeAvailability(s).state !== 'unavailable',
);

test('what the storage of a real system does alone is told by its program, here of few items', {
  skip: withCeiling.length > 0 ? false : 'none of the systems can be built here',
}, async () => {
  for (const stack of withCeiling) {
    for (const build of stackBuilds(stack)) if (!isBuilt(build)) await runBuild(build);
    const { manifest } = structuredClone(stack);
    const ceiling = /** @type {NonNullable<NonNullable<typeof manifest.lifecycle>['ceiling']>} */ (
      manifest.lifecycle?.ceiling
    );
    ceiling.command = ceiling.command.map((word) => word.replace(/^\d{5,}$/, '1000'));
    const { itemsPerSec, problem } = (await ceilingOf({ ...stack, manifest }, 1)) ?? {};
    assert.deepEqual([problem, Number(itemsPerSec) > 0], [null, true], stack.id);
  }
});
