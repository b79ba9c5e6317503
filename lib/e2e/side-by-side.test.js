import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { nativeAvailability } from '../engines/index.js';
import { upright, winnerOf } from '../figures/compare.js';
import { rowsOf } from '../figures/rows.js';
import { readRun } from '../figures/run.js';
import { METHOD_VERSION } from '../judge/method.js';
import { placementOf } from '../process/placement.js';
import { withRun } from '../record/archive.js';
import { addSystem, newestRun, runCommand, shortProfile, systemsOf, temporaryFolder } from './harness.js';

const placement = placementOf();
const skip = 'problem' in placement ? placement.problem : false;
const folder = temporaryFolder();
const stacks = join(folder, 'stacks');
// One burns ten times the CPU for each request: no machine is so busy that it could hide it.
addSystem(stacks, 'light', { title: 'Light', args: ['--spin', '3us'] });
addSystem(stacks, 'heavy', { title: 'Heavy', args: ['--spin', '30us'] });
addSystem(stacks, 'odd', {
  title: 'Odd',
  more: { conformance: { command: ['echo', '{"passed": 17, "failed": 1}'] } },
});
addSystem(stacks, 'forgetful', { title: 'Forgetful', args: ['--drop-every', '1000'] });

/** @param {string} name @param {string} systems @param {string[]} [more] */
async function measure(name, systems, more = []) {
  const reports = join(folder, name);
  const profile = shortProfile(folder, {
    // Servers that were compiled before need not be warmed by the second.
    sideBySide: { maxStarts: 5, warmupSec: 0.2 },
    steps: [{ id: 'c20-p16', model: 'closed', vus: 20, depth: 16, durationSec: 3 }],
  });
  const args = [
    profile,
    '--systems',
    systems,
    '--stacks',
    stacks,
    '--reports',
    reports,
    '--no-live',
    ...more,
  ];
  const ended = await runCommand([...args, '--engine', 'native']);
  return { ...ended, reports, ...newestRun(reports) };
}

test('of two systems side by side the one that burns less CPU is ahead, and its twin is no winner', {
  skip,
}, async () => {
  const { code, stderr, folder: run, report, reports } = await measure('two', 'light,heavy');
  assert.equal(code, 0, stderr);
  const { starts, records, sideBySide } = withRun(run, (data) => readRun(data));
  const [summary] = sideBySide;
  assert.ok(starts.length >= 1 && starts.length <= 5);
  for (const start of starts) {
    assert.equal(start.status, 'ok', String(start.reason));
    assert.deepEqual([...new Set(start.systems.map((s) => s.oracle?.ok))], [true]);
    assert.equal(start.methodVersion, METHOD_VERSION);
  }
  assert.equal(summary.starts, starts.length);
  assert.ok(summary.state.acked > 0 && summary.state.wrong.length === 0);
  const paired = summary.comparisons.filter((c) => c.paired);
  for (const comparison of paired)
    assert.ok([null, 'light'].includes(winnerOf(comparison)), JSON.stringify(comparison));
  const counted = paired.filter((c) => Number(upright(c).ratio?.estimate) > 2);
  assert.ok(counted.length > 0, 'a difference of ten times the work is seen in what was counted');
  const alone = rowsOf(records.filter((r) => r.paired !== undefined));
  assert.ok(alone.some((f) => f.ratePerSec !== null && f.serviceMs.p99 !== null));
  assert.match(report, /### CPU per operation\n/);
  assert.match(report, /\| memory after these loads, MiB \| [^|]+ \| [\d.*]+ \| [\d.*]+ \|/);
  assert.match(report, /\*\*Confidence: .*Light measured against itself/);

  const verified = await runCommand(['report', run, '--reports', reports, '--verify']);
  assert.equal(verified.code, 0, verified.stderr);
  const again = await runCommand(['--resume', run, '--stacks', stacks, '--reports', reports]);
  assert.equal(again.code, 0, again.stderr);
});

test('of two systems of which one burns 3 % more CPU for each request the dearer one never wins, nor by how much it is not', {
  skip,
}, async () => {
  addSystem(stacks, 'plain', { title: 'Plain', args: ['--spin', '30us'] });
  addSystem(stacks, 'dearer', { title: 'Dearer', args: ['--spin', '31us'] });
  const { code, stderr, folder: run } = await measure('small', 'plain,dearer');
  // What each does alone may be no figure on a machine that others fill.
  assert.ok(code === 0 || code === 4, stderr);
  const [summary] = withRun(run, (data) => readRun(data).sideBySide);
  const compared = summary.comparisons.filter((c) => c.paired && c.ratio);
  assert.ok(compared.length > 0);
  for (const comparison of compared) {
    assert.notEqual(winnerOf(comparison), 'dearer', JSON.stringify(comparison));
    // Operations per CPU-second of a against those of b, and no more than a twentieth beside what they are.
    const { low, high } = /** @type {{low: number, high: number}} */ (comparison.ratio);
    const truth = comparison.a === 'plain' ? 1.03 : 1 / 1.03;
    assert.ok(low < truth * 1.05 && high > truth / 1.05, JSON.stringify(comparison));
  }
});

test('a start in which a system lost acknowledged writes counts for nothing, and ends with 4', {
  skip,
}, async () => {
  const { code, stderr, report } = await measure('lost', 'light,forgetful', ['--starts', '1']);
  assert.equal(code, 4, stderr);
  assert.match(stderr, /wrong state: forgetful/);
  assert.match(report, /Forgetful, start 1: acknowledged \d+, stored \d+; that start counts for none/);
});

test('a system that fails its conformance check is loaded beside no other', { skip }, async () => {
  const { code, stderr, folder: run } = await measure('nonconforming', 'light,odd', ['--starts', '1']);
  assert.equal(code, 3, stderr);
  const [start] = withRun(run, (data) => readRun(data).starts);
  assert.equal(start.status, 'failed');
  assert.equal(start.reason, 'odd: the conformance check failed: 1 of 18 checks');
});

test('where a machine has one CPU only, systems are measured one after another, and the plan says why', async () => {
  const { sideBySideOf } = await import('../plan/paired-trials.js');
  const { plan, why } = sideBySideOf(
    /** @type {any} */ ({
      profile: { sideBySide: { maxStarts: 5 } },
      placement: placementOf([0]),
      systems: [],
      workloads: [],
      stacks: [],
      options: {},
    }),
  );
  assert.equal(plan, null);
  assert.ok(why);
});

/** A real server that tells its settings and needs no build. */
const telling = systemsOf('counters').find(
  (s) =>
    s.id === s.base &&
    s.manifest.ask?.resp?.settings &&
    !s.manifest.native?.build &&
    nativeAvailability(s).state === 'ready',
);

test('a server that says that a setting did not take is not loaded', {
  skip: skip || (telling ? false : 'no such server on PATH or unpacked'),
}, async () => {
  if (!telling) return;
  const { manifest } = telling;
  const native = /** @type {import('../types.d.ts').NativeRecipe} */ (manifest.native);
  const other = {
    ...manifest,
    title: 'Other',
    variants: undefined,
    workloads: { counters: { transports: ['resp'] } },
    settings: { ...manifest.settings, maxclients: '600' },
    native: { ...native, start: [...native.start, '--maxclients', '500'] },
    docker: undefined,
  };
  mkdirSync(join(stacks, 'other'), { recursive: true });
  writeFileSync(join(stacks, 'other', 'stack.json'), JSON.stringify(other));
  writeFileSync(
    join(stacks, 'other', 'client.js'),
    `export { default } from '${join(telling.folder, 'client.js')}';\n`,
  );
  const { code, stderr, report } = await measure('untaken', 'light,other', ['--starts', '1']);
  assert.equal(code, 3, stderr);
  assert.match(`${stderr}\n${report}`, /its setting maxclients is "500", not "600" as it was given/);
});
