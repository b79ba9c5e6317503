/**
 * Faults under a paced load: what is lost, stored twice, and how long it takes, of servers of which it is known.
 */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { powerLossMissing } from '../engines/power-loss.js';
import { ROOT } from '../paths.js';
import { memoryLimitMissing } from '../process/memory-limit.js';
import { mountsBelow } from '../process/mounts.js';
import { abandonedGroups } from '../process/temporary.js';
import { isBuilt, runBuild, stackBuilds } from '../setup/builds.js';
import {
  addSystem,
  newestRun,
  processesWith,
  responder,
  runCommand,
  shortProfile,
  systemsOf,
  temporaryFolder,
} from './harness.js';

/** Of each reply: half as much again, which a p99 may be after a fault, is then more than a busy machine takes away. */
const USUAL_MS = 25;
const MUTANT = fileURLToPath(new URL('./mutants.js', import.meta.url));
const folder = temporaryFolder();
const stacks = join(folder, 'stacks');

/** @param {string} fault */
function addMutant(fault) {
  const path = join(stacks, fault);
  mkdirSync(path, { recursive: true });
  const { stack } = responder();
  const manifest = {
    ...stack.manifest,
    docker: undefined,
    restart: true,
    workloads: { counters: { transports: ['resp'] } },
    title: `Mutant ${fault}`,
    native: { start: [process.execPath, MUTANT, '{port}', '{data}', fault, String(USUAL_MS)] },
  };
  writeFileSync(join(path, 'stack.json'), JSON.stringify(manifest));
  writeFileSync(join(path, 'client.js'), `export { default } from '${join(stack.folder, 'client.js')}';\n`);
}
for (const fault of ['honest', 'forgets', 'doubles', 'slow', 'careful', 'hoards']) addMutant(fault);

/** @param {string} id @param {number} forgetEvery one of so many events at a start, 0: none */
function addEventServer(id, forgetEvery) {
  const path = join(stacks, id);
  mkdirSync(path, { recursive: true });
  const server = fileURLToPath(new URL('./events-server.js', import.meta.url));
  const start = [process.execPath, server, '{port}', '0', '0', '{data}/events', String(forgetEvery)];
  const manifest = {
    title: `Mutant ${id}`,
    origin: 'reference',
    restart: true,
    workloads: { events: { transports: ['http'] } },
    durability: { policy: 'none', meaning: 'written, never synced' },
    native: { start },
    endpoint: { url: 'http://{host}:{port}', port: 8080 },
    ready: { http: { path: '/healthz', status: 200 }, timeoutSec: 10 },
  };
  writeFileSync(join(path, 'stack.json'), JSON.stringify(manifest));
  const client = join(ROOT, 'stacks', '_ingest', 'client.js');
  writeFileSync(join(path, 'client.js'), `export * from '${client}';\n`);
}
addEventServer('keeps-events', 0);
addEventServer('forgets-events', 1000);

/** @param {string} id @param {number} forgetEvery one of so many documents at a start, 0: none */
function addDocumentServer(id, forgetEvery) {
  const path = join(stacks, id);
  mkdirSync(path, { recursive: true });
  const server = fileURLToPath(new URL('./documents-server.js', import.meta.url));
  const { stack } = responder();
  const manifest = {
    ...stack.manifest,
    docker: undefined,
    restart: true,
    workloads: { documents: { transports: ['resp'] } },
    title: `Mutant ${id}`,
    native: { start: [process.execPath, server, '{port}', '{data}/documents', String(forgetEvery)] },
  };
  writeFileSync(join(path, 'stack.json'), JSON.stringify(manifest));
  writeFileSync(join(path, 'client.js'), `export { default } from '${join(stack.folder, 'client.js')}';\n`);
}
addDocumentServer('keeps-documents', 0);
addDocumentServer('forgets-documents', 1000);

/** A real one, in front of which a proxy forgets. */
const entities = /** @type {import('../types.d.ts').Stack} */ (
  systemsOf('rest-crud').find(({ manifest: { native } }) => native?.build && !native.companions)
);

/** @param {string} id @param {number} forgetEvery one of so many entities at a start, 0: none */
function addEntityServer(id, forgetEvery) {
  const path = join(stacks, id);
  mkdirSync(path, { recursive: true });
  const { manifest: real } = entities;
  const [build] = stackBuilds(entities);
  const proxy = fileURLToPath(new URL('./entities-proxy.js', import.meta.url));
  const server = (real.native?.start ?? []).map((part) =>
    part
      .replace('{cache}', build.output)
      .replace('{host}', '127.0.0.1')
      .replace('{port}', 'INNER_PORT')
      .replace('{data}', '{data}/server'),
  );
  const manifest = {
    title: `Mutant ${id}`,
    origin: 'reference',
    restart: true,
    workloads: { 'rest-crud': { transports: ['http'] } },
    durability: real.durability,
    native: { start: [process.execPath, proxy, '{port}', '{data}', String(forgetEvery), ...server] },
    endpoint: real.endpoint,
    ready: real.ready,
  };
  writeFileSync(join(path, 'stack.json'), JSON.stringify(manifest));
  writeFileSync(
    join(path, 'client.js'),
    `export { burst, open, requests } from '${join(entities.folder, 'client.js')}';\n`,
  );
}
addEntityServer('keeps-entities', 0);
addEntityServer('forgets-entities', 1000);

/**
 * @param {string} name of the reports
 * @param {string} systems
 * @param {import('../types.d.ts').Fault[]} faults
 */
async function run(name, systems, faults, load = { vus: 20, ratePerSec: 400 }, workload = 'counters') {
  mkdirSync(join(folder, name));
  const profile = shortProfile(join(folder, name), {
    warmupSec: 0,
    workloads: [workload],
    steps: faults.map((fault) => ({
      id: fault.kind,
      model: /** @type {const} */ ('open'),
      ...load,
      durationSec: 11,
      fault,
    })),
  });
  const reports = join(folder, name, 'reports');
  const args = [profile, '--stacks', stacks, '--systems', systems, '--no-live', '--reports', reports];
  const ended = await runCommand(args);
  return { ...ended, ...newestRun(reports) };
}

/**
 * @param {Awaited<ReturnType<typeof run>>} of
 * @param {string} system
 * @param {string} step
 */
function chaosOf({ records, stderr }, system, step) {
  const record = records.find((r) => r.system === system && r.step.id === step);
  assert.equal(
    record?.verdict.status,
    'VALID',
    `${JSON.stringify(record?.verdict)} ${record?.reason} ${stderr}`,
  );
  assert.ok(record?.chaos, stderr);
  return record.chaos;
}

test('a kill: who forgets 1 in 1 000 acknowledged writes is seen, and who keeps one twice; who keeps all loses none', async () => {
  const of = await run('kill', 'honest,forgets,doubles', [{ kind: 'kill', atSec: 4 }]);
  assert.equal(of.code, 0, of.stderr);
  const honest = chaosOf(of, 'honest', 'kill');
  assert.deepEqual([honest.lost, honest.twice], [0, 0]);
  assert.ok(honest.acked > 3500, `${honest.acked}`);
  const { firstSuccessMs, restoredMs, restartMs } = honest;
  assert.ok(firstSuccessMs !== null && firstSuccessMs > 20 && firstSuccessMs < 3000, `${firstSuccessMs}`);
  // The first success is counted from the signal, p99 from the process's end, which a busy machine delays.
  assert.ok(restoredMs === null || restoredMs >= firstSuccessMs - 500, `${restoredMs}, ${firstSuccessMs}`);
  assert.ok(restartMs !== null && restartMs > 0);
  const forgets = chaosOf(of, 'forgets', 'kill');
  assert.ok(forgets.lost >= 1 && forgets.lost < 6 && forgets.twice === 0, JSON.stringify(forgets));
  const doubles = chaosOf(of, 'doubles', 'kill');
  assert.ok(doubles.twice >= 1 && doubles.twice < 6 && doubles.lost === 0, JSON.stringify(doubles));
  assert.match(of.report, /## Faults under load/);
  assert.deepEqual(processesWith(MUTANT), []);
});

test('a kill: an event server that forgets 1 in 1 000 acknowledged events is seen, and one that keeps them is not', async () => {
  // Up to 20 batches of 50 are in doubt at the kill: by their sum alone they would hide more than what is forgotten.
  const load = { vus: 20, ratePerSec: 100 };
  const of = await run(
    'kill-events',
    'keeps-events,forgets-events',
    [{ kind: 'kill', atSec: 4 }],
    load,
    'events',
  );
  assert.equal(of.code, 0, of.stderr);
  const keeps = chaosOf(of, 'keeps-events', 'kill');
  assert.equal(keeps.lost, 0, JSON.stringify(keeps));
  const forgets = chaosOf(of, 'forgets-events', 'kill');
  assert.ok(forgets.lost >= 15 && forgets.lost <= 25, JSON.stringify(forgets)); // 4 s of 5000 events a second
});

test('a kill: a document server that forgets 1 in 1 000 acknowledged documents is seen, and one that keeps them is not', async () => {
  const of = await run(
    'kill-documents',
    'keeps-documents,forgets-documents',
    [{ kind: 'kill', atSec: 5 }],
    { vus: 20, ratePerSec: 400 },
    'documents',
  );
  assert.equal(of.code, 0, of.stderr);
  const keeps = chaosOf(of, 'keeps-documents', 'kill');
  assert.deepEqual([keeps.lost, keeps.twice], [0, 0], JSON.stringify(keeps));
  assert.ok(keeps.acked > 3500, `${keeps.acked}`);
  const forgets = chaosOf(of, 'forgets-documents', 'kill');
  assert.ok(forgets.lost >= 1 && forgets.lost < 6 && forgets.twice === 0, JSON.stringify(forgets));
});

test('a kill: an entity server that forgets 1 in 1 000 acknowledged entities is seen, and one that keeps them is not', async () => {
  for (const build of stackBuilds(entities)) if (!isBuilt(build)) await runBuild(build);
  const of = await run(
    'kill-entities',
    'keeps-entities,forgets-entities',
    [{ kind: 'kill', atSec: 5 }],
    { vus: 20, ratePerSec: 400 },
    'rest-crud',
  );
  assert.equal(of.code, 0, of.stderr);
  const keeps = chaosOf(of, 'keeps-entities', 'kill');
  assert.deepEqual([keeps.lost, keeps.twice], [0, 0], JSON.stringify(keeps));
  assert.ok(keeps.acked > 3000, `${keeps.acked}`);
  const forgets = chaosOf(of, 'forgets-entities', 'kill');
  assert.ok(forgets.lost >= 1 && forgets.lost < 6 && forgets.twice === 0, JSON.stringify(forgets));
});

test('a pause: who stays slow for 3 s afterwards reads 3.0 ± 0.2 s, and who does not is back at once', async () => {
  const of = await run('pause', 'honest,slow', [{ kind: 'pause', atSec: 3, forSec: 2 }], {
    vus: 60,
    ratePerSec: 100,
  });
  assert.equal(of.code, 0, of.stderr);
  const slow = chaosOf(of, 'slow', 'pause');
  assert.ok(Math.abs(Number(slow.restoredMs) - 3000) <= 200, JSON.stringify(slow));
  const honest = chaosOf(of, 'honest', 'pause');
  assert.ok(
    Number(honest.firstSuccessMs) >= 1950 && Number(honest.firstSuccessMs) < 2300,
    JSON.stringify(honest),
  );
  assert.ok(honest.restoredMs !== null && honest.restoredMs < 1000, JSON.stringify(honest));
  assert.deepEqual([honest.lost, honest.twice, honest.errors], [0, 0, {}]);
});

test('a full disk: who says so loses nothing, and who ends at it is started again when there is room', {
  skip: powerLossMissing() ?? false,
}, async () => {
  const of = await run('full', 'honest,careful', [{ kind: 'disk-full', atSec: 3, forSec: 2 }]);
  assert.equal(of.code, 0, of.stderr);
  const careful = chaosOf(of, 'careful', 'disk-full');
  assert.ok((careful.errors.server ?? 0) > 100, JSON.stringify(careful.errors));
  assert.deepEqual([careful.lost, careful.twice, careful.restartMs], [0, 0, null]);
  assert.ok(careful.restoredMs !== null && careful.restoredMs < 1500, JSON.stringify(careful));
  const honest = chaosOf(of, 'honest', 'disk-full');
  assert.ok(honest.restartMs !== null && honest.restartMs > 0, JSON.stringify(honest));
  assert.ok(Number(honest.firstSuccessMs) > 1900, JSON.stringify(honest));
  assert.deepEqual([honest.lost, honest.twice], [0, 0]);
  assert.match(of.report, /ended in it/);
  assert.deepEqual(mountsBelow(tmpdir()), []);
  assert.deepEqual(processesWith(MUTANT), []);
});

test('little memory: who takes more of it all the time is ended by the kernel and started again, and keeps what it has said', {
  skip: memoryLimitMissing() ?? false,
}, async () => {
  const of = await run('memory', 'hoards', [{ kind: 'memory', atSec: 3, forSec: 2 }]);
  assert.equal(of.code, 0, of.stderr);
  const hoards = chaosOf(of, 'hoards', 'memory');
  assert.ok(hoards.restartMs !== null && hoards.restartMs > 0, JSON.stringify(hoards));
  assert.deepEqual([hoards.lost, hoards.twice], [0, 0]);
  assert.ok(hoards.restoredMs !== null && hoards.restoredMs < 4000, JSON.stringify(hoards));
  assert.deepEqual(abandonedGroups(), []);
});

test('a slow network is slow by 20 ms and loses connections; a partition holds everything and loses nothing', async () => {
  const of = await run('network', 'honest', [
    { kind: 'slow-network', atSec: 3, forSec: 2 },
    { kind: 'partition', atSec: 3, forSec: 2 },
  ]);
  assert.equal(of.code, 0, of.stderr);
  const slow = chaosOf(of, 'honest', 'slow-network');
  assert.ok(slow.duringP99Ms !== null && slow.duringP99Ms > USUAL_MS + 20, JSON.stringify(slow));
  assert.ok((slow.errors.connect ?? 0) > 0, JSON.stringify(slow.errors));
  assert.equal(slow.lost, 0);
  assert.ok(slow.restoredMs !== null && slow.restoredMs < 2000, JSON.stringify(slow));
  const partition = chaosOf(of, 'honest', 'partition');
  assert.ok(
    Number(partition.firstSuccessMs) >= 1950 && Number(partition.firstSuccessMs) < 2400,
    JSON.stringify(partition),
  );
  assert.deepEqual([partition.lost, partition.twice], [0, 0]);
  assert.deepEqual(partition.errors, {});
  assert.deepEqual(processesWith('network-faults'), []);
});

test('a fault that a system cannot have is left out with the reason', async () => {
  addSystem(stacks, 'plain', { title: 'Plain' });
  mkdirSync(join(folder, 'cannot'));
  const profile = shortProfile(join(folder, 'cannot'), {
    steps: [
      {
        id: 'kill',
        model: 'open',
        vus: 2,
        ratePerSec: 100,
        durationSec: 8,
        fault: { kind: 'kill', atSec: 3 },
      },
    ],
  });
  const { code, stderr } = await runCommand([profile, '--stacks', stacks, '--systems', 'plain', '--dry-run']);
  assert.equal(code, 2, stderr);
  assert.match(stderr, /plain, kill: it does not declare that it can be restarted on its data/);
});
