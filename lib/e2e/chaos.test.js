/**
 * Faults under a paced load: how long it takes until servers, of which that is known, are as before; and what is lost where
 * it takes a machine of its own to tell.
 */
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { powerLossMissing } from '../engines/power-loss.js';
import { memoryLimitMissing } from '../process/memory-limit.js';
import { mountsBelow } from '../process/mounts.js';
import { abandonedGroups } from '../process/temporary.js';
import { isBuilt, runBuild, stackBuilds } from '../setup/builds.js';
import { chaosOf, entities, folder, run, stacks, USUAL_MS } from './chaos-systems.js';
import { addSystem, MUTANT, processesWith, runCommand, shortProfile, startResponder } from './harness.js';

test('a kill: an entity server that forgets 1 in 1 000 acknowledged entities is seen, and one that keeps them is not', async () => {
  for (const build of stackBuilds(entities)) if (!isBuilt(build)) await runBuild(build);
  const of = await run(
    'kill-entities',
    'keeps-entities,forgets-entities',
    [{ kind: 'kill', atSec: 5 }],
    { vus: 20, ratePerSec: 400 },
    'rest-crud',
  );
  assert.equal(of.code, 0, of.stderr);
  const keeps = chaosOf(of, 'keeps-entities', 'kill');
  assert.deepEqual([keeps.lost, keeps.twice], [0, 0], JSON.stringify(keeps));
  assert.ok(keeps.acked > 3000, `${keeps.acked}`);
  const forgets = chaosOf(of, 'forgets-entities', 'kill');
  assert.ok(forgets.lost >= 1 && forgets.lost < 6 && forgets.twice === 0, JSON.stringify(forgets));
});

test('a pause: who stays slow for 3 s afterwards reads 3.0 ± 0.2 s, and who does not is back at once', async () => {
  const of = await run('pause', 'honest,slow', [{ kind: 'pause', atSec: 3, forSec: 2 }], {
    vus: 60,
    ratePerSec: 100,
  });
  assert.equal(of.code, 0, of.stderr);
  const slow = chaosOf(of, 'slow', 'pause');
  assert.ok(Math.abs(Number(slow.restoredMs) - 3000) <= 200, JSON.stringify(slow));
  const honest = chaosOf(of, 'honest', 'pause');
  assert.ok(
    Number(honest.firstSuccessMs) >= 1950 && Number(honest.firstSuccessMs) < 2300,
    JSON.stringify(honest),
  );
  assert.ok(honest.restoredMs !== null && honest.restoredMs < 1000, JSON.stringify(honest));
  assert.deepEqual([honest.lost, honest.twice, honest.errors], [0, 0, {}]);
});

test('a full disk: who says so loses nothing, and who ends at it is started again when there is room', {
  skip: powerLossMissing() ?? false,
}, async () => {
  const of = await run('full', 'honest,careful', [{ kind: 'disk-full', atSec: 3, forSec: 2 }]);
  assert.equal(of.code, 0, of.stderr);
  const careful = chaosOf(of, 'careful', 'disk-full');
  assert.ok((careful.errors.server ?? 0) > 100, JSON.stringify(careful.errors));
  assert.deepEqual([careful.lost, careful.twice, careful.restartMs], [0, 0, null]);
  assert.ok(careful.restoredMs !== null && careful.restoredMs < 1500, JSON.stringify(careful));
  const honest = chaosOf(of, 'honest', 'disk-full');
  assert.ok(honest.restartMs !== null && honest.restartMs > 0, JSON.stringify(honest));
  assert.ok(Number(honest.firstSuccessMs) > 1900, JSON.stringify(honest));
  assert.deepEqual([honest.lost, honest.twice], [0, 0]);
  assert.match(of.report, /process ended/);
  assert.deepEqual(mountsBelow(tmpdir()), []);
  assert.deepEqual(processesWith(MUTANT), []);
});

test('little memory: who takes more of it all the time is ended by the kernel and started again, and keeps what it has said', {
  skip: memoryLimitMissing() ?? false,
}, async () => {
  const of = await run('memory', 'hoards', [{ kind: 'memory', atSec: 3, forSec: 2 }]);
  assert.equal(of.code, 0, of.stderr);
  const hoards = chaosOf(of, 'hoards', 'memory');
  assert.ok(hoards.restartMs !== null && hoards.restartMs > 0, JSON.stringify(hoards));
  assert.deepEqual([hoards.lost, hoards.twice], [0, 0]);
  assert.ok(hoards.restoredMs !== null && hoards.restoredMs < 4000, JSON.stringify(hoards));
  assert.deepEqual(abandonedGroups(), []);
});

test('a slow network is slow by 20 ms and loses connections; a partition holds everything and loses nothing', async () => {
  const of = await run('network', 'honest', [
    { kind: 'slow-network', atSec: 3, forSec: 2 },
    { kind: 'partition', atSec: 3, forSec: 2 },
  ]);
  assert.equal(of.code, 0, of.stderr);
  const slow = chaosOf(of, 'honest', 'slow-network');
  assert.ok(slow.duringP99Ms !== null && slow.duringP99Ms > USUAL_MS + 20, JSON.stringify(slow));
  assert.ok((slow.errors.connect ?? 0) > 0, JSON.stringify(slow.errors));
  assert.equal(slow.lost, 0);
  assert.ok(slow.restoredMs !== null && slow.restoredMs < 2000, JSON.stringify(slow));
  const partition = chaosOf(of, 'honest', 'partition');
  assert.ok(
    Number(partition.firstSuccessMs) >= 1950 && Number(partition.firstSuccessMs) < 2400,
    JSON.stringify(partition),
  );
  assert.deepEqual([partition.lost, partition.twice], [0, 0]);
  assert.deepEqual(partition.errors, {});
  assert.deepEqual(processesWith('network-faults'), []);
});

test('a system that somebody else runs meets faults of the network alone, and is left as it was', async () => {
  addSystem(stacks, 'theirs', { title: 'Theirs', args: [] });
  const { port, pid, stop } = await startResponder();
  try {
    const of = await run(
      'endpoint',
      'theirs',
      [
        { kind: 'pause', atSec: 3, forSec: 2 },
        { kind: 'slow-network', atSec: 3, forSec: 2 },
        { kind: 'partition', atSec: 3, forSec: 2 },
      ],
      undefined,
      'counters',
      ['--endpoint', `theirs=resp://127.0.0.1:${port}`],
    );
    assert.equal(of.code, 0, of.stderr);
    const slow = chaosOf(of, 'theirs', 'slow-network');
    assert.ok(slow.duringP99Ms !== null && slow.duringP99Ms > 20, JSON.stringify(slow));
    assert.ok((slow.errors.connect ?? 0) > 0, JSON.stringify(slow.errors));
    assert.equal(slow.lost, 0);
    const partition = chaosOf(of, 'theirs', 'partition');
    assert.ok(Number(partition.firstSuccessMs) >= 1950, JSON.stringify(partition));
    assert.deepEqual([partition.lost, partition.twice, partition.errors], [0, 0, {}]);
    assert.equal(
      of.records.find((r) => r.step.id === 'pause' && r.role === 'chaos'),
      undefined,
      'its processes are not ours to stop',
    );
    assert.match(of.report, /`theirs, pause` was not measured: its processes are not ours/);
    process.kill(pid, 0);
    assert.deepEqual(processesWith('network-faults'), []);
  } finally {
    stop();
  }
});

test('a fault that a system cannot have is left out with the reason', async () => {
  addSystem(stacks, 'plain', { title: 'Plain', args: [] });
  mkdirSync(join(folder, 'cannot'));
  const profile = shortProfile(join(folder, 'cannot'), {
    steps: [
      {
        id: 'kill',
        model: 'open',
        vus: 2,
        ratePerSec: 100,
        durationSec: 8,
        fault: { kind: 'kill', atSec: 3 },
      },
    ],
  });
  const { code, stderr } = await runCommand([profile, '--stacks', stacks, '--systems', 'plain', '--dry-run']);
  assert.equal(code, 2, stderr);
  assert.match(stderr, /plain, kill: it does not declare that it can be restarted on its data/);
});
