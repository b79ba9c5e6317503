import assert from 'node:assert/strict';
import { join } from 'node:path';
import { readRun } from '../../figures/run.js';
import { withRun } from '../../record/archive.js';
import {
  eventually,
  newestRun,
  runCommand,
  shortProfile,
  startCommand,
  temporaryFolder,
} from '../harness.js';
import {
  comparedSystems,
  ENGINE_ENV,
  inspectRun,
  leftInDocker,
  offlineImages,
  rightsProblems,
  testInContainers,
} from './containers.js';

const folder = temporaryFolder();
const profile = shortProfile(folder, {
  sideBySide: { maxStarts: 1, warmupSec: 0.2 },
  steps: [{ id: 'c20-p16', model: 'closed', vus: 20, depth: 16, durationSec: 3 }],
});

testInContainers(
  'two systems in containers share a CPU, and each slice has evidence of its threads',
  async () => {
    await offlineImages();
    const reports = join(folder, 'reports');
    const systems = comparedSystems();
    const args = [profile, '--engine', 'docker', '--systems', systems.join(','), '--no-live'];
    const run = startCommand([...args, '--reports', reports], { env: ENGINE_ENV });
    /** @type {any[]} */
    let up = [];
    const isLoaded = async () => {
      up = await inspectRun();
      return up.some((c) => c.Name.endsWith('-generator-1') && c.State.Running);
    };
    assert.ok(await eventually(isLoaded, 120_000), run.stderr());
    const { code, stderr } = await run.ended;
    assert.equal(code, 0, stderr);
    assert.deepEqual(await leftInDocker(), []);

    const { plan, starts, sideBySide } = withRun(newestRun(reports).folder, (data) => readRun(data));
    const [summary] = sideBySide;
    const placement = plan.sideBySide?.placement;
    assert.ok(placement, plan.notSideBySide);
    const generator = up.find((c) => c.Name.endsWith('-generator-1'));
    const sides = up.filter((c) => c !== generator);
    assert.equal(sides.length, systems.length + 1, 'the first one twice');
    for (const side of sides)
      assert.equal(side.HostConfig.CpusetCpus, placement.systems.join(','), side.Name);
    assert.equal(generator.HostConfig.CpusetCpus, placement.generator.join(','));
    assert.equal(generator.HostConfig.NanoCpus, 0, 'all of the CPUs that are its own');
    assert.deepEqual(up.flatMap(rightsProblems), []);

    assert.equal(starts.length, 1);
    for (const start of starts) {
      assert.equal(start.status, 'ok', String(start.reason));
      assert.deepEqual([...new Set(start.systems.map((s) => s.oracle?.ok))], [true]);
      assert.ok(start.systems.every((s) => s.version !== null));
      for (const pair of start.pairs)
        assert.ok(!pair.verdict.reasons.some(({ code }) => code === 'no_evidence'), JSON.stringify(pair));
      for (const { cell, operations } of start.alone)
        for (const { setBy, shares } of Object.values(operations))
          assert.ok(shares.system !== null && shares.loop !== null, `${cell}: ${setBy}`);
      assert.notEqual(start.host.foreignCores, null, 'the generator’s own CPU was seen');
    }
    const paired = summary.comparisons.filter((c) => c.paired);
    assert.ok(paired.length > 0 && paired.every((c) => c.ratio !== null), JSON.stringify(paired));
    assert.ok(summary.state.acked > 0 && summary.state.wrong.length === 0);
    const verified = await runCommand([
      'report',
      newestRun(reports).folder,
      '--reports',
      reports,
      '--verify',
    ]);
    assert.equal(verified.code, 0, verified.stderr);
  },
);
