import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after } from 'node:test';
import { askAll, dashboards, shownOperation } from '../../live/testing.js';
import { grafanaFaults } from '../../live/testing-grafana.js';
import { CALIBRATED, shortProfile, startCommand, temporaryFolder } from '../harness.js';
import { containerOf, ENGINE_ENV, offlineImages, ownSystem, testInContainers } from './containers.js';

const folder = temporaryFolder();

/** What a sound system alone, on closed load, has none of, and what some kernels do not count for containers. */
const MAY_BE_EMPTY =
  /"class" <> ''|op_dropped|op_target_per_sec|op_achieved_ratio|io_(read|write)_bytes|ops_per_cpu_sec/;

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
    const op = await shownOperation(influx, 'counters');
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
