import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRng } from '../stats/rng.js';
import { SOAK, soakOf } from './soak.js';
import { reasonsIn } from './testing.js';

const MB = 1_048_576;

/**
 * A soak of some seconds: memory by `rss`, p99 by `p99`, both of the second; a reading each half second.
 * @param {number} sec
 * @param {{rss?: (t: number) => number, p99?: (t: number) => number, files?: (t: number) => number | null,
 *   threads?: (t: number) => number, disk?: (t: number) => number}} [shape]
 */
function soak(
  sec,
  { rss = () => 50 * MB, p99 = () => 2, files = () => 20, threads = () => 4, disk = () => 1000 } = {},
) {
  const process = { cpuSec: 0, ioReadBytes: 0, ioWriteBytes: 0, processes: 1 };
  const samples = Array.from({ length: sec * 2 }, (_, i) => ({
    t: 1e12 + i * 500,
    system: { ...process, rssBytes: rss(i / 2), threads: threads(i / 2) },
    openFiles: files(i / 2),
    disk: { t: 1e12 + i * 500, bytes: disk(i / 2) },
    generator: null,
    host: { busySec: 0, totalSec: 0, stealSec: 0 },
  }));
  const series = Array.from({ length: sec }, (_, t) => ({
    t,
    count: 100,
    errors: 0,
    p50Ms: 1,
    p95Ms: 2,
    p99Ms: p99(t),
    maxMs: 9,
  }));
  return soakOf(samples, { startMs: 1e12, endMs: 1e12 + sec * 1000, series });
}

/** Memory as the kernel reports it: in steps, with noise. */
function noisy(/** @type {number} */ seed, /** @type {number} */ bytesPerMin) {
  const random = createRng(seed);
  return (/** @type {number} */ t) =>
    Math.round((50 * MB + (bytesPerMin * t) / 60 + 200_000 * random()) / 4096) * 4096;
}

for (const sec of [SOAK.minSec, 90]) {
  test(`a leak of 1 MB a minute is flagged in ${sec} s, whatever the noise, and none where there is none`, () => {
    for (let seed = 1; seed <= 40; seed++) {
      const leaking = soak(sec, { rss: noisy(seed, MB) });
      assert.equal(leaking.verdict, 'leaking', JSON.stringify(leaking));
      const { estimate } = /** @type {NonNullable<typeof leaking.rssBytesPerMin>} */ (leaking.rssBytesPerMin);
      assert.ok(Math.abs(estimate - MB) < 0.2 * MB, String(estimate));
      assert.equal(soak(sec, { rss: noisy(seed, 0) }).verdict, 'steady');
    }
  });
}

test('memory that fills up and then stays is no leak', () => {
  const result = soak(600, { rss: (t) => 50 * MB + Math.min(t, 250) * 40_000 });
  assert.equal(result.verdict, 'steady', JSON.stringify(result));
});

test('a p99 that grows is a drift', () => {
  const random = createRng(2);
  const result = soak(300, { p99: (t) => 2 + t / 100 + random() });
  assert.equal(result.verdict, 'drifting', JSON.stringify(result));
  assert.equal(reasonsIn({ soak: result })[0].code, 'drifting');
  assert.equal(soak(300, { p99: () => 2 + random() }).verdict, 'steady');
});

test('what could not be seen is not called steady', () => {
  assert.equal(soak(SOAK.minSec - 20).verdict, 'unclear');
  const blind = soakOf([], { startMs: 0, endMs: 90_000, series: [] });
  assert.equal(blind.verdict, 'unclear');
  assert.equal(reasonsIn({ soak: blind })[0].code, 'soak_unclear');
});

test('open files, or threads, that become more all the time are clinging; those that settle, or come and go, are not', () => {
  const files = soak(600, { files: (t) => 20 + Math.floor(t / 30) });
  assert.equal(files.verdict, 'clinging');
  assert.deepEqual(reasonsIn({ soak: files }), [
    {
      code: 'clinging',
      measured: Number(files.openFiles?.last) - Number(files.openFiles?.first),
      limit: SOAK.counted,
    },
  ]);
  assert.ok(Math.abs(Number(files.openFiles?.perHour?.estimate) - 120) < 6, JSON.stringify(files.openFiles));
  assert.equal(soak(600, { threads: (t) => 4 + Math.floor(t / 30) }).verdict, 'clinging');
  assert.equal(soak(600, { files: (t) => 20 + Math.min(30, Math.floor(t / 4)) }).verdict, 'steady');
  assert.equal(soak(600, { files: (t) => 20 + (Math.floor(t) % 40) }).verdict, 'steady');
  const unseen = soak(600, { files: () => null, threads: () => 0 });
  assert.deepEqual([unseen.openFiles, unseen.threads, unseen.verdict], [null, null, 'unclear']);
});

test('a soak of days is judged, too', () => {
  const days = soak(2 * 86_400, { files: (t) => 20 + Math.floor(t / 3600) });
  assert.equal(days.openFiles?.most, 67);
  assert.equal(days.verdict, 'clinging');
});

test('the data on disk is told at the beginning and at the end, and every stretch has its medians', () => {
  const { disk, points = [] } = soak(900, { disk: (t) => 1000 + 10 * t, rss: (t) => t * MB });
  assert.deepEqual(disk, { firstBytes: 1000, lastBytes: 1000 + 10 * 899.5 });
  assert.equal(points.length, SOAK.stretches);
  for (const { minute, rssBytes, openFiles } of points) {
    assert.ok(Math.abs(Number(rssBytes) / MB - minute * 60) < 1, `${minute}: ${rssBytes}`);
    assert.equal(openFiles, 20);
  }
});
