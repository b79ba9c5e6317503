/** A machine that is suspended, and one whose clock is set, in the midst of a load: the cell says so, and is INVALID. */
import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { ROOT } from '../paths.js';
import { processTable, withDescendants } from '../process/table.js';
import {
  addSystem,
  eventually,
  newestRun,
  nothingIsLeft,
  processesWith,
  shortProfile,
  startCommand,
  temporaryFolder,
} from './harness.js';

const folder = temporaryFolder();
const stacks = join(folder, 'stacks');
addSystem(stacks, 'honest');
const skip = process.platform !== 'linux' && 'needs /proc';
const profile = shortProfile(folder, {
  warmupSec: 0,
  // One window, so that none begins while everything stands still: k6 would give up.
  steps: [{ id: 'c2', model: 'closed', vus: 2, durationSec: 26, focus: true }],
});

/** @param {string} name @param {Record<string, string>} [env] */
function startRun(name, env) {
  const reports = ['--reports', join(folder, name)];
  return startCommand([profile, '--stacks', stacks, '--no-live', '--systems', 'honest', ...reports], { env });
}

/** @param {ReturnType<typeof startRun>} run when its load has been going on for some seconds */
async function isLoaded(run) {
  assert.ok(await eventually(() => processesWith('SYSTEM=honest').length > 0, 60_000), run.stderr());
  await new Promise((resolve) => setTimeout(resolve, 4000));
}

/**
 * @param {string} name of the reports folder
 * @param {{code: number | null, stdout: string, stderr: string}} ended
 * @returns {number} seconds by which the clock moved in the midst of the cell, as its record says
 */
function gapOf(name, { code, stdout, stderr }) {
  assert.equal(code, 4, stderr);
  assert.doesNotMatch(`${stdout}${stderr}`, /\n\s+at .*:\d+:\d+/);
  const { records, report } = newestRun(join(folder, name));
  const record = records.find((r) => r.system === 'honest');
  assert.equal(record?.status, 'ok', String(record?.reason));
  assert.equal(record?.verdict.status, 'INVALID');
  const reason = record?.verdict.reasons.find((r) => r.code === 'clock_gap');
  assert.ok(reason, JSON.stringify(record?.verdict.reasons));
  assert.match(report, /the machine stood still/);
  return Number(reason.measured);
}

test('a machine that is suspended during a load makes the measurement INVALID, with the time that it stood still', {
  skip,
}, async () => {
  const run = startRun('suspended');
  await isLoaded(run);
  // All that a suspended machine would stop: the runner, its load, its system.
  const all = withDescendants(processTable() ?? [], [Number(run.child.pid)]).map((p) => p.pid);
  assert.ok(all.length >= 3, `only ${all.length} processes`);
  for (const pid of all) process.kill(pid, 'SIGSTOP');
  await new Promise((resolve) => setTimeout(resolve, 14_000));
  for (const pid of all.reverse()) process.kill(pid, 'SIGCONT');
  assert.ok(gapOf('suspended', await run.ended) >= 13);
  await nothingIsLeft(join(folder, 'suspended'), '--counting');
});

test('a clock that is set back by an hour during a load makes the measurement INVALID, and the run ends as usual', {
  skip,
}, async () => {
  const file = join(folder, 'set');
  const preload = pathToFileURL(join(ROOT, 'lib', 'e2e', 'set-clock.js')).href;
  const run = startRun('set-back', {
    NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ''} --import=${preload}`,
    CLOCK_FILE: file,
    CLOCK_SHIFT_SEC: '-3600',
  });
  await isLoaded(run);
  assert.equal(existsSync(file), false);
  writeFileSync(file, '');
  const gapSec = gapOf('set-back', await run.ended);
  assert.ok(gapSec < -3590 && gapSec > -3605, String(gapSec));
  await nothingIsLeft(join(folder, 'set-back'), '--counting');
});
