import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { createRng } from '../stats/rng.js';
import { runnerFile } from './runner-result.js';
import { notesOfAll, readRunners } from './runners.js';
import { syntheticRunner } from './testing-runners.js';

const folder = mkdtempSync(join(tmpdir(), 'lb-runners-'));
mkdirSync(join(folder, 'raw'));
after(() => rmSync(folder, { recursive: true, force: true }));

const LOAD = { seconds: 2, operations: 500, windows: 1 };

/** @param {string} id @param {number} count @param {(text: string, runner: number) => string | null} [change] */
function cell(id, count, change = (text) => text) {
  const random = createRng(3);
  for (let runner = 1; runner <= count; runner++) {
    const histograms = JSON.stringify(syntheticRunner(random, LOAD));
    const summary = '{"metrics":{"iterations":{"type":"counter","values":{"count":2,"rate":1}}}}';
    const sha256 = createHash('sha256').update(`${summary}\n${histograms}`).digest('hex');
    const text = change(JSON.stringify({ schemaVersion: 1, histograms, summary, sha256 }), runner);
    if (text !== null) writeFileSync(join(folder, runnerFile(id, runner)), text);
  }
  const generators = {
    on: /** @type {const} */ ('local'),
    count,
    coresEach: 2,
    problems: /** @type {any[]} */ ([]),
    restarted: [],
  };
  return /** @type {any} */ ({ cell: { id }, generators });
}

test('the runners of a cell are read as one generator, with the check of the state', () => {
  const meta = cell('whole', 3);
  const checked = /** @type {any} */ ({ notes: { oracle: { ok: true } } });
  const { histograms, summary, generators, files } = readRunners(folder, meta, checked);
  assert.equal(histograms?.windows[0].count, 1500);
  assert.deepEqual(histograms?.notes.oracle, { ok: true });
  assert.equal(summary.metrics.iterations.values.count, 6);
  assert.equal(files.length, 3);
  assert.deepEqual(generators.missing, []);
  assert.ok((generators.busiest?.cpuRatio ?? 0) > 0.15 && (generators.busiest?.cpuRatio ?? 1) < 0.25);
  const before = { start: { sum: 4 } };
  assert.deepEqual(notesOfAll(folder, meta.cell, meta.generators, before)?.notes, {
    start: { sum: 4 },
    totals: { 'operation-0': { acked: 1500, indeterminate: 0 } },
  });
});

test('a runner that left nothing, was cut off or was changed is missing, and its part is in no sum', () => {
  const meta = cell('torn', 4, (text, runner) => {
    if (runner === 1) return null;
    if (runner === 2) return text.slice(0, text.length / 2);
    return runner === 3 ? text.replace('\\"count\\":500', '\\"count\\":900') : text;
  });
  const { histograms, generators } = readRunners(folder, meta, null);
  assert.equal(histograms?.windows[0].count, 500);
  assert.deepEqual(
    generators.missing.map((m) => m.runner),
    [1, 2, 3],
  );
  assert.match(generators.missing[2].problem, /checksum/);
  assert.equal(notesOfAll(folder, meta.cell, meta.generators, {}), null);
});

test('a runner that is known to have failed counts for nothing, whatever it left', () => {
  const meta = cell('failed', 2);
  meta.generators.problems = [{ runner: 2, problem: 'k6 ended with code 107' }];
  const { histograms, generators } = readRunners(folder, meta, null);
  assert.equal(histograms?.windows[0].count, 500);
  assert.deepEqual(generators.missing, [{ runner: 2, problem: 'k6 ended with code 107' }]);
  meta.generators.problems.push({ runner: 1, problem: 'x' });
  assert.equal(readRunners(folder, meta, null).histograms, null);
});

/** @type {[string, (part: any) => void, RegExp][]} */
const LIES = [
  [
    'more operations than it timed',
    (p) => (p.windows[0].count += 100),
    /600 operations, and 500 in its seconds/,
  ],
  ['no operation that failed', (p) => (p.windows[0].errors = { server: -3 }), /errors\.server: must be >= 0/],
  [
    'operations in seconds that were none',
    (p) => (p.windows[0].series[1].count -= 9),
    /and 491 in its seconds/,
  ],
  [
    'twice as many everywhere but in the histogram',
    (p) => {
      p.windows[0].count *= 2;
      for (const point of p.windows[0].series) point.count *= 2;
      p.notes.totals['operation-0'].acked *= 2;
    },
    /1000 operations, and 500 times/,
  ],
  ['no times', (p) => (p.windows[0].service = null), /no times of them/],
  ['a lower mean', (p) => (p.windows[0].meanMs *= 0.9), /its mean time is/],
  ['no slow operation', (p) => (p.windows[0].maxMs /= 2), /its longest time is/],
  ['times below zero', (p) => (p.windows[0].minMs = -1), /below zero/],
  ['times that are none', (p) => (p.windows[0].meanMs = null), /its mean time is|or none/],
  [
    'fewer acknowledged',
    (p) => (p.notes.totals['operation-0'].acked -= 1),
    /499 acknowledged in all, and 500/,
  ],
  ['another day', (p) => (p.windows[0].startMs -= 86_400_000), /outside of its cell/],
  [
    'an end before its begin',
    (p) => (p.windows[0].endMs = p.windows[0].startMs - 1),
    /ends before it begins/,
  ],
  ['a clock of its own', (p) => (p.notes.clock = { offsetMs: 40, uncertaintyMs: 0 }), /its clock is 40 ms/],
  [
    'a clock better than known',
    (p) => (p.notes.clock = { offsetMs: 0, uncertaintyMs: -90 }),
    /uncertaintyMs: must be >= 0/,
  ],
  ['no CPU', (p) => (p.cpu = p.cpu.map((/** @type {any} */ c) => ({ ...c, cpuSec: 1 }))), /used no CPU/],
  ['CPU that goes back', (p) => (p.cpu[9].cpuSec = 0), /CPU time goes back/],
];

test('a runner that lies about counts, times, clocks or CPU is missing by name, with what cannot be', () => {
  for (const [i, [lie, change, why]] of LIES.entries()) {
    const meta = cell(`lie-${i}`, 2, (text, runner) => (runner === 1 ? text : resealed(text, change)));
    meta.startedAt = new Date(1_700_000_000_000 - 500).toISOString();
    meta.durationMs = 60_000;
    const { histograms, generators } = readRunners(folder, meta, null);
    assert.deepEqual(
      generators.missing.map((m) => m.runner),
      [2],
      lie,
    );
    assert.match(generators.missing[0].problem, /^it (contradicts itself|is no result of a runner): /);
    assert.match(generators.missing[0].problem, why, lie);
    assert.equal(histograms?.windows[0].count, 500, lie);
  }
});

/** @param {string} text of a result @param {(part: any) => void} change @returns {string} the same of another truth, sealed */
function resealed(text, change) {
  const { summary, histograms } = JSON.parse(text);
  const part = JSON.parse(histograms);
  change(part);
  const changed = JSON.stringify(part);
  const sha256 = createHash('sha256').update(`${summary}\n${changed}`).digest('hex');
  return JSON.stringify({ schemaVersion: 1, histograms: changed, summary, sha256 });
}
