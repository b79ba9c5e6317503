import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { askAll, dashboards } from '../../live/testing.js';
import { cellFiles } from '../../run/files.js';
import { valueAt } from '../../sample/usage.js';
import { newestRun, shortProfile, startCommand, temporaryFolder } from '../harness.js';
import { containerOf, ENGINE_ENV, offlineImages, ownSystem, testInContainers } from './containers.js';

/** @import { ResourceSample } from '../../types.d.ts' */

const folder = temporaryFolder();
const reports = join(folder, 'reports');

/** What a sound system on closed load has none of, and what some kernels do not count for containers. */
const MAY_BE_EMPTY = /op_errors|op_dropped|op_target_per_sec|op_achieved_ratio|io_(read|write)_bytes/;

/**
 * @param {string} influx `http://host:port`
 * @param {string} container
 * @returns {Promise<[number, number][]>} epoch ms and CPU seconds so far, as cAdvisor counts them
 */
async function cadvisorCpu(influx, container) {
  const query = `SELECT "value" FROM "cpu_usage_total" WHERE "container_name" = '${container}'`;
  const answer = await fetch(`${influx}/query?db=cadvisor&epoch=ms&q=${encodeURIComponent(query)}`);
  const { results } = /** @type {any} */ (await answer.json());
  return (results[0].series?.[0].values ?? []).map((/** @type {number[]} */ [t, ns]) => [t, ns / 1e9]);
}

testInContainers(
  'the live dashboard finds a run in containers, and cAdvisor counts what we count',
  async () => {
    await offlineImages();
    const steps = [
      { id: 'c4', model: /** @type {const} */ ('closed'), vus: 4, durationSec: 3 },
      { id: 'last', model: /** @type {const} */ ('closed'), vus: 4, durationSec: 39 },
    ];
    const profile = shortProfile(folder, { steps, calibration: { durationSec: 3 } });
    const { id, service } = ownSystem();
    const run = startCommand([profile, '--engine', 'docker', '--systems', id, '--reports', reports], {
      env: ENGINE_ENV,
    });
    await run.says(/live metrics: InfluxDB at/, 300_000);
    const influx = /InfluxDB at (http:\/\/[^/]+)\/k6/.exec(run.stderr())?.[1] ?? '';
    const cells = Number(/(\d+) cells/.exec(run.stderr())?.[1]);
    await run.says(new RegExp(`\\[${cells - 1}/${cells}\\]`));
    await new Promise((resolve) => setTimeout(resolve, 38_000));

    const container = await containerOf(service);
    const counted = await cadvisorCpu(influx, container);
    for (const { board } of dashboards()) {
      const answers = await askAll(influx, board, { workload: 'counters', op: 'increment' });
      const empty = answers.filter((a) => a.error || (a.rows === 0 && !MAY_BE_EMPTY.test(a.text)));
      assert.deepEqual(empty, [], `of ${answers.length} queries`);
      const named = answers.find((a) => a.where.endsWith('$container'));
      if (named) assert.ok(named.values.includes(container), named.values.join());
    }

    const { code, stderr } = await run.ended;
    assert.ok(code === 0 || code === 4, stderr);
    const { folder: runFolder, records } = newestRun(reports);
    const record = records.find((r) => r.role === 'system' && r.step.id === 'last');
    const samples = readFileSync(join(runFolder, cellFiles(record?.cell ?? '').resources), 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => /** @type {ResourceSample} */ (JSON.parse(line)));
    const inside = counted.filter(([t]) => t > samples[1].t && t < samples[samples.length - 1].t);
    const [[from, cpuFrom], [to, cpuTo]] = [inside[0], inside[inside.length - 1]];
    assert.ok(to - from >= 30_000, `${to - from} ms of load are covered`);
    const ours = (/** @type {number} */ t) => Number(valueAt(samples, t, (s) => s.system?.cpuSec));
    const ratio = (cpuTo - cpuFrom) / (ours(to) - ours(from));
    assert.ok(cpuTo - cpuFrom > 1, 'it worked');
    assert.ok(Math.abs(ratio - 1) <= 0.05, `cAdvisor / ours = ${ratio.toFixed(4)} over ${to - from} ms`);
    console.log(`cAdvisor / ours = ${ratio.toFixed(4)} over ${((to - from) / 1000).toFixed(1)} s`);
  },
);
