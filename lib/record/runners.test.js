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
    totals: { increment: { acked: 1500, indeterminate: 0 } },
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
