import assert from 'node:assert/strict';
import { join } from 'node:path';
import { newestRun, runCommand, shortProfile, temporaryFolder } from '../harness.js';
import { ENGINE_ENV, leftInDocker, offlineImages, ownSystemsOf, testInContainers } from './containers.js';

const folder = temporaryFolder();

testInContainers(
  'servers of one contract, built from this repository, are compared in containers',
  async () => {
    await offlineImages();
    const systems = ownSystemsOf('events');
    assert.ok(systems.length >= 2, systems.join());
    // The step by count lasts a fraction of a second, in which an engine does not answer once: what it used is in files.
    const steps = [
      { id: 'c4', model: 'closed', vus: 4, durationSec: 9 },
      { id: 'c4-n', model: 'closed', vus: 4, operations: 2000, warmupOperations: 10, focus: true },
    ];
    const reports = join(folder, 'reports');
    const profile = shortProfile(folder, { steps: /** @type {any} */ (steps), workloads: ['events'] });
    const args = [profile, '--engine', 'docker', '--systems', systems.join(','), '--no-live'];
    const { code, stderr } = await runCommand([...args, '--reports', reports], { env: ENGINE_ENV });
    assert.ok(code === 0 || code === 4, stderr);
    assert.deepEqual(await leftInDocker(), []);

    const { folder: run, records, report } = newestRun(reports);
    const measured = records.filter((r) => r.role === 'system');
    assert.equal(measured.length, steps.length * systems.length, stderr);
    for (const record of measured) {
      const cpuRatios = Object.values(record.operations).map((o) => Number(o.generatorCpuRatio));
      assert.ok(cpuRatios.length > 0 && cpuRatios.every((r) => r > 0), `${record.cell}: ${cpuRatios}`);
      assert.equal(record.status, 'ok', `${record.cell}: ${record.reason}`);
      assert.equal(record.engine, 'docker');
      assert.ok(Number(record.resources.system?.cpuSec) > 0, `${record.cell}: what it used is not known`);
      for (const { setBy, shares, received } of Object.values(record.operations)) {
        const where = `${record.cell}: ${setBy} ${JSON.stringify(shares)}`;
        assert.ok(shares.system !== null && shares.loop !== null, where);
        assert.equal(setBy === null, received === true, where);
      }
      assert.ok(record.oracle?.ok && Number(record.oracle.acked) > 1000, JSON.stringify(record.oracle));
      const reasons = record.verdict.reasons.map((r) => r.code);
      assert.ok(!reasons.includes('missing_metric') && !reasons.includes('littles_law'), reasons.join());
    }
    assert.match(report, /\| batch: \*\*events\/s\*\* \|/);
    const verified = await runCommand(['report', run, '--reports', reports, '--verify']);
    assert.equal(verified.code, 0, verified.stderr);
  },
);
