import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { loadStacks } from '../../lib/config/stacks.js';
import { newestRun, runCommand, shortProfile, temporaryFolder } from '../../lib/e2e/harness.js';
import { build, dataFolder, missingTool, startServer } from '../_ingest/parity/server.js';
import { proxyTo } from './gate/proxy.js';

const WORKLOADS = ['rest-crud', 'graphql-queries', 'federation-depth', 'mixed-workload'];
/** One that takes long to be had has a test of its own in its folder. */
const implementations = loadStacks().stacks.filter(
  ({ id, manifest }) =>
    manifest.workloads[WORKLOADS[0]] && id[0] !== '_' && !manifest.native?.build?.some((b) => b.slow),
);
const folder = temporaryFolder();

/**
 * @param {string[]} args
 * @param {string[]} workloads
 */
async function measure(args, workloads) {
  const profile = shortProfile(folder, {
    workloads,
    drive: 'burst',
    steps: [{ id: 'c4', model: 'closed', vus: 4, durationSec: 3 }],
    thresholds: { errorRatio: 0.001, minOperations: 10 },
  });
  const reports = `${folder}/reports-${Date.now()}`;
  const ended = await runCommand([profile, '--reports', reports, '--no-live', ...args]);
  return { ...ended, ...newestRun(reports) };
}

describe('workloads on entities', { skip: missingTool(implementations[0]) }, () => {
  test('every workload runs on every storage: the gate passes, and the state afterwards is right', async () => {
    const systems = implementations.map((s) => s.id);
    const { code, stderr, records, folder: run } = await measure(['--systems', systems.join()], WORKLOADS);
    assert.ok(code === 0 || code === 4, stderr);
    const measured = records.filter((r) => r.role === 'system');
    assert.equal(measured.length, systems.length * WORKLOADS.length);
    for (const record of measured) {
      const where = `${record.system} ${record.workload}`;
      assert.deepEqual([record.status, record.oracle?.ok], ['ok', true], where);
      assert.equal(record.parity.drive, 'iteration', where);
      for (const [op, result] of Object.entries(record.operations)) {
        const failed = Object.values(result.errors).reduce((sum, n) => sum + n, 0);
        assert.ok(failed === 0 && result.count > 0, `${where} ${op}: ${failed} failed, ${result.count} done`);
      }
    }
    const mixed = measured.find((r) => r.workload === 'mixed-workload');
    assert.match(mixed?.oracle?.detail ?? '', /projections are exact/);
    // The start-up of a system with a database beside it is not timed, so nothing of its lifecycle is.
    for (const { id } of implementations.filter((s) => s.manifest.lifecycle)) {
      const { parity } = JSON.parse(readFileSync(join(run, 'results', 'lifecycle', `${id}.json`), 'utf8'));
      assert.ok(parity.passed >= 100 && parity.failed === 0, `${id}: ${JSON.stringify(parity)}`);
    }
  });

  describe('a server given by its address', () => {
    const stack = implementations[implementations.length - 1];
    const data = dataFolder();
    /** @type {Awaited<ReturnType<typeof startServer>>} */
    let server;
    before(async () => {
      await build(stack);
      server = await startServer(stack, data.path);
    });
    after(async () => {
      await server?.stop();
      data.remove();
    });

    test('that loses every third acknowledged deposit is caught by the state after load', async () => {
      // Only the workload's set-up creates hens in bulk: the gate is over then.
      let armed = false;
      let deposits = 0;
      const lossy = await proxyTo(server.url, {
        status: ({ path }) => {
          armed ||= path === '/hen/api/bulk';
          return undefined;
        },
        skip: ({ method, path }) =>
          armed && method === 'POST' && path === '/storage_deposit/api' && ++deposits % 3 === 0,
      });
      try {
        const { code, records } = await measure(
          ['--systems', stack.id, '--endpoint', `${stack.id}=${lossy.url}`],
          ['mixed-workload'],
        );
        const [record] = records.filter((r) => r.role === 'system');
        assert.equal(record.oracle?.ok, false, `${record.oracle?.detail}, ${deposits} deposits`);
        assert.ok(Number(record.oracle?.stored) < Number(record.oracle?.acked));
        assert.equal(record.verdict.status, 'INVALID');
        assert.equal(code, 4);
      } finally {
        await lossy.close();
      }
    });

    test('that answers wrongly gets no load', async () => {
      const wrong = await proxyTo(server.url, {
        body: (text) => text.replace(/"hens":\[[^\]]+\]/, '"hens":[]'),
      });
      try {
        const { code, records } = await measure(
          ['--systems', stack.id, '--endpoint', `${stack.id}=${wrong.url}`],
          ['federation-depth'],
        );
        const [record] = records.filter((r) => r.role === 'system');
        assert.equal(record.status, 'failed');
        assert.match(record.reason ?? '', /the gate failed: \d+ of \d+ checks, for example .*hens/);
        assert.equal(code, 3);
      } finally {
        await wrong.close();
      }
    });
  });
});
