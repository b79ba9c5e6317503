import assert from 'node:assert/strict';
import { join } from 'node:path';
import { docker } from '../../docker/cli.js';
import { chaosOf, folder, profileOf } from '../chaos-systems.js';
import { eventually, newestRun, startCommand } from '../harness.js';
import {
  ENGINE_ENV,
  inspectRun,
  leftInDocker,
  offlineImages,
  ownSystem,
  rightsProblems,
  testInContainers,
} from './containers.js';

/**
 * @param {import('../../types.d.ts').Fault[]} faults
 * @param {string} reports
 */
function start(faults, reports) {
  const profile = profileOf(folder, faults, { vus: 20, ratePerSec: 200 }, 'counters');
  const args = [
    profile,
    '--engine',
    'docker',
    '--systems',
    ownSystem().id,
    '--no-live',
    '--reports',
    reports,
  ];
  return startCommand(args, { env: ENGINE_ENV });
}

testInContainers(
  'a system in a container is paused, its network is slow, and is cut off: nothing is lost, nothing is left',
  async () => {
    await offlineImages();
    const reports = join(folder, 'reports');
    const run = start(
      [
        { kind: 'pause', atSec: 3, forSec: 2 },
        { kind: 'slow-network', atSec: 3, forSec: 2 },
        { kind: 'partition', atSec: 3, forSec: 2 },
      ],
      reports,
    );
    const between = async () => (await inspectRun()).filter(({ Name: name }) => name.endsWith('-network-1'));
    await eventually(async () => (await between()).length === 1, 120_000);
    assert.deepEqual((await between()).flatMap(rightsProblems), []);
    const { code, stderr } = await run.ended;
    assert.equal(code, 0, stderr);
    const of = { ...newestRun(reports), stderr };
    const { id } = ownSystem();
    for (const kind of ['pause', 'partition']) {
      const held = chaosOf(of, id, kind);
      assert.ok(
        Number(held.firstSuccessMs) >= 1900 && Number(held.firstSuccessMs) < 2500,
        `${kind}: ${JSON.stringify(held)}`,
      );
      assert.deepEqual([held.lost, held.twice, held.errors], [0, 0, {}], kind);
    }
    const slow = chaosOf(of, id, 'slow-network');
    assert.ok(Number(slow.duringP99Ms) > 20, JSON.stringify(slow));
    assert.ok(Number(slow.errors.connect) > 0, JSON.stringify(slow.errors));
    assert.equal(slow.lost, 0);
    assert.deepEqual(await leftInDocker(), []);
  },
);

testInContainers(
  'what stands between load and system in a container is gone when the run is broken off',
  async () => {
    await offlineImages();
    const reports = join(folder, 'broken-off');
    const run = start([{ kind: 'partition', atSec: 3, forSec: 4 }], reports);
    await eventually(async () => (await docker(['ps'])).stdout.includes('-network-1'), 120_000);
    run.child.kill('SIGINT');
    assert.equal((await run.ended).code, 130);
    assert.deepEqual(await leftInDocker(), []);
  },
);
