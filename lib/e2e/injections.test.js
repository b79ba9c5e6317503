/**
 * Servers and clients of which it is known what sets their figures: attribution must say so, by the evidence alone.
 */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  addMutant,
  addSystem,
  dearClient,
  newestRun,
  responder,
  runCommand,
  shortProfile,
  temporaryFolder,
} from './harness.js';

const folder = temporaryFolder();
const stacks = join(folder, 'stacks');
for (const fault of ['locked', 'synced', 'spinning']) addMutant(stacks, fault);
addSystem(stacks, 'paused', { args: ['--pause', '5s/1s'] });

/** @param {string} name @param {string} systems @param {object} profile */
async function measure(name, systems, profile) {
  const path = shortProfile(folder, {
    thresholds: { minOperations: 100 },
    ...profile,
  });
  const args = [path, '--systems', systems, '--stacks', stacks, '--reports', join(folder, name)];
  const ended = await runCommand([...args, '--no-live', '--engine', 'native']);
  return { ...ended, ...newestRun(join(folder, name)) };
}

/** @param {import('../types.d.ts').CellRecord[]} records @param {string} system */
function operationsOf(records, system) {
  const record = records.find((r) => r.system === system && r.role === 'system');
  assert.equal(record?.status, 'ok', String(record?.reason));
  return Object.entries(record?.operations ?? {});
}

test('a lock held asleep, and a sync of each write, are waited for; what spins when idle is held for nothing', async () => {
  const { records, stderr } = await measure('odd', 'locked,synced,spinning', {});
  // Where others take the machine it is full beside its sleep; where a sync costs nothing, in memory, it is by itself.
  for (const system of ['locked', 'synced'])
    for (const [op, { setBy, shares }] of operationsOf(records, system))
      if (system === 'locked' || op === 'increment')
        assert.ok(
          setBy === 'waits' || (setBy === 'system' && Number(shares.system?.least) >= 0.9),
          `${system} ${op}: ${setBy} ${JSON.stringify(shares)} ${stderr}`,
        );
  for (const [op, { setBy, verdict }] of operationsOf(records, 'spinning')) {
    assert.equal(setBy, 'unattributed', op);
    assert.ok(verdict.reasons.some((r) => r.code === 'unattributed'));
  }
});

test('a client that is dearer by far for each operation makes bounds of all figures, and names no winner', async () => {
  const client = join(responder().stack.folder, 'client.js');
  for (const [id, args] of /** @type {[string, string[]][]} */ ([
    ['quick', []],
    ['slower', ['--spin', '3us']],
  ]))
    writeFileSync(join(addSystem(stacks, id, { args }), 'client.js'), dearClient(client, 200_000));
  const { records, report, stderr } = await measure('dear', 'quick,slower', {
    steps: [{ id: 'c32', model: 'closed', vus: 32, durationSec: 3 }],
  });
  for (const system of ['quick', 'slower'])
    for (const [op, { setBy, shares, verdict }] of operationsOf(records, system)) {
      // What a hypervisor takes is seen of the system only: with much of that, nobody can be named.
      const stolen = Number(records.find((r) => r.system === system)?.resources.host?.stealRatio) > 0.1;
      assert.ok(
        setBy === 'generator' || (stolen && setBy === 'unattributed'),
        `${system} ${op}: ${setBy} ${JSON.stringify(shares)} ${stderr}`,
      );
      const codes = verdict.reasons.map((r) => r.code);
      assert.ok(codes.includes(setBy === 'generator' ? 'set_by_client' : 'unattributed'), codes.join(', '));
    }
  assert.doesNotMatch(report, /\*\* wins/);
});

test('a server that stops for 1 s shows it in the response time, whatever the service times say', async () => {
  // Three operations share the time of the step: each window is longer than from one stop to the next.
  const { records } = await measure('paused', 'paused', {
    steps: [{ id: 'open', model: 'open', vus: 200, ratePerSec: 150, durationSec: 18 }],
  });
  for (const [op, { serviceMs, responseMs }] of operationsOf(records, 'paused')) {
    const p99 = Number(responseMs?.p99);
    assert.ok(p99 >= 500 && p99 <= 3000, `${op}: ${p99} ms`);
    assert.ok(Number(serviceMs?.p50) < 100, `${op}: ${serviceMs?.p50} ms`);
  }
});
