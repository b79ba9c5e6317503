import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { leftoverProcesses } from './leftovers.js';
import { isAbandoned, ownName, RUNNER } from './own-name.js';
import { within } from './within.js';

/** A name like ours of a runner that has ended. */
function nameOfTheDead() {
  return ownName('x').replace(`-${process.pid}-`, `-${spawnSync('true').pid}-`);
}

test('a runner is known by id, start and namespace: who has its id now is somebody else', () => {
  const own = ownName('x');
  assert.equal(isAbandoned(own), false);
  assert.equal(isAbandoned(nameOfTheDead()), true);
  if (process.platform !== 'linux') return;
  const [start, namespace] = /-(\d+)x(\d+)-/.exec(own)?.slice(1) ?? [];
  assert.equal(
    isAbandoned(own.replace(`-${start}x`, `-${Number(start) - 1}x`)),
    true,
    'the id was given again',
  );
  assert.equal(
    isAbandoned(nameOfTheDead().replace(`x${namespace}-`, 'x1-')),
    false,
    'a runner in another container is not to be seen from here',
  );
  assert.equal(isAbandoned('ladderbench-of-somebody-else'), false);
});

test('all that a dead runner started is left over, a shell’s child too, and no stranger', async (t) => {
  if (process.platform !== 'linux') return t.skip('needs /proc');
  const folder = mkdtempSync(join(tmpdir(), 'ladderbench-of-somebody-else-'));
  const sleeper = (/** @type {string} */ runner, /** @type {string[]} */ command) =>
    spawn(command[0], command.slice(1), {
      cwd: folder,
      env: { ...process.env, [RUNNER]: runner },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  const children = [
    sleeper(nameOfTheDead(), ['sh', '-c', 'setsid sleep 60 & echo $!; wait']),
    sleeper(ownName('run'), ['sh', '-c', 'echo $$; exec sleep 60']),
    spawn('sleep', ['60'], { cwd: folder, stdio: 'ignore' }),
  ];
  t.after(() => {
    for (const child of children) child.kill('SIGKILL');
    for (const pid of pids) if (pid) spawnSync('kill', ['-9', String(pid)]);
    rmSync(folder, { recursive: true });
  });
  const pids = await Promise.all(
    children.map(({ stdout }) =>
      stdout ? within(10_000, new Promise((resolve) => stdout.once('data', (d) => resolve(Number(d))))) : 0,
    ),
  );
  const left = leftoverProcesses();
  assert.ok(left.includes(Number(children[0].pid)) && left.includes(Number(pids[0])));
  assert.ok(!left.includes(Number(pids[1])), 'of a live run');
  assert.ok(!left.includes(Number(children[2].pid)), 'a stranger in a folder with a name like ours');
});
