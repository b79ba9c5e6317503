import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { readJson, writeJson } from '../store.js';
import { leaveOutUnread } from './lean.js';
import { cellFiles, readPlan } from './run-folder.js';
import { seal } from './seal.js';
import { startFiles } from './starts.js';
import { smallRun } from './testing.js';
import { verifyRun } from './verify.js';

const folder = mkdtempSync(join(tmpdir(), 'lb-lean-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** @param {any} w @param {string} phase */
const inPhase = (w, phase) => ({ ...w, phase, series: [{ t: 0 }] });

test('histograms that no record is made of are left out, and every record follows from the rest', () => {
  const run = join(folder, 'run');
  const { cells } = smallRun(run);
  const path = join(run, cellFiles(cells[0]).histograms);
  const whole = readJson(path);
  const measured = whole.windows;
  writeJson(path, {
    ...whole,
    windows: [...measured, ...measured.map((/** @type {any} */ w) => inPhase(w, 'warmup'))],
  });
  leaveOutUnread(run, readPlan(run));
  const { windows } = readJson(path);
  const half = measured.length;
  assert.deepEqual(windows.slice(0, half), measured);
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
  const path = join(run, cellFiles(cells[0]).histograms);
  const timeline = { slotMs: 50, leastMs: 0.01, growth: 1.05, slots: [] };
  const whole = readJson(path);
  const told = { ...whole, notes: { oracle: { ok: true } }, cpu: [{ t: 1, cpuSec: 1 }], loops: [{}] };
  writeJson(path, { ...told, windows: whole.windows.map((/** @type {any} */ w) => ({ ...w, timeline })) });
  const plan = readPlan(run);
  for (const role of /** @type {const} */ (['durability', 'chaos'])) {
    const as = {
      ...plan,
      blocks: plan.blocks.map((b) => ({ ...b, cells: b.cells.map((c) => ({ ...c, role })) })),
    };
    leaveOutUnread(run, as);
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
  const files = startFiles(0, 1);
  const window = (/** @type {string} */ phase) => ({ op: 'a/get', phase, count: 3 });
  const windows = [window('pair/1'), window('alone/1'), window('warmup')];
  const loops = [{ thread: 7 }];
  writeJson(join(run, files.result), {
    ...{ group: 0, start: 1, workload: 'w', transport: 't', status: 'ok' },
    ...{ systems: [], pairs: [], alone: [], host: { foreignCores: null, stealShare: 0 } },
  });
  writeJson(join(run, files.histograms), { windows, loops });
  leaveOutUnread(run, /** @type {any} */ ({ ...plan, sideBySide: { groups: [{}] } }));
  assert.deepEqual(readJson(join(run, files.histograms)), { windows: [windows[1]], loops });
});
