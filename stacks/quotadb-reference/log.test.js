import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { loadStacks } from '../../lib/config/stacks.js';
import { chaosOf, folder, run, stacks } from '../../lib/e2e/chaos-systems.js';
import { newestRun, runCommand, shortProfile } from '../../lib/e2e/harness.js';
import { powerLossMissing } from '../../lib/engines/power-loss.js';
import { which } from '../../lib/process/tool.js';
import { isBuilt, runBuild, stackBuilds } from '../../lib/setup/builds.js';

/** The append log under the faults of the suite: the real server, synced each time and each second. */

const stack = loadStacks().stacks.find((s) => s.folder === import.meta.dirname);
assert.ok(stack);
const [build] = stackBuilds(stack);
const skip = which('cargo') === null ? 'cargo is not on PATH' : (powerLossMissing() ?? false);

for (const appendfsync of ['always', 'everysec']) {
  const path = join(stacks, appendfsync);
  mkdirSync(path);
  const { manifest } = stack;
  const start = manifest.native?.start.map((part) => part.replace('{cache}', build.output));
  const settings = { appendonly: 'yes', appendfsync };
  writeFileSync(
    join(path, 'stack.json'),
    JSON.stringify({
      ...{ ...manifest, title: appendfsync, settings },
      ...{ docker: undefined, native: { start } },
    }),
  );
  writeFileSync(join(path, 'client.js'), `export * from '${join(stack.folder, 'client.js')}';\n`);
}

before(async () => {
  if (!skip && !isBuilt(build)) await runBuild(build);
});

test('a full disk: writes are refused and the server goes on; a kill: nothing acknowledged is lost, nothing is there twice', {
  skip,
}, async () => {
  const of = await run('log', 'always,everysec', [
    { kind: 'disk-full', atSec: 3, forSec: 2 },
    { kind: 'kill', atSec: 4 },
  ]);
  assert.equal(of.code, 0, of.stderr);
  for (const system of ['always', 'everysec']) {
    const full = chaosOf(of, system, 'disk-full');
    assert.ok((full.errors.server ?? 0) > 100, `${system}: ${JSON.stringify(full.errors)}`);
    assert.deepEqual([full.lost, full.twice, full.restartMs], [0, 0, null], system);
    // The server looks for room once a second; a busy machine takes its time.
    assert.ok(full.restoredMs !== null && full.restoredMs < 5000, `${system}: ${full.restoredMs}`);
    const killed = chaosOf(of, system, 'kill');
    assert.deepEqual([killed.lost, killed.twice], [0, 0], system);
    assert.ok(killed.acked > 3000, `${system}: ${killed.acked}`);
  }
});

test('a power cut: synced each time, nothing acknowledged is lost; synced each second, what a second and its sync may take', {
  skip,
}, async () => {
  const ratePerSec = 500;
  const cut = { vus: 4, ratePerSec, durationSec: 3, kill: true, powerLoss: true };
  const profile = shortProfile(folder, { warmupSec: 0, steps: [{ id: 'cut', model: 'open', ...cut }] });
  const reports = join(folder, 'cut');
  const args = ['--stacks', stacks, '--systems', 'always,everysec', '--no-live', '--reports', reports];
  const { code, stderr } = await runCommand([profile, '--workloads', 'counters', ...args]);
  assert.equal(code, 0, stderr);
  const { records } = newestRun(reports);
  /** @param {string} system */
  const of = (system) => {
    const record = records.find((r) => r.system === system);
    assert.ok(record?.recovery && record.recovery.acked > ratePerSec, `${system}: ${record?.reason}`);
    return record.recovery;
  };
  assert.equal(of('always').lost, 0);
  assert.ok(of('everysec').lost <= 2 * ratePerSec, JSON.stringify(of('everysec')));
  assert.ok(of('everysec').recovered > 0);
});
