import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { startChild } from '../process/child.js';
import { processTable } from '../process/table.js';
import { secondsOf } from './processes.js';
import { startSampler } from './sampler.js';
import { clockGapSec, countedAt, countedBetween, counterPoints, resourceUse } from './usage.js';
import { sampleWatched } from './watched.js';

const work = mkdtempSync(join(tmpdir(), 'lb-sample-'));
after(() => rmSync(work, { recursive: true, force: true }));

/** @param {number} t @param {number} cpuSec */
function sampleAt(t, cpuSec) {
  const process_ = { cpuSec, rssBytes: t, ioReadBytes: t * 2, ioWriteBytes: null, threads: 3, processes: 1 };
  return { t, system: process_, generator: null, host: { busySec: 0, totalSec: 0, stealSec: 0 } };
}

test('the CPU between two samples lies on the straight line, and a little beyond the last', () => {
  const samples = [sampleAt(1000, 1), sampleAt(2000, 2), sampleAt(3000, 4)];
  const points = counterPoints(samples, 'system');
  assert.equal(countedAt(points, 1500, 'cpuSec'), 1.5);
  assert.equal(countedAt(points, 2000, 'cpuSec'), 2);
  assert.equal(countedAt(points, 3100, 'cpuSec'), 4.2);
  assert.ok(Math.abs(Number(countedAt(points, 900, 'cpuSec')) - 0.9) < 1e-9, 'a little before the first');
  assert.equal(countedAt(points, 400, 'cpuSec'), null, 'long before the first sample nothing is known');
  assert.equal(countedAt(points, 5000, 'cpuSec'), null, 'long after the last one neither');
  assert.equal(countedBetween(points, 1500, 2500), 1.5);
  assert.equal(countedBetween(counterPoints(samples, 'generator'), 1500, 2500), null);
  assert.equal(countedBetween(points, 800, 900), null, 'what ended before the first sample');
  assert.equal(countedBetween(points, 2100, 2900), null, 'what lasted for less than samples are apart');
});

test('memory is given as peak and as steady, and what was not seen is null', () => {
  const use = resourceUse([sampleAt(1000, 1), sampleAt(2000, 2), sampleAt(3000, 4)], 'system', [
    { from: 1000, to: 3000 },
  ]);
  assert.deepEqual(use, {
    cpuSec: 3,
    cpuCores: 1.5,
    rssPeakBytes: 3000,
    rssSteadyBytes: 2000,
    ioReadBytes: 4000,
    ioWriteBytes: null,
    threadsPeak: 3,
    processes: 1,
  });
  assert.equal(resourceUse([sampleAt(1000, 1)], 'generator', [{ from: 0, to: 2000 }]), null);
});

test('bytes are those of the whole window, with its parts before the first sample and behind the last one', () => {
  const samples = [0, 1000, 2000, 3000].map((t) => {
    const sample = sampleAt(t, t / 1000);
    const netTxBytes = t < 1000 ? null : t * 7;
    return { ...sample, system: { ...sample.system, netRxBytes: t * 5, netTxBytes } };
  });
  const use = resourceUse(samples, 'system', [{ from: 100, to: 2900 }]);
  assert.equal(use?.ioReadBytes, 5600, 'not the 2000 between the two samples inside');
  assert.equal(use?.netRxBytes, 14_000);
  assert.equal(use?.netTxBytes, 13_300, 'unknown until there were some: from there on');
  assert.equal(use?.ioWriteBytes, null);
  const twice = resourceUse(samples, 'system', [
    { from: 100, to: 1900 },
    { from: 1900, to: 2900 },
  ]);
  assert.equal(twice?.ioReadBytes, 5600, 'over several windows, their sum');
});

test('a machine that was suspended, or whose clock was set, shows a gap between two samples', () => {
  const at = (/** @type {number[]} */ ...secs) =>
    secs.map((sec) => ({ t: sec * 1000, system: null, generator: null, host: null, busiest: undefined }));
  const gap = (/** @type {number[]} */ ...secs) =>
    clockGapSec(/** @type {any} */ (at(...secs)), 100_000, 110_000);
  assert.equal(gap(99, 100, 101, 102, 103), null);
  assert.equal(gap(99, 101, 110), null, 'a busy machine is late');
  assert.equal(gap(99, 101, 141, 142), 40);
  assert.equal(gap(99, 140), 41, 'all of the window lies in it');
  assert.equal(gap(99, 101, -3499, -3498), -3600, 'set back by an hour');
  assert.equal(gap(20, 60, 101, 102, 111), 41, 'it ends within the window');
  assert.equal(gap(20, 99, 101, 111, 160), null, 'before and after it nobody looks');
  assert.equal(gap(), null);
});

test('the CPU that a process says it burnt is the CPU that the sampler saw, within 2 %', async () => {
  // The child burns for three seconds and prints its own account of it; how much of a core it got on a shared
  // machine does not matter.
  const burn = `
    const until = Date.now() + 3000;
    while (Date.now() < until);
    const { user, system } = process.cpuUsage();
    console.log((user + system) / 1e6);`;
  const child = await startChild([process.execPath, '-e', burn], { logPath: join(work, 'burn.log') });
  const sampler = startSampler({ system: () => ({ pgids: [child.pid] }), everyMs: 50 });
  await child.exited;
  const samples = sampler.stop().filter((s) => s.system !== null);
  const seen = samples[samples.length - 1].system?.cpuSec ?? 0;
  const own = Number(child.logTail()[0]);
  await child.stop();
  assert.ok(Math.abs(seen - own) <= 0.02 * own + 0.06, `${seen} seen, ${own} burnt`);
});

test('children of a system are counted with it', async () => {
  const child = await startChild(['sh', '-c', 'sleep 5 & sleep 5 & wait'], {
    logPath: join(work, 'tree.log'),
  });
  await new Promise((resolve) => setTimeout(resolve, 300));
  const sampler = startSampler({ system: () => ({ pgids: [child.pid] }), everyMs: 50 });
  const [sample] = sampler.stop();
  await child.stop();
  assert.equal(sample.system?.processes, 3);
});

test('children that lead groups of their own are counted with it, whoever reads the processes', async () => {
  const program = `require('child_process').spawn('sleep', ['5'], { detached: true }); setInterval(() => {}, 1000)`;
  const child = await startChild([process.execPath, '-e', program], { logPath: join(work, 'groups.log') });
  const watched = { pgids: [child.pid] };
  const countedNow = () => [processTable(), null].map((table) => sampleWatched(watched, table)?.processes);
  let counted = countedNow();
  for (let tries = 0; tries < 100 && counted.some((n) => n !== 2); tries++) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    counted = countedNow();
  }
  await child.stop();
  assert.deepEqual(counted, [2, 2]);
});

test('times of ps are read in each of its forms', () => {
  assert.equal(secondsOf('0:01.50'), 1.5);
  assert.equal(secondsOf('02:03'), 123);
  assert.equal(secondsOf('1-01:00:00'), 90_000);
});
