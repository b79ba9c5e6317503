import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { runGroup } from './tool.js';
import { within } from './within.js';

const TOOL = fileURLToPath(new URL('./tool.js', import.meta.url));

/** @param {number} pid */
function runs(pid) {
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return false;
  }
}

/** @param {number} pid */
async function gone(pid) {
  for (let i = 0; i < 100 && runs(pid); i++) await new Promise((resolve) => setTimeout(resolve, 50));
  return !runs(pid);
}

test('a tool of a group of its own says how it went, and leaves nothing behind', async () => {
  const failed = await runGroup(['sh', '-c', 'sleep 60 & echo "pid $!" >&2; exit 3'], { timeoutMs: 10_000 });
  assert.equal(failed.ok, false);
  const pid = Number(/pid (\d+)/.exec(failed.stderr)?.[1]);
  assert.ok(pid > 1, failed.stderr);
  if (process.platform === 'linux') assert.ok(await gone(pid), 'what it started lives on');
  assert.equal((await runGroup(['true'], { timeoutMs: 10_000 })).ok, true);
  assert.equal((await runGroup(['cat'], { timeoutMs: 10_000 })).ok, true, 'it reads nothing from us');
  assert.equal((await runGroup(['no-such-tool-anywhere'], { timeoutMs: 10_000 })).ok, false);
  const busy = 'i=0; while [ $i -lt 300000 ]; do i=$((i + 1)); done';
  const { cpuSec } = await runGroup(['sh', '-c', `sh -c '${busy}'; true`], { timeoutMs: 60_000 });
  assert.ok(cpuSec > 0.05 && cpuSec < 30, `what it started took ${cpuSec} s of CPU time`);
  const slow = await runGroup(['sleep', '60'], { timeoutMs: 100 });
  assert.equal(slow.ok, false);
  assert.match(slow.stderr, /ended after 100 ms/);
});

test('a build ends with its runner, its compilers too, by SIGTERM and by SIGKILL', async (t) => {
  if (process.platform !== 'linux') return t.skip('needs /proc');
  for (const signal of /** @type {const} */ (['SIGTERM', 'SIGKILL'])) {
    // The tool starts another one and waits for it, as cargo and go do.
    const script = `
      import { runGroup } from ${JSON.stringify(TOOL)};
      process.on('SIGTERM', () => process.exit(130));
      await runGroup(['sh', '-c', 'sleep 60 & echo $! >&3; wait'].map((w) => w.replace('&3', process.argv[1])), { timeoutMs: 60_000 });`;
    const out = join(mkdtempSync(join(tmpdir(), 'lb-tool-')), 'pid');
    const runner = spawn(process.execPath, ['--input-type=module', '-e', script, out], { stdio: 'ignore' });
    let pid = 0;
    await within(
      10_000,
      (async () => {
        while (!(pid > 1)) {
          await new Promise((resolve) => setTimeout(resolve, 20));
          try {
            pid = Number(readFileSync(out, 'utf8'));
          } catch {
            // Not written yet.
          }
        }
      })(),
    );
    assert.ok(runs(pid), 'the compiler runs');
    runner.kill(signal);
    assert.ok(await gone(pid), `after ${signal} of the runner its compiler lives on`);
  }
});
