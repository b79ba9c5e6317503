import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { loadStacks } from '../config/stacks.js';
import { pairedTrials } from '../config/trials.js';
import { ROOT } from '../paths.js';
import { withRun } from '../record/archive.js';
import { readJson } from '../store.js';
import { estimatedSeconds } from './estimate.js';

/** Runs of today's order of loads: earlier ones loaded each system alone in fewer starts. */
const SINCE = '2026-11-27';

/** @param {string} data of a run @returns {{isWhole: boolean, saidSec: number, tookSec: number}} of its trials; `isWhole`: none of them was decided early */
function spanOf(data) {
  const plan = readJson(join(data, 'plan.json'));
  const names = readdirSync(join(data, 'raw')).filter((name) =>
    /^start\.\d+\.\d+\.json$|\.cell\.json$/.test(name),
  );
  const raws = names.map((name) => readJson(join(data, 'raw', name)));
  const began = raws.map((raw) => Date.parse(raw.startedAt));
  const ended = raws.map((raw, i) => began[i] + raw.durationMs);
  const starts = raws.filter((_, i) => names[i].startsWith('start.')).length;
  const input = /** @type {any} */ ({ ...plan, stacks: loadStacks().stacks });
  return {
    isWhole: starts === pairedTrials(plan).length * (plan.sideBySide?.maxStarts ?? 0),
    saidSec: estimatedSeconds({ ...plan, lifecycle: [] }, input),
    tookSec: (Math.max(...ended) - Math.min(...began)) / 1000,
  };
}

test('how long a plan takes is said to 25 %: each committed run that was not decided early', () => {
  const runs = readdirSync(join(ROOT, 'reports'))
    .filter((name) => name >= SINCE && /^\d{4}-.*Z-/.test(name))
    .map((name) => ({ name, folder: join(ROOT, 'reports', name) }));
  let tried = 0;
  for (const { name, folder } of runs)
    withRun(folder, (data) => {
      const { isWhole, saidSec, tookSec } = spanOf(data);
      if (!isWhole) return;
      const ratio = saidSec / tookSec;
      assert.ok(ratio >= 0.75 && ratio <= 1.25, `${name}: said ${saidSec} s, took ${Math.round(tookSec)} s`);
      tried++;
    });
  assert.ok(tried > 0, 'no run was tried');
});
