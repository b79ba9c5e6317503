import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after } from 'node:test';
import { schemaProblems } from '../../config/validate.js';
import { compose } from '../../docker/cli.js';
import { askAll, dashboards, READER, shownOperation } from '../../live/testing.js';
import { ROOT } from '../../paths.js';
import { freePort } from '../../process/ports.js';
import { withRun } from '../../record/archive.js';
import { readPlan } from '../../record/run-folder.js';
import { newestRun, runCommand, temporaryFolder } from '../harness.js';
import {
  buildImages,
  comparedSystems,
  ENGINE_ENV,
  engine,
  leftInDocker,
  offlineImages,
  testInContainers,
} from './containers.js';

const folder = temporaryFolder();
const ports = ['INFLUXDB_PORT', 'GRAFANA_PORT', 'CADVISOR_PORT'];
const chosen = await Promise.all(ports.map(async (name) => [name, String(await freePort())]));
/** @type {Record<string, string>} */
const env = { ...ENGINE_ENV, ...Object.fromEntries(chosen) };
const influx = `http://127.0.0.1:${env.INFLUXDB_PORT}`;
after(async () => {
  const where = { project: 'ladderbench', file: join(ROOT, 'docker-compose.yml'), profile: '*', env };
  if (engine) await compose(engine.compose, where, ['down', '--volumes', '--timeout', '2']);
});

testInContainers('where no registry answers, two systems are compared in real containers', async () => {
  await offlineImages();
  const again = await buildImages();
  assert.doesNotMatch(again.stderr, /building/, 'what is up to date is not built again');

  const systems = comparedSystems();
  const reports = join(folder, 'smoke');
  // What the command line of the README does, on a workload side by side and on one that is measured alone; what its live view
  // has seen is asked below.
  const args = [
    'smoke',
    '--engine',
    'docker',
    '--live',
    '--systems',
    systems.map((s) => `${s}@default`).join(','),
  ];
  args.push('--workloads', 'counters,documents');
  args.push('--reports', reports);
  const { code, stderr } = await runCommand(args, { env });
  assert.equal(code, 0, stderr);
  assert.doesNotMatch(stderr, /not side by side: the engine/);
  assert.deepEqual(await leftInDocker(), []);

  const { folder: runFolder, records, report } = newestRun(reports);
  const plan = withRun(runFolder, readPlan);
  assert.deepEqual(
    [...new Set(records.filter((r) => r.role === 'system').map((r) => r.system))].sort(),
    [...systems].sort(),
  );
  for (const record of records) {
    assert.deepEqual(schemaProblems('result', record), []);
    assert.equal(record.status, 'ok', `${record.cell}: ${record.reason}`);
    assert.equal(record.engine, 'docker');
    assert.ok(record.version, 'its version is known');
    assert.equal(
      record.parity.cpuLimit,
      plan.docker?.systemCpus,
      'equal limits, as the engine enforces them',
    );
    assert.equal(record.parity.memoryLimit, 2 * 1024 ** 3);
    assert.equal(record.parity.generatorCpus, plan.docker?.generatorCpus);
    assert.ok(
      !record.verdict.reasons.some((r) => r.code === 'missing_metric'),
      JSON.stringify(record.verdict),
    );
    if (record.role === 'system') {
      assert.ok(record.oracle?.ok, JSON.stringify(record.oracle));
      for (const [op, { setBy }] of Object.entries(record.operations))
        assert.equal(setBy === null, record.step.model !== 'closed', `${record.cell} ${op}: ${setBy}`);
    }
  }
  // On a machine that others fill, whoever looks may come too late for a window of a second, but not for all of them.
  for (const name of new Set(records.map((r) => r.system))) {
    const own = records.filter((r) => r.system === name);
    const uses = JSON.stringify(own.map((r) => r.resources));
    assert.ok(
      own.some(({ resources: { system } }) => system && system.cpuSec > 0),
      `the CPU of ${name} was seen: ${uses}`,
    );
    assert.ok(
      own.some(({ resources: { system } }) => Number(system?.netRxBytes) > 0),
      `its network was seen: ${uses}`,
    );
    assert.ok(
      own.some(({ resources: { generator } }) => generator && generator.cpuSec > 0),
      `the generator’s was seen: ${uses}`,
    );
    assert.ok(
      own
        .flatMap((r) => Object.values(r.operations))
        .some(({ shares }) => shares.system !== null && shares.loop !== null),
      `who set a figure of ${name} was seen`,
    );
  }
  for (const { ref, id } of Object.values(plan.docker?.images ?? {})) {
    assert.ok(report.includes(`\`${ref.split('@')[0]}\``), `${ref} is in the report`);
    assert.match(id, /^sha256:[0-9a-f]{64}$/);
    assert.ok(report.includes(id.slice(7, 19)), 'and what it is');
  }
  assert.match(report, /\| engine \| docker \d/);
  assert.match(report, /\| limits \| \d/);
});

/** Nothing failed, no load has a fixed rate, and some kernels count no bytes of disks for containers. */
const NONE_AFTER_SMOKE = /"class" <> ''|op_dropped|op_target_per_sec|op_achieved_ratio|io_(read|write)_bytes/;

/**
 * @param {string} db
 * @param {string} query
 * @returns {Promise<Record<string, string>[]>} tags of the series that it finds
 */
async function seriesOf(db, query) {
  const answer = await fetch(`${influx}/query?${READER}&db=${db}&q=${encodeURIComponent(query)}`);
  const { results } = /** @type {any} */ (await answer.json());
  return (results[0].series ?? []).map((/** @type {any} */ s) => s.tags);
}

testInContainers(
  'after a smoke of two systems side by side every panel has rows, and each system and container is one of them',
  async () => {
    const systems = comparedSystems();
    const op = await shownOperation(influx, 'counters');
    for (const { board } of dashboards()) {
      const answers = await askAll(influx, board, { workload: 'counters', op });
      const empty = answers.filter((a) => a.error || (a.rows === 0 && !NONE_AFTER_SMOKE.test(a.text)));
      assert.deepEqual(empty, [], `of ${answers.length} queries`);
    }
    const all = [...systems, `${systems[0]} · copy`].sort();
    for (const [measurement, field] of /** @type {const} */ ([
      ['op_rate_per_sec', 'value'],
      ['op_p99_ms', 'value'],
      ['resource_use', 'ops_per_cpu_sec'],
    ])) {
      const where = measurement === 'resource_use' ? '' : `WHERE "phase" = 'trial'`;
      const query = `SELECT last("${field}") FROM "${measurement}" ${where} GROUP BY "system"`;
      const found = (await seriesOf('k6', query)).map((tags) => tags.system);
      assert.deepEqual(found.sort(), all, measurement);
    }
    for (const measurement of ['cpu_usage_total', 'memory_working_set', 'rx_bytes']) {
      const query = `SELECT count("value") FROM "${measurement}" WHERE "container_name" =~ /-side-s\\d-/ GROUP BY "container_name"`;
      const seen = (await seriesOf('cadvisor', query)).map((tags) => tags.container_name);
      for (const side of ['s0', 's1', 's2'])
        assert.ok(
          seen.some((name) => name.includes(`-side-${side}-`)),
          `${measurement}: ${seen.join()}`,
        );
    }
  },
);

testInContainers('a report is recomputed from the raw files of a run in containers', async () => {
  const { folder: runFolder } = newestRun(join(folder, 'smoke'));
  const verified = await runCommand(['report', runFolder, '--verify', '--reports', join(folder, 'smoke')]);
  assert.equal(verified.code, 0, verified.stderr);
});

testInContainers('processes and containers never share a ranking', async () => {
  const { records } = newestRun(join(folder, 'smoke'));
  const { keyDifferences } = await import('../../judge/comparable.js');
  const [record] = records.filter((r) => r.role === 'system');
  const asProcess = { ...record.parity, engine: 'native', cpuLimit: null, memoryLimit: null };
  assert.ok(keyDifferences(record.parity, asProcess).some(({ key }) => key === 'engine'));
});
