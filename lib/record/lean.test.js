import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { bySecond, chaosOf } from '../judge/chaos.js';
import { countedBetween } from '../sample/usage.js';
import { latencyOf } from '../stats/histogram.js';
import { createRng } from '../stats/rng.js';
import { readJson, writeJson } from '../store.js';
import { leaveOutUnread } from './lean.js';
import { readPlan, recordFiles, startId } from './run-folder.js';
import { seal } from './seal.js';
import { smallRun } from './testing.js';
import { verifyRun } from './verify.js';

const folder = mkdtempSync(join(tmpdir(), 'lb-lean-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** @param {any} w @param {string} phase */
const inPhase = (w, phase) => ({ ...w, phase, series: [{ t: 0 }] });

test('histograms that no record is made of are left out, and every record follows from the rest', () => {
  const run = join(folder, 'run');
  const { cells } = smallRun(run);
  const path = join(run, recordFiles(cells[0]).histograms);
  const whole = readJson(path);
  const measured = whole.windows;
  writeJson(path, {
    ...whole,
    windows: [...measured, ...measured.map((/** @type {any} */ w) => inPhase(w, 'warmup'))],
  });
  leaveOutUnread(run, readPlan(run));
  const { windows } = readJson(path);
  const half = measured.length;
  const figures = (/** @type {any} */ { service, ...w }) => ({ ...w, latency: latencyOf(service, w) });
  assert.deepEqual(windows.slice(0, half).map(figures), measured.map(figures));
  for (const w of windows.slice(half)) {
    assert.deepEqual([w.service, w.series, w.count], [null, [], measured[0].count]);
  }
  seal(run);
  assert.deepEqual(verifyRun(run), []);
  const once = readFileSync(path, 'utf8');
  leaveOutUnread(run, readPlan(run));
  assert.equal(readFileSync(path, 'utf8'), once);
});

test('of a load that a kill or a fault cuts, counts and timeline are kept, and what is told of it', () => {
  const run = join(folder, 'cut');
  const { cells } = smallRun(run);
  const path = join(run, recordFiles(cells[0]).histograms);
  const timeline = { slotMs: 50, leastMs: 0.01, growth: 1.05, slots: [] };
  const whole = readJson(path);
  const told = { ...whole, notes: { oracle: { ok: true } }, cpu: [{ t: 1, cpuSec: 1 }], loops: [{}] };
  writeJson(path, { ...told, windows: whole.windows.map((/** @type {any} */ w) => ({ ...w, timeline })) });
  for (const role of /** @type {const} */ (['durability', 'chaos'])) {
    const result = join(run, recordFiles(cells[0]).result);
    writeJson(result, { ...readJson(result), role });
    leaveOutUnread(run, readPlan(run));
    const lean = readJson(path);
    assert.deepEqual([lean.notes, lean.cpu, lean.loops], [told.notes, [], []]);
    for (const w of lean.windows)
      assert.deepEqual([w.service, w.timeline, w.count], [null, timeline, whole.windows[0].count]);
  }
});

test('of systems side by side the windows of one alone are kept, and the marks of the loops', () => {
  const run = join(folder, 'side-by-side');
  smallRun(run);
  const plan = readPlan(run);
  const files = recordFiles(startId(0, 1));
  const window = (/** @type {string} */ phase) => ({ op: 'a/get', phase, count: 3 });
  const none = { service: null, response: null, lag: null };
  const windows = ['pair/1', 'alone/1', 'warmup'].map((phase) => ({ ...window(phase), ...none }));
  const loops = [{ thread: 7 }];
  writeJson(join(run, files.result), {
    ...{ group: 0, start: 1, workload: 'w', transport: 't', status: 'ok' },
    ...{ systems: [], pairs: [], alone: [], host: { foreignCores: null, stealShare: 0 } },
  });
  writeJson(join(run, files.histograms), { windows, loops });
  leaveOutUnread(run, /** @type {any} */ ({ ...plan, trials: [...plan.trials, { repeat: null }] }));
  assert.deepEqual(readJson(join(run, files.histograms)), { windows: [windows[1]], loops });
});

test('of the CPU account and the marks of a cell, what is read at the edges of its windows is kept', () => {
  const run = join(folder, 'edges');
  const { cells } = smallRun(run);
  const path = join(run, recordFiles(cells[0]).histograms);
  const whole = readJson(path);
  const cpu = Array.from({ length: 400 }, (_, i) => ({ t: 20.5 + 11 * i, cpuSec: i ** 1.1 / 50 }));
  const marks = [900, 1000, 2000, 4000, 4100].map((momentMs) => ({ momentMs, atMs: momentMs + 0.2 }));
  writeJson(path, { ...whole, cpu, loops: [{ loop: 0, tid: 1, cpus: [0], marks }] });
  leaveOutUnread(run, readPlan(run));
  const lean = readJson(path);
  assert.ok(lean.cpu.length <= 8, `${lean.cpu.length} points`);
  assert.equal(countedBetween(lean.cpu, 1000, 4000), countedBetween(cpu, 1000, 4000));
  assert.deepEqual(lean.loops[0].marks, [marks[1], marks[3]]);
});

test('a timeline keeps its short slots from the fault until everything is as before, and the result is the same', () => {
  const random = createRng(2);
  for (const lasts of [0, 2500, 20_000]) {
    const [began, ended] = [5037, 5037 + lasts];
    const slots = Array.from({ length: 320 }, (_, i) => {
      const isHurt = i * 50 >= began && i * 50 < ended + 900;
      const bucket = () => Math.floor((isHurt ? 200 : 110) + 12 * random());
      return {
        ...{
          acked: 6,
          buckets: /** @type {[number, number][]} */ ([
            [bucket(), 2],
            [bucket() + 12, 4],
          ]),
        },
        ...(isHurt ? {} : { firstAckMs: i * 50 + 3 }),
      };
    });
    const window = /** @type {any} */ ({
      ...{
        op: 'set',
        phase: 'measure',
        startMs: 0,
        endMs: 16_000,
        count: 1900,
        dropped: 0,
        aborted: 0,
        errors: {},
      },
      timeline: { slotMs: 50, leastMs: 0.01, growth: 1.05, slots },
    });
    const moments = { kind: /** @type {const} */ ('pause'), beganMs: began, endedMs: ended };
    const chaos = { ...moments, restartMs: null, rssBeforeBytes: null, rssAfterBytes: null };
    const of = (/** @type {any} */ w) =>
      chaosOf(
        /** @type {any} */ ({ chaos, targetPerSec: {} }),
        /** @type {any} */ ({
          windows: [w],
          notes: { oracle: { ok: true, acked: 9, stored: 9, detail: '' } },
        }),
      );
    const before = /** @type {NonNullable<ReturnType<typeof of>>} */ (of(window));
    assert.equal(before.restoredMs === null, lasts === 20_000);
    const lean = bySecond(window, chaos, before);
    assert.deepEqual(of(lean), before);
    const total = (/** @type {any} */ w) =>
      w.timeline.slots
        .flatMap((/** @type {any} */ s) => s.buckets)
        .reduce((/** @type {number} */ n, /** @type {any} */ b) => n + b[1], 0);
    assert.equal(total(lean), total(window));
    const full = lean.timeline?.slots.filter((s) => s.buckets.length > 0).length ?? 0;
    assert.ok(full < 250 && full >= 25, `${full} slots`);
    assert.deepEqual(bySecond(lean, chaos, before), lean);
  }
});
