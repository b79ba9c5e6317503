import assert from 'node:assert/strict';
import { join } from 'node:path';
import { schemaProblems } from '../../config/validate.js';
import { withRun } from '../../record/archive.js';
import { readPlan } from '../../record/run-folder.js';
import { newestRun, runCommand, temporaryFolder } from '../harness.js';
import {
  buildImages,
  comparedSystems,
  ENGINE_ENV,
  leftInDocker,
  offlineImages,
  testInContainers,
} from './containers.js';

const folder = temporaryFolder();
const env = ENGINE_ENV;

testInContainers('where no registry answers, two systems are compared in real containers', async () => {
  await offlineImages();
  const again = await buildImages();
  assert.doesNotMatch(again.stderr, /building/, 'what is up to date is not built again');

  const systems = comparedSystems();
  const reports = join(folder, 'smoke');
  // What the command line of the README does, on a workload side by side and on one that is measured alone.
  const args = ['smoke', '--engine', 'docker', '--systems', systems.map((s) => `${s}@default`).join(',')];
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
