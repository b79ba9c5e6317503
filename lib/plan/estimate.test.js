import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { loadStacks } from '../config/stacks.js';
import { pairedTrials } from '../config/trials.js';
import { ROOT } from '../paths.js';
import { withRun } from '../record/archive.js';
import { readJson } from '../store.js';
import { estimateOf } from './estimate.js';
import { secondsOfStart, secondsSeen } from './seen.js';

/** Runs of today's order of loads: earlier ones loaded each system alone in fewer starts. */
const SINCE = '2026-11-27';

/**
 * @param {string} data of a run
 * @returns {{isWhole: boolean, said: ReturnType<typeof estimateOf>, again: ReturnType<typeof estimateOf>, tookSec: number}} of
 *   its trials; `isWhole`: none of them was decided early; `again`: what is said who has seen it
 */
function spanOf(data) {
  const plan = readJson(join(data, 'plan.json'));
  const names = readdirSync(join(data, 'raw')).filter((name) =>
    /^start\.\d+\.\d+\.json$|^(?!ceiling\.).*\.r\d+\.json$/.test(name),
  );
  const raws = names.map((name) => readJson(join(data, 'raw', name)));
  const began = raws.map((raw) => Date.parse(raw.startedAt));
  const ended = raws.map((raw, i) => began[i] + raw.durationMs);
  const starts = raws.filter((_, i) => names[i].startsWith('start.')).length;
  const input = /** @type {any} */ ({ ...plan, stacks: loadStacks().stacks });
  return {
    isWhole: starts === pairedTrials(plan).length * (plan.sideBySide?.maxStarts ?? 0),
    said: estimateOf({ ...plan, lifecycle: [] }, input),
    again: estimateOf({ ...plan, lifecycle: [] }, { ...input, seen: secondsSeen([data], plan.profileId) }),
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
      const { isWhole, said, again, tookSec } = spanOf(data);
      if (!isWhole) return;
      const text = (/** @type {ReturnType<typeof estimateOf>} */ { estimatedSec }) =>
        `${name}: said ${estimatedSec} s, took ${Math.round(tookSec)} s`;
      const isRight = (/** @type {ReturnType<typeof estimateOf>} */ { estimatedSec }) =>
        Math.abs(estimatedSec / tookSec - 1) <= 0.25;
      assert.ok(isRight(again), text(again));
      // Nobody can know beforehand that a system is slow: a range is said then.
      const isSlow = again.estimatedSec > 1.25 * said.estimatedSec;
      assert.ok(isRight(said) || (isSlow && tookSec <= Number(said.estimatedMostSec)), text(said));
      tried++;
    });
  assert.ok(tried > 0, 'no run was tried');
});

/** A start of a real run in which one system completed 250 operations a second, and how long its starts took. */
const SLOW = readJson(join(ROOT, 'lib', 'plan', 'testdata', 'slow-start.json'));

/** @param {import('./estimate.js').Seen} [seen] */
function estimateOfSlow(seen) {
  const input = /** @type {any} */ ({
    ...{ profile: { coolDownSec: 0 }, workloads: [], options: {}, stacks: [], repeats: 1, seen },
    systems: SLOW.trial.systems.map((/** @type {string} */ id) => ({ id, role: 'system' })),
  });
  const sideBySide = /** @type {any} */ ({ maxStarts: SLOW.tookSec.length });
  return estimateOf({ trials: [SLOW.trial], sideBySide, lifecycle: [] }, input);
}
const tookSec = SLOW.tookSec.reduce((/** @type {number} */ sum, /** @type {number} */ sec) => sum + sec, 0);

test('what a slow system took in a run of before, it is said to take again', () => {
  const { estimatedSec, estimatedMostSec } = estimateOfSlow(secondsOfStart(SLOW.trial, SLOW));
  assert.ok(Math.abs(estimatedSec / tookSec - 1) <= 0.25, `said ${estimatedSec} s, took ${tookSec} s`);
  assert.equal(estimatedMostSec, undefined, 'all is known: no range');
});

test('of systems that were never seen a range is said, and the run is in it', () => {
  const { estimatedSec, estimatedMostSec } = estimateOfSlow();
  assert.ok(
    estimatedSec < tookSec && tookSec < Number(estimatedMostSec),
    `${estimatedSec}–${estimatedMostSec}`,
  );
  const seen = secondsOfStart(SLOW.trial, SLOW);
  const ofFast = new Map([...seen].filter(([key]) => !key.includes(' slow')));
  assert.ok(Number(estimateOfSlow(ofFast).estimatedMostSec) > tookSec, 'of the slow one nothing is known');
});
