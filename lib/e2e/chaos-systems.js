/**
 * Servers of which it is known what they lose, store twice, and how long they take; and a run of them under a fault.
 */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stackBuilds } from '../setup/builds.js';
import {
  addHttpSystem,
  addLikeResponder,
  addMutant,
  newestRun,
  runCommand,
  shortProfile,
  systemsOf,
  temporaryFolder,
} from './harness.js';

/** Of each reply: half as much again, which a p99 may be after a fault, is then more than a busy machine takes away. */
export const USUAL_MS = 25;
export const folder = temporaryFolder();
export const stacks = join(folder, 'stacks');

for (const fault of ['honest', 'forgets', 'doubles', 'slow', 'careful', 'hoards'])
  addMutant(stacks, fault, [String(USUAL_MS)]);

const EVENTS = fileURLToPath(new URL('./events-server.js', import.meta.url));
/** @param {string} id @param {number} forgetEvery one of so many events at a start, 0: none */
const addEventServer = (id, forgetEvery) =>
  addHttpSystem(stacks, id, {
    ...{ client: '_ingest', workloads: ['events'] },
    start: [EVENTS, '{port}', '0', '0', '{data}/events', String(forgetEvery)],
    more: { restart: true, title: `Mutant ${id}` },
  });
addEventServer('keeps-events', 0);
addEventServer('forgets-events', 1000);

const DOCUMENTS = fileURLToPath(new URL('./documents-server.js', import.meta.url));
for (const [id, forgetEvery] of [
  ['keeps-documents', '0'],
  ['forgets-documents', '1000'],
])
  addLikeResponder(stacks, id, 'documents', [DOCUMENTS, '{port}', '{data}/documents', forgetEvery]);

/** A real one, in front of which a proxy forgets. */
export const entities = /** @type {import('../types.d.ts').Stack} */ (
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
 * @param {string} path folder of the profile
 * @param {import('../types.d.ts').Fault[]} faults a step for each
 * @param {{vus: number, ratePerSec: number}} load
 * @param {string} workload
 * @returns {string} its file
 */
export function profileOf(path, faults, load, workload) {
  return shortProfile(path, {
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
}

/**
 * @param {string} name of the reports
 * @param {string} systems
 * @param {import('../types.d.ts').Fault[]} faults
 * @param {{vus: number, ratePerSec: number}} [load]
 * @param {string} [workload]
 * @param {string[]} [more] flags
 */
export async function run(
  name,
  systems,
  faults,
  load = { vus: 20, ratePerSec: 400 },
  workload = 'counters',
  more = [],
) {
  mkdirSync(join(folder, name));
  const profile = profileOf(join(folder, name), faults, load, workload);
  const reports = join(folder, name, 'reports');
  const args = [
    profile,
    '--stacks',
    stacks,
    '--systems',
    systems,
    '--no-live',
    '--reports',
    reports,
    ...more,
  ];
  const ended = await runCommand(args);
  return { ...ended, ...newestRun(reports) };
}

/**
 * @param {Pick<Awaited<ReturnType<typeof run>>, 'records' | 'stderr'>} of
 * @param {string} system
 * @param {string} step
 */
export function chaosOf({ records, stderr }, system, step) {
  const record = records.find((r) => r.system === system && r.step.id === step);
  assert.equal(
    record?.verdict.status,
    'VALID',
    `${JSON.stringify(record?.verdict)} ${record?.reason} ${stderr}`,
  );
  assert.ok(record?.chaos, stderr);
  return record.chaos;
}
