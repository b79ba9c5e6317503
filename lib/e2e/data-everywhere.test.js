/**
 * A workload as data wherever else a workload can be: in front of a store that evicts, under a kill, for a soak, by several
 * load generators, and over HTTP. Each time the state check sees what a store does wrong.
 */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { nativeAvailability } from '../engines/index.js';
import { newestRun, runCommand, shortProfile, systemsOf, temporaryFolder } from './harness.js';

/** @import { CellRecord, Profile, Stack } from '../types.d.ts' */

const folder = temporaryFolder();
const stacks = join(folder, 'stacks');

/** @param {string} workload @returns {Stack[]} with a server that is here */
const readyFor = (workload) =>
  systemsOf(workload).filter((s) => !s.manifest.native?.build && nativeAvailability(s).state === 'ready');

/**
 * @param {string} name of files and reports
 * @param {{workload: object, systems: string[], profile?: Partial<Profile>, flags?: string[]}} what
 */
async function measured(name, { workload, systems, profile = {}, flags = [] }) {
  const own = join(folder, name);
  mkdirSync(own);
  const file = join(own, `${name}.json`);
  writeFileSync(file, JSON.stringify(workload));
  const { code, stderr } = await runCommand([
    shortProfile(own, { workloads: undefined, ...profile }),
    ...['--workload', file, '--systems', systems.join(','), '--stacks', stacks],
    ...['--reports', join(own, 'reports'), '--no-live', ...flags],
  ]);
  assert.ok(code === 0 || code === 3 || code === 4, stderr);
  const { records, report } = newestRun(join(own, 'reports'));
  const of = (/** @type {string} */ id) => {
    const record = records.find((r) => r.system === id);
    assert.equal(record?.status, 'ok', `${id}: ${record?.reason}\n${stderr}`);
    return /** @type {CellRecord} */ (record);
  };
  return { code, stderr, records, report, of };
}

/** @param {CellRecord} record @returns {boolean} */
const isRefused = ({ verdict }) => verdict.reasons.some((r) => r.code === 'oracle');

mkdirSync(stacks);

const [plain] = readyFor('documents').filter((s) => s.id === s.base);
const READS = {
  ...{ keys: { count: 5000, hot: [0.2, 0.8] }, value: { bytes: 300 } },
  operations: {
    get: { share: 0.8, command: ['GET', 'k:{key}'] },
    set: { share: 0.2, command: ['SET', 'k:{key}', '{value}'] },
  },
};
/** A soak lasts a minute and waits for the most part, and so it runs beside the others. */
const soaked =
  plain &&
  measured('soaked', {
    ...{ workload: READS, systems: [plain.id], flags: ['--duration', '60s'] },
    profile: {
      steps: [
        { id: 'c4', model: 'closed', vus: 4, durationSec: 2, focus: true },
        { id: 'soak', model: 'open', vus: 4, ratePerSec: 2000, durationSec: 600, focus: true, soak: true },
      ],
    },
  });
soaked?.catch(() => {});

test('a cache misses what its policy drops and fills it again; who promises to keep everything may drop nothing', async (t) => {
  const caches = readyFor('cache');
  const [one] = caches;
  if (!one) return t.skip('no server that evicts is on PATH or unpacked');
  const kept = systemsOf('documents').find(({ id }) => id === one.base);
  assert.ok(kept, one.base);
  // The same server and settings, of which the manifest does not say that it evicts.
  const { evictsAt, ...secretly } = one.manifest;
  const workloads = { documents: { transports: ['resp'] } };
  mkdirSync(join(stacks, 'forgetful'));
  writeFileSync(
    join(stacks, 'forgetful', 'stack.json'),
    JSON.stringify({ ...secretly, docker: undefined, workloads, title: 'Forgetful' }),
  );
  writeFileSync(
    join(stacks, 'forgetful', 'client.js'),
    `export { default } from '${join(one.folder, 'client.js')}';\n`,
  );
  const limit = Number(one.manifest.settings?.[String(evictsAt)]);
  const workload = {
    ...{ keys: { count: 100_000, zipf: 0.99 }, value: { bytes: 1000 }, ttlSec: 300, evicts: true },
    operations: {
      get: { command: ['GET', 'item:{key}'] },
      set: { command: ['SET', 'item:{key}', '{value}', 'EX', '{ttl}'], does: 'fills' },
    },
  };
  const steps = [
    { id: 'c8', model: /** @type {const} */ ('closed'), vus: 8, durationSec: 3 },
    { id: 'c4-p16', model: /** @type {const} */ ('closed'), vus: 4, depth: 16, durationSec: 2 },
  ];
  const systems = [one.id, kept.id, 'forgetful'];
  const { records, report } = await measured('evicting', { workload, systems, profile: { steps } });
  for (const record of records) {
    const { get, set } = record.operations;
    const share = set.count / get.count;
    if (record.system === kept.id) {
      assert.ok(record.oracle?.ok, JSON.stringify(record.oracle));
      assert.equal(set.count, 0, 'everything is there');
    } else {
      assert.ok(share > 0.05 && share < 0.7, `${record.cell}: ${set.count} of ${get.count} missed`);
      const rss = record.resources.system?.rssPeakBytes ?? 0;
      assert.ok(rss < 1.6 * limit, `${record.cell}: ${rss} bytes`);
    }
    if (record.system === one.id) {
      assert.ok(record.oracle?.ok, JSON.stringify(record.oracle));
      assert.match(String(record.oracle?.detail), /none was wrong; \d{5} of them had been evicted/);
      assert.equal(record.parity.memoryLimit, String(limit));
    }
    if (record.system === 'forgetful') {
      assert.ok(isRefused(record) && record.verdict.status === 'INVALID', JSON.stringify(record.verdict));
      assert.match(String(record.oracle?.detail), /were missing, though acknowledged/);
    }
  }
  assert.match(report, /hit ratio, % /);
  assert.match(report, /^- Forgetful: of \d+ values read back after the load \d+ were missing/m);
});

test('under a kill who syncs each write loses nothing of a workload as data, and who keeps it in memory loses it', async (t) => {
  const durable = readyFor('documents').find((s) => s.manifest.durability.policy === 'fsync');
  const volatile = readyFor('documents').find((s) => s.id === durable?.base);
  if (!durable || !volatile) return t.skip('no server with an append-only file is on PATH or unpacked');
  const workload = {
    ...{ keys: { count: 2000 }, value: { bytes: [100, 300] } },
    operations: {
      get: { share: 0.5, command: ['GET', 'k:{key}'] },
      set: { share: 0.5, command: ['SET', 'k:{key}', '{value}'] },
    },
  };
  const load = { id: 'kill', model: /** @type {const} */ ('open'), vus: 8, ratePerSec: 300, durationSec: 7 };
  const steps = [{ ...load, fault: { kind: /** @type {const} */ ('kill'), atSec: 3 } }];
  const { of } = await measured('killed', {
    ...{ workload, systems: [durable.id, volatile.id] },
    profile: { warmupSec: 0, steps },
  });
  const { chaos: keeps, oracle } = of(durable.id);
  assert.equal(keeps?.lost, 0, JSON.stringify([keeps, oracle]));
  assert.ok(Number(keeps?.acked) > 0, JSON.stringify(keeps));
  const { chaos: loses } = of(volatile.id);
  assert.ok(Number(loses?.lost) > 1000, JSON.stringify(loses));
});

test('a soak and several load generators take a workload as data, and check what is stored', async (t) => {
  if (!plain || !soaked) return t.skip('no server is on PATH or unpacked');
  const shared = await measured('shared', {
    ...{ workload: READS, systems: [plain.id], flags: ['--generators', '3', '--on', 'local'] },
    profile: { steps: [{ id: 'c9', model: 'closed', vus: 9, durationSec: 3 }] },
  });
  const record = shared.of(plain.id);
  assert.deepEqual([record.generators?.count, record.generators?.missing], [3, []]);
  assert.deepEqual([record.oracle?.ok, record.oracle?.stored], [true, 5000], JSON.stringify(record.oracle));
  const soak = (await soaked).records.find((r) => r.step.soak);
  assert.equal(soak?.status, 'ok', `${soak?.reason}`);
  assert.ok(soak?.soak && soak.oracle?.ok, JSON.stringify([soak?.soak?.verdict, soak?.oracle]));
  const counts = Object.fromEntries(Object.entries(soak.operations).map(([op, o]) => [op, o.count]));
  assert.ok(Math.abs(counts.get / (counts.get + counts.set) - 0.8) < 0.02, JSON.stringify(counts));
});

/** @param {boolean} cuts whether a body that is longer than 200 bytes is stored without its end */
async function resource(cuts) {
  /** @type {Map<string, string>} */
  const kept = new Map();
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const part of request.setEncoding('latin1')) body += part;
    const path = String(request.url);
    if (request.method === 'PUT')
      kept.set(path, cuts && body.length > 200 ? `${body.slice(0, 198)}"}` : body);
    const answer = request.method === 'PUT' ? '' : (kept.get(path) ?? null);
    response.writeHead(answer === null ? 404 : 200).end(answer ?? '');
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  return /** @type {import('node:net').AddressInfo} */ (server.address()).port;
}

test('over HTTP a workload as data runs, and a resource that cuts bodies is INVALID', async () => {
  const ports = [await resource(false), await resource(true)];
  const workload = {
    ...{ keys: { count: 500, zipf: 0.8 }, value: { bytes: [50, 600] } },
    operations: {
      read: { share: 0.8, path: '/items/{key}' },
      replace: { share: 0.2, method: 'PUT', path: '/items/{key}', body: '{"text":"{value}"}' },
    },
  };
  const { of } = await measured('web', {
    ...{ workload, systems: ['whole', 'cut'] },
    flags: ['whole', 'cut'].flatMap((id, i) => ['--endpoint', `${id}=http://127.0.0.1:${ports[i]}`]),
  });
  const whole = of('whole');
  assert.deepEqual([whole.oracle?.ok, whole.oracle?.stored], [true, 500], JSON.stringify(whole.oracle));
  const cut = of('cut');
  assert.ok(isRefused(cut), JSON.stringify(cut.verdict));
  assert.match(String(cut.oracle?.detail), /were cut short/);
});
