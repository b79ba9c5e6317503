import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after } from 'node:test';
import { compose } from '../../docker/cli.js';
import { askAll, dashboards, READER } from '../../live/testing.js';
import { grafanaFaults } from '../../live/testing-grafana.js';
import { ROOT } from '../../paths.js';
import { freePort } from '../../process/ports.js';
import { CALIBRATED, runCommand, shortProfile, startCommand, temporaryFolder } from '../harness.js';
import {
  comparedSystems,
  containerOf,
  ENGINE_ENV,
  engine,
  offlineImages,
  ownSystem,
  testInContainers,
} from './containers.js';

const folder = temporaryFolder();

/** What a sound system alone, on closed load, has none of, and what some kernels do not count for containers. */
const MAY_BE_EMPTY =
  /"class" <> ''|op_dropped|op_target_per_sec|op_achieved_ratio|io_(read|write)_bytes|ops_per_cpu_sec/;

/**
 * On a busy machine one operation's window may be INVALID, and the comparison leaves it out.
 * @param {string} influx
 * @returns {Promise<string>} an operation with a figure that may be shown
 */
async function validOperation(influx) {
  const query = `SELECT rate_per_sec, op FROM run_result WHERE "verdict" <> 'INVALID' AND "role" = 'system'`;
  const answer = await fetch(`${influx}/query?${READER}&db=k6&q=${encodeURIComponent(query)}`);
  const { results } = /** @type {any} */ (await answer.json());
  return results[0].series?.[0].values[0][2] ?? 'increment';
}

testInContainers(
  'the dashboards find what a run in containers has written, cAdvisor’s figures too',
  async () => {
    await offlineImages();
    const steps = [
      { id: 'c4', model: /** @type {const} */ ('closed'), vus: 4, durationSec: 9 },
      { id: 'last', model: /** @type {const} */ ('closed'), vus: 4, durationSec: 12 },
    ];
    const profile = shortProfile(folder, { steps, calibration: CALIBRATED });
    const { id, service } = ownSystem();
    const args = [profile, '--engine', 'docker', '--systems', id, '--reports', join(folder, 'reports')];
    const run = startCommand(args, { env: ENGINE_ENV });
    after(() => run.child.kill('SIGKILL'));
    await run.says(/live metrics: InfluxDB at/, 300_000);
    const influx = /InfluxDB at (http:\/\/[^/]+)\/k6/.exec(run.stderr())?.[1] ?? '';
    const cells = Number(/(\d+) measurements/.exec(run.stderr())?.[1]);
    await run.says(new RegExp(`\\[${cells - 1}/${cells}\\]`));
    // The last cell is under way, all others have been judged. The run waits for the questions, however long they take: its
    // InfluxDB ends with it.
    await new Promise((resolve) => setTimeout(resolve, 8000));
    run.child.kill('SIGSTOP');

    const container = await containerOf(service);
    const op = await validOperation(influx);
    for (const { board } of dashboards()) {
      const answers = await askAll(influx, board, { workload: 'counters', op });
      const empty = answers.filter((a) => a.error || (a.rows === 0 && !MAY_BE_EMPTY.test(a.text)));
      assert.deepEqual(empty, [], `of ${answers.length} queries`);
      const named = answers.find((a) => a.where.endsWith('$container'));
      if (named) assert.ok(named.values.includes(container), named.values.join());
    }
    // Grafana comes from a registry alone: where none answers, the run says that it has none.
    const grafana = /live view: Grafana at (http:\/\/[^/]+)/.exec(run.stderr())?.[1];
    if (grafana) {
      const chosen = { workload: 'counters', op };
      assert.deepEqual(await grafanaFaults(grafana, { chosen, mayBeEmpty: MAY_BE_EMPTY }), []);
    } else assert.match(run.stderr(), /no grafana: /);
    run.child.kill('SIGCONT');
    const { code, stderr } = await run.ended;
    assert.ok(code === 0 || code === 4, stderr);
    assert.doesNotMatch(stderr, /did not reach InfluxDB/);
  },
);

/** Nothing failed, no load has a fixed rate, and some kernels count no bytes of disks for containers. */
const NONE_AFTER_SMOKE = /"class" <> ''|op_dropped|op_target_per_sec|op_achieved_ratio|io_(read|write)_bytes/;

/**
 * @param {string} influx
 * @param {string} db
 * @param {string} query
 * @returns {Promise<Record<string, string>[]>} tags of the series that it finds
 */
async function seriesOf(influx, db, query) {
  const answer = await fetch(`${influx}/query?${READER}&db=${db}&q=${encodeURIComponent(query)}`);
  const { results } = /** @type {any} */ (await answer.json());
  return (results[0].series ?? []).map((/** @type {any} */ s) => s.tags);
}

testInContainers(
  'after a smoke of two systems side by side every panel has rows, and each system and container is one of them',
  async () => {
    await offlineImages();
    const ports = ['INFLUXDB_PORT', 'GRAFANA_PORT', 'CADVISOR_PORT'];
    const chosen = await Promise.all(ports.map(async (name) => [name, String(await freePort())]));
    const env = { ...ENGINE_ENV, ...Object.fromEntries(chosen) };
    const systems = comparedSystems();
    const args = ['smoke', '--engine', 'docker', '--live', '--workloads', 'counters'];
    args.push('--systems', systems.map((s) => `${s}@default`).join(','), '--reports', join(folder, 'smoke'));
    try {
      const { code, stderr } = await runCommand(args, { env });
      assert.ok(code === 0 || code === 4, stderr);
      const influx = `http://127.0.0.1:${env.INFLUXDB_PORT}`;
      const op = await validOperation(influx);
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
        const found = (await seriesOf(influx, 'k6', query)).map((tags) => tags.system);
        assert.deepEqual(found.sort(), all, measurement);
      }
      for (const measurement of ['cpu_usage_total', 'memory_working_set', 'rx_bytes']) {
        const query = `SELECT count("value") FROM "${measurement}" WHERE "container_name" =~ /-side-s\\d-/ GROUP BY "container_name"`;
        const seen = (await seriesOf(influx, 'cadvisor', query)).map((tags) => tags.container_name);
        for (const side of ['s0', 's1', 's2'])
          assert.ok(
            seen.some((name) => name.includes(`-side-${side}-`)),
            `${measurement}: ${seen.join()}`,
          );
      }
    } finally {
      const where = { project: 'ladderbench', file: join(ROOT, 'docker-compose.yml'), profile: '*', env };
      await compose(engine?.compose ?? [], where, ['down', '--volumes', '--timeout', '2']);
    }
  },
);
