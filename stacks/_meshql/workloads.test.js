import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { groupBy } from '../../lib/group-by.js';
import { withRun } from '../../lib/record/archive.js';
import { stackBuilds } from '../../lib/setup/builds.js';
import { readJson } from '../../lib/store.js';
import { build, dataFolder, missingTool, startServer } from '../_ingest/conformance/server.js';
import { proxyTo } from './conformance/proxy.js';
import { implementations, measure, WORKLOADS } from './measure.js';

/** @param {string} run @returns {string} the page and its details */
function pagesOf(run) {
  return readFileSync(join(run, 'README.md'), 'utf8');
}

// What is measured on every storage waits for the most part, and so the others are tried meanwhile.
describe('workloads on entities', { skip: missingTool(implementations[0]), concurrency: 2 }, () => {
  before(async () => {
    for (const stack of implementations) if (!missingTool(stack)) await build(stack);
  });

  test('a server whose storage is a file has no driver of MongoDB, and says how to have one', () => {
    const [{ output }] = implementations.filter((s) => s.id === 'meshql-sqlite').flatMap(stackBuilds);
    const program = join(output, 'bin/meshql-server');
    const asked = [
      '--storage',
      'mongodb',
      '--mongo-uri',
      'mongodb://127.0.0.1:1',
      '--data-dir',
      'never-made',
    ];
    const { status, stderr } = spawnSync(program, asked, { encoding: 'utf8', timeout: 20_000 });
    assert.equal(status, 2);
    assert.match(
      stderr,
      /^meshql-server: --storage mongodb: this server was built without it; build it with .+\n$/,
    );
  });

  test('every workload runs on every storage, the state afterwards is right, and a kill loses nothing, under a paced load neither', async () => {
    const steps = [
      { id: 'c4', model: 'closed', vus: 4, durationSec: 2 },
      { id: 'killed', model: 'closed', vus: 8, durationSec: 2, warmupSec: 0, kill: true },
      {
        ...{ id: 'fault', model: 'open', vus: 8, ratePerSec: 100, durationSec: 10, warmupSec: 0 },
        workloads: ['rest-crud'],
        fault: { kind: 'kill', atSec: 3 },
      },
    ];
    // A run for each product: none waits for another one's database.
    const runs = await Promise.all(
      groupBy(implementations, (s) => s.base).map((own) =>
        measure(['--systems', own.map((s) => s.id).join()], WORKLOADS, { steps }),
      ),
    );
    for (const { code, stderr } of runs) assert.ok(code === 0 || code === 4, stderr);
    const records = runs.flatMap((run) => run.records);
    const report = runs.map((run) => pagesOf(run.folder)).join('\n');
    const measured = records.filter((r) => r.role === 'system');
    const [there, missing] = [true, false].map((is) =>
      implementations.filter(({ id }) => measured.some((r) => r.system === id) === is),
    );
    assert.equal(measured.length, there.length * WORKLOADS.length);
    // A database of its own that is not on this machine, with the reason; another stands in under its own name.
    for (const { id } of missing) assert.match(report, new RegExp(`\`${id}\` was not measured: .*MONGO_URI`));
    assert.ok(there.length >= 3);
    for (const record of measured) {
      const where = `${record.system} ${record.workload}`;
      assert.deepEqual([record.status, record.oracle?.ok], ['ok', true], where);
      assert.equal(record.parity.drive, 'burst', where);
      for (const [op, result] of Object.entries(record.operations)) {
        const failed = Object.values(result.errors).reduce((sum, n) => sum + n, 0);
        assert.ok(failed === 0 && result.count > 0, `${where} ${op}: ${failed} failed, ${result.count} done`);
      }
    }
    const mixed = measured.find((r) => r.workload === 'mixed-workload');
    assert.match(mixed?.oracle?.detail ?? '', /projections are exact/);
    const lasting = there.filter((s) => s.manifest.restart);
    assert.ok(lasting.length >= 2);
    for (const { manifest } of there)
      assert.match(
        report,
        new RegExp(`\\| ${manifest.title.replace(/[().]/g, '\\$&')} \\| \\d{3} \\| 0 \\| – \\|`),
        'the conformance check, strictly',
      );
    const kills = records.filter((r) => r.role === 'durability');
    assert.deepEqual(
      kills.map((r) => `${r.workload} ${r.system}`).sort(),
      ['mixed-workload', 'rest-crud'].flatMap((w) => lasting.map((s) => `${w} ${s.id}`)).sort(),
      'what writes nothing has nothing to lose',
    );
    for (const { cell, recovery } of kills) {
      assert.ok(Number(recovery?.acked) > 0, cell);
      assert.deepEqual(
        [recovery?.lost, recovery?.unexplained, recovery?.inconsistent],
        [0, 0, undefined],
        cell,
      );
    }
    const faults = records.filter((r) => r.role === 'chaos');
    assert.deepEqual(
      faults.map((r) => `${r.workload} ${r.system}`).sort(),
      lasting.map((s) => `rest-crud ${s.id}`).sort(),
      'who takes turns keeps to a rate as well, while he only writes',
    );
    for (const { cell, chaos, reason } of faults) {
      assert.deepEqual([chaos?.lost, chaos?.twice], [0, 0], `${cell} ${reason}`);
      const perSec = Number(chaos?.beforePerSec);
      // What a cold server is late with at first it catches up on; users who wait for nothing send ten times as much.
      assert.ok(perSec > 80 && perSec < 200, `${cell} keeps to about 100/s until the fault: ${perSec}`);
    }
    // The start-up of a system with a database beside it is not timed, so nothing of its lifecycle is.
    for (const { id } of there.filter((s) => s.manifest.lifecycle)) {
      const run = /** @type {typeof runs[number]} */ (
        runs.find((r) => r.records.some((c) => c.system === id))
      );
      const outcome = withRun(run.folder, (data) => readJson(join(data, 'raw', `conformance.${id}.json`)));
      assert.ok(outcome.passed >= 100 && outcome.failed === 0, `${id}: ${JSON.stringify(outcome)}`);
    }
  });

  describe('a server given by its address', { concurrency: 1 }, () => {
    const stack = implementations[implementations.length - 1];
    const data = dataFolder();
    /** @type {Awaited<ReturnType<typeof startServer>>} */
    let server;
    before(async () => {
      server = await startServer(stack, data.path);
    });
    after(async () => {
      await server?.stop();
      data.remove();
    });

    /**
     * @param {string} url
     * @param {string[]} workloads
     * @param {{more?: string[], vus?: number}} [options]
     */
    const measureAt = (url, workloads, { more = [], vus = 4 } = {}) =>
      measure(['--systems', stack.id, '--endpoint', `${stack.id}=${url}`, ...more], workloads, {
        warmupSec: 0,
        steps: [{ id: `c${vus}`, model: 'closed', vus, durationSec: 3 }],
      });

    test('that loses every third acknowledged deposit is caught by the state after load', async () => {
      let deposits = 0;
      const lossy = await proxyTo(server.url, {
        skip: ({ method, path, underLoad }) =>
          underLoad && method === 'POST' && path === '/storage_deposit/api' && ++deposits % 3 === 0,
      });
      try {
        const { code, records } = await measureAt(lossy.url, ['mixed-workload']);
        const [record] = records.filter((r) => r.role === 'system');
        assert.equal(record.oracle?.ok, false, `${record.oracle?.detail}, ${deposits} deposits`);
        assert.ok(
          Number(record.oracle?.stored) < Number(record.oracle?.acked),
          JSON.stringify(record.oracle),
        );
        assert.equal(record.verdict.status, 'INVALID');
        assert.equal(code, 4);
      } finally {
        await lossy.close();
      }
    });

    test('that loses every tenth acknowledged update is caught by who reads it', async () => {
      let updates = 0;
      const lossy = await proxyTo(server.url, {
        skip: ({ method, underLoad }) => underLoad && method === 'PUT' && ++updates % 10 === 0,
      });
      try {
        const { code, records } = await measureAt(lossy.url, ['rest-crud'], { vus: 8 });
        const [record] = records.filter((r) => r.role === 'system');
        const lost = Math.floor(updates / 10);
        const { read, update } = record.operations;
        assert.ok(
          read.errors.protocol > 0 && read.errors.protocol <= lost,
          `${lost} lost, ${read.errors.protocol} seen`,
        );
        assert.equal(update.errors.protocol, 0, 'it was acknowledged');
        assert.equal(record.oracle?.stored, record.oracle?.acked, 'as many entities as there must be');
        assert.match(String(record.oracle?.detail), /answers under the load were not what was sent/);
        assert.equal(record.verdict.status, 'INVALID');
        const reasons = record.verdict.reasons.map(({ code, operation }) => `${code} ${operation}`);
        assert.ok(reasons.includes('errors read'), reasons.join());
        assert.equal(code, 4);
      } finally {
        await lossy.close();
      }
    });

    for (const [workload, what, lie] of /** @type {[string, string, (text: string) => string][]} */ ([
      [
        'graphql-queries',
        'nothing to queries by a field',
        (text) => text.replace(/"found":\[.*\]/, '"found":[]'),
      ],
      [
        'federation-depth',
        'hens without anything',
        (text) => text.replaceAll(/"hens":\[[^\]]+\]/g, '"hens":[{},{},{},{}]'),
      ],
      ['mixed-workload', 'no projections', (text) => text.replace(/"getAll":\[.*\]/, '"getAll":[]')],
    ]))
      test(`that answers the load of ${workload} ${what} is caught by value`, async () => {
        let lies = 0;
        const lying = await proxyTo(server.url, {
          body: (text, { path, underLoad }) => {
            if (!underLoad || !path.endsWith('/graph')) return text;
            const told = lie(text);
            if (told !== text) lies++;
            return told;
          },
        });
        try {
          const { code, records } = await measureAt(lying.url, [workload]);
          const [record] = records.filter((r) => r.role === 'system');
          assert.equal(record.status, 'ok', `nobody else is lied to: ${record.reason}`);
          assert.ok(lies > 10 && record.verdict.reasons.some((r) => r.code === 'oracle'), `${lies} lies`);
          assert.match(String(record.oracle?.detail), /answers under the load were not what was sent/);
          assert.equal(code, 4);
        } finally {
          await lying.close();
        }
      });

    for (const [kind, change] of /** @type {const} */ ([
      ['tells ids, and has neither health, bulk requests nor a processor', withoutExtras],
      ['tells no ids, leaves nulls out and lists what was deleted', withoutIds],
    ]))
      test(`that ${kind} takes every workload, and is called upstream’s`, async () => {
        const proxy = await proxyTo(server.url, change());
        try {
          const {
            code,
            stderr,
            records,
            folder: run,
          } = await measureAt(proxy.url, WORKLOADS, { more: ['--repeats', '2'] });
          assert.ok(code === 0 || code === 4, stderr);
          const measured = records.filter((r) => r.role === 'system');
          assert.equal(measured.length, 2 * WORKLOADS.length);
          for (const record of measured) {
            const where = `${record.cell}: ${record.reason} ${record.oracle?.detail}`;
            assert.deepEqual(
              [record.status, record.oracle?.ok, record.origin],
              ['ok', true, 'upstream'],
              where,
            );
            for (const [op, { errors }] of Object.entries(record.operations))
              assert.equal(
                Object.values(errors).reduce((sum, n) => sum + n, 0),
                0,
                `${where} ${op}`,
              );
          }
          const report = pagesOf(run);
          assert.match(report, /^# .*, by its address\?/);
          assert.match(
            report,
            new RegExp(`\\| ${stack.manifest.title} \\| \\d{3} \\| 0 \\| \\d+: `),
            'tolerated by the conformance check',
          );
          assert.match(report, /What an acknowledgement of .* means is not known/);
          assert.doesNotMatch(report, /synchronous FULL|\| reference \|/);
        } finally {
          await proxy.close();
        }
      });

    test('that answers wrongly gets no load', async () => {
      const wrong = await proxyTo(server.url, {
        body: (text) => text.replace(/"hens":\[[^\]]+\]/, '"hens":[]'),
      });
      try {
        const { code, records } = await measureAt(wrong.url, ['federation-depth']);
        const [record] = records.filter((r) => r.role === 'system');
        assert.equal(record.status, 'failed');
        assert.match(
          record.reason ?? '',
          /the conformance check failed: \d+ of \d+ checks, for example .*hens/,
        );
        assert.equal(code, 3);
      } finally {
        await wrong.close();
      }
    });
  });
});

/** @returns {import('./conformance/proxy.js').Change} what one of the published servers answers otherwise */
function withoutExtras() {
  return {
    refuse: ({ method, path }) => {
      if (path === '/health' || path === '/ready') return 404;
      return method === 'POST' && path.endsWith('/bulk') ? 405 : undefined;
    },
    body: (text, { path }) =>
      path.endsWith('/graph') && !text.includes('"errors"') ? text.replace(/}$/, ',"errors":null}') : text,
  };
}

/** @returns {import('./conformance/proxy.js').Change} what the other one does */
function withoutIds() {
  /** @type {Record<string, {id: string, name: string}[]>} */
  const deleted = {};
  return {
    body: (text, { method, path, sent }) => {
      const [, entity, , id] = path.split('/');
      if (path === '/ready') return JSON.stringify({ status: 'ok' });
      if (method === 'DELETE') deleted[entity] = [...(deleted[entity] ?? []), { id, name: 'gone' }];
      if (path.endsWith('/graph') && text.startsWith('{')) {
        const answer = withoutNulls(JSON.parse(text));
        if (sent?.query?.includes('getAll')) answer.data?.getAll?.push(...(deleted[entity] ?? []));
        return JSON.stringify(answer);
      }
      const tellsIds = method === 'DELETE' || path.endsWith('/bulk');
      return tellsIds ? text : text.replaceAll(/"id":"[^"]*",?/g, '');
    },
  };
}

/** @param {any} value @returns {any} */
function withoutNulls(value) {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== null)
      .map(([name, member]) => [name, withoutNulls(member)]),
  );
}
