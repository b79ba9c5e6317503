import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { after, test } from 'node:test';
import { inDiskSleep, readThreadsOf, stateOf, threadsBetween } from './threads.js';

const skip = existsSync('/proc/self/schedstat')
  ? false
  : 'the kernel keeps no account of single threads here';
/** @type {import('node:child_process').ChildProcess[]} */
const children = [];
after(() => {
  for (const child of children) process.kill(-Number(child.pid), 'SIGKILL');
});

/** @param {string} script of a process that leads a group of its own, until it says something */
async function group(script) {
  const child = spawn('node', ['-e', script], { detached: true, stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  await new Promise((resolve) => child.stdout.once('data', resolve));
  return Number(child.pid);
}

const later = (/** @type {number} */ ms) => new Promise((resolve) => setTimeout(resolve, ms));

test('a thread that burns a core is seen to run or to wait for one all the time', { skip }, async () => {
  const pgid = await group('console.log(1); for (;;);');
  const from = readThreadsOf([{ pgids: [pgid] }])[0];
  assert.ok(from);
  // A wait is in the account once it is over, and a reading takes its time: the longer apart two are, the less it matters.
  let seen = threadsBetween(from, from);
  const share = () => (seen.busiest ? seen.busiest.run + seen.busiest.wait : 0);
  // On a machine with other work a part of it is waiting, or the hypervisor’s.
  const isAll = () => share() > 0.5 && share() < 1.05;
  for (let i = 0; i < 50 && !isAll(); i++) {
    await later(400);
    const to = readThreadsOf([{ pgids: [pgid] }])[0];
    assert.ok(to);
    seen = threadsBetween(from, to);
  }
  const { busiest, cpuSec, seconds } = seen;
  assert.ok(isAll(), JSON.stringify(busiest));
  assert.ok(cpuSec > 0 && cpuSec < seconds * 1.1, `${cpuSec} of ${seconds}`);
});

test('a process that sleeps uses next to nothing', { skip }, async () => {
  const pgid = await group('console.log(1); setInterval(() => {}, 60_000);');
  await later(300);
  const from = readThreadsOf([{ pgids: [pgid] }])[0];
  await later(300);
  const to = readThreadsOf([{ pgids: [pgid] }])[0];
  assert.ok(from && to);
  assert.ok(threadsBetween(from, to).cpuSec < 0.1);
});

test('children that come and go are counted', { skip }, async () => {
  // Of its own CPU time: on a busy machine a moment has less of it.
  const burn = 'while (process.cpuUsage().user < 200_000);';
  const pgid = await group(
    `console.log(1); setTimeout(() => { require('child_process').spawnSync('node', ['-e', ${JSON.stringify(burn)}]); }, 500); setInterval(() => {}, 60_000);`,
  );
  const from = readThreadsOf([{ pgids: [pgid] }])[0];
  assert.ok(from);
  let to = readThreadsOf([{ pgids: [pgid] }])[0];
  for (let i = 0; i < 100 && threadsBetween(from, /** @type {any} */ (to)).cpuSec < 0.1; i++) {
    await later(50);
    to = readThreadsOf([{ pgids: [pgid] }])[0];
  }
  assert.ok(to && threadsBetween(from, to).cpuSec >= 0.1);
});

test('what has ended leaves no reading', { skip }, () => {
  assert.equal(readThreadsOf([{ pgids: [2 ** 22] }])[0], null);
});

test('threads that came count from zero, and one that went by the ticks of its process', () => {
  const at = (
    /** @type {number} */ t,
    /** @type {[string, number][]} */ own,
    /** @type {number} */ processSec,
  ) => ({
    t,
    threads: new Map(own.map(([id, runNs]) => [id, { runNs, waitNs: runNs / 10 }])),
    processSec,
  });
  const grown = threadsBetween(
    at(0, [['1/1', 1e9]], 1),
    at(
      1000,
      [
        ['1/1', 1.5e9],
        ['1/2', 0.2e9],
      ],
      1.7,
    ),
  );
  assert.ok(Math.abs(grown.cpuSec - 0.7) < 1e-9, String(grown.cpuSec));
  assert.deepEqual(
    { run: grown.busiest?.run.toFixed(2), wait: grown.busiest?.wait.toFixed(2) },
    { run: '0.50', wait: '0.05' },
  );
  const shrunk = threadsBetween(
    at(
      0,
      [
        ['1/1', 1e9],
        ['1/3', 0],
      ],
      1,
    ),
    at(1000, [['1/1', 1.5e9]], 1.9),
  );
  assert.ok(Math.abs(shrunk.cpuSec - 0.9) < 1e-9, String(shrunk.cpuSec));
});

test('several systems are read at one moment, each on its own', { skip }, async () => {
  const groups = [
    await group('console.log(1); for (;;);'),
    await group('console.log(1); setInterval(() => {}, 60_000);'),
  ];
  const [busy, idle, gone] = readThreadsOf([{ pgids: [groups[0]] }, { pgids: [groups[1]] }, { pgids: [] }]);
  assert.ok(busy && idle);
  assert.equal(gone, null);
  assert.ok(idle.t - busy.t < 50, 'the table of processes is not read in between');
  assert.ok(![...busy.threads.keys()].some((id) => idle.threads.has(id)));
});

test('the state of a thread is read behind its name, whatever that holds', () => {
  assert.equal(stateOf('4 (server) D 1 4 4 0'), 'D');
  assert.equal(stateOf('4 (a) D (b) S 1 4 4 0'), 'S');
});

test('a process that only sleeps is in no file call, and of what cannot be seen nothing is said', {
  skip,
}, async () => {
  const pgid = await group('console.log(1); setInterval(() => {}, 60_000);');
  await later(300);
  assert.equal(inDiskSleep(readThreadsOf([{ pgids: [pgid] }])[0]), false);
  assert.equal(inDiskSleep(null), null);
});
