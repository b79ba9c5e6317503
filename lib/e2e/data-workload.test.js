import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { nativeAvailability } from '../engines/index.js';
import { newestRun, runCommand, shortProfile, systemsOf, temporaryFolder } from './harness.js';
import { lyingStore } from './lying-store.js';

/** @import { CellRecord } from '../types.d.ts' */

const folder = temporaryFolder();

/** What somebody brings along: seven tenths reads, values of 100 B to 10 KB, a tenth counters, skewed keys, a minute to live. */
const STRANGERS = `{
  "keys": { "count": 10000, "zipf": 0.99 },
  "value": { "bytes": [100, 10240] },
  "ttlSec": 60,
  "operations": {
    "get": { "share": 0.7, "command": ["GET", "user:{key}"] },
    "set": { "share": 0.2, "command": ["SET", "user:{key}", "{value}", "EX", "{ttl}"] },
    "incr": { "share": 0.1, "command": ["INCR", "hits:{key}"] }
  }
}`;

/** @param {string} name @param {string} text */
function file(name, text) {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

test("a stranger's mix comes from a file of ten lines to a report on real servers, one after another and side by side", async (t) => {
  const servers = systemsOf('documents').filter(
    (s) =>
      s.id === s.base &&
      s.manifest.workloads.counters &&
      !s.manifest.native?.build &&
      nativeAvailability(s).state === 'ready',
  );
  if (servers.length < 2) return t.skip('fewer than two servers are on PATH or unpacked');
  assert.equal(STRANGERS.split('\n').length, 10);
  const ids = servers.map((s) => s.id);
  const flags = ['--workload', file('mix.json', STRANGERS), '--systems', ids.join(','), '--no-live'];
  const steps = [
    { id: 'c8', model: /** @type {const} */ ('closed'), vus: 8, durationSec: 2 },
    { id: 'c4-p16', model: /** @type {const} */ ('closed'), vus: 4, depth: 16, durationSec: 2 },
    { id: 'open-50', model: /** @type {const} */ ('open'), vus: 8, fractionOfKnee: 0.5, durationSec: 2 },
  ];
  const single = join(folder, 'single');
  const profile = shortProfile(folder, { workloads: undefined, warmupSec: 0, steps });
  const one = await runCommand([profile, ...flags, '--reports', single]);
  assert.ok(one.code === 0 || one.code === 4, one.stderr);
  const { records, report } = newestRun(single);
  assert.equal(records.length, ids.length * steps.length);
  for (const record of records) {
    assert.equal(record.status, 'ok', `${record.cell}: ${record.reason}`);
    assert.ok(record.oracle?.ok, `${record.cell}: ${JSON.stringify(record.oracle)}`);
    assert.equal(record.oracle?.stored, 10_000);
    const counts = Object.fromEntries(Object.entries(record.operations).map(([op, o]) => [op, o.count]));
    const all = counts.get + counts.set + counts.incr;
    for (const [op, share] of Object.entries({ get: 0.7, set: 0.2, incr: 0.1 }))
      assert.ok(Math.abs(counts[op] / all - share) < 0.03, `${record.cell} ${op}: ${counts[op]} of ${all}`);
  }
  for (const s of servers) assert.ok(report.includes(s.manifest.title));
  const paired = join(folder, 'paired');
  const beside = shortProfile(folder, {
    workloads: undefined,
    steps: steps.slice(0, 1),
    sideBySide: { maxStarts: 1, warmupSec: 0.2 },
  });
  const two = await runCommand([beside, ...flags, '--reports', paired]);
  assert.ok(two.code === 0 || two.code === 4, two.stderr);
  assert.match(two.stderr, /side by side {2}start {2}1 {2}ok/);
});

/** What each lie must come out as. */
const LIES = Object.freeze({
  none: null,
  cuts: /were cut short/,
  neighbour: /were of another key/,
  evicts: /were missing, though acknowledged, and neither expired nor allowed to be evicted/,
  loses: /were (missing, though acknowledged|older than the last acknowledged write)/,
});

const SETS = { share: 0.3, command: ['SET', 'user:{key}', '{value}'] };
const GETS = { share: 0.7, command: ['GET', 'user:{key}'] };

/**
 * @param {string} name
 * @param {object} workload
 * @param {import('./lying-store.js').Lie[]} lies
 * @returns {Promise<Map<string, CellRecord>>} by lie
 */
async function measured(name, workload, lies) {
  const stores = await Promise.all(lies.map(lyingStore));
  after(() => stores.map(({ stop }) => stop()));
  const reports = join(folder, name);
  const { stderr } = await runCommand([
    shortProfile(folder, {
      workloads: undefined,
      steps: [{ id: 'c4', model: 'closed', vus: 4, durationSec: 4 }],
    }),
    ...['--workload', file(`${name}.json`, JSON.stringify(workload))],
    ...lies.flatMap((lie, i) => ['--endpoint', `${lie}=resp://127.0.0.1:${stores[i].port}`]),
    ...['--systems', lies.join(','), '--reports', reports, '--no-live'],
  ]);
  const { records } = newestRun(reports);
  assert.equal(records.length, lies.length, stderr);
  return new Map(records.map((r) => [r.system, r]));
}

/** @param {CellRecord | undefined} record @returns {boolean} */
const isRefused = (record) =>
  record?.verdict.status === 'INVALID' && record.verdict.reasons.some((r) => r.code === 'oracle');

test('a store that cuts, mixes up, drops or loses values is INVALID, and the report says what it did', async () => {
  const lies = /** @type {(keyof typeof LIES)[]} */ (Object.keys(LIES));
  const workload = {
    keys: { count: 30_000 },
    value: { bytes: [100, 2000] },
    operations: { get: GETS, set: SETS },
  };
  const records = await measured('lies', workload, lies);
  for (const lie of lies) {
    const record = records.get(lie);
    const { oracle } = record ?? {};
    assert.equal(isRefused(record), lie !== 'none', `${lie}: ${JSON.stringify([record?.verdict, oracle])}`);
    if (LIES[lie]) assert.match(String(oracle?.detail), LIES[lie], lie);
    else assert.ok(oracle?.ok, JSON.stringify(oracle));
  }
});

test('a store that serves what is over is INVALID, and one that drops it in time is not', async () => {
  const workload = {
    ...{ keys: { count: 20_000 }, value: { bytes: 100 }, ttlSec: 1 },
    operations: { get: GETS, set: { ...SETS, command: [...SETS.command, 'EX', '{ttl}'] } },
  };
  const records = await measured('lives', workload, ['none', 'expired']);
  assert.ok(records.get('none')?.oracle?.ok, JSON.stringify(records.get('none')?.oracle));
  assert.ok(isRefused(records.get('expired')), JSON.stringify(records.get('expired')?.verdict));
  assert.match(String(records.get('expired')?.oracle?.detail), /were there after their time to live/);
});

test('who writes a workload wrongly is told the line and what to write', async () => {
  const wrong = file('wrong.json', STRANGERS.replace('"share": 0.7', '"shrae": 0.7'));
  const { code, stderr } = await runCommand(['smoke', '--workload', wrong]);
  assert.equal(code, 2);
  assert.match(stderr, /wrong\.json:6: operations\.get: unknown field "shrae"; did you mean "share"\?/);
});
