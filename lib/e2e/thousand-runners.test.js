import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runTool } from '../process/tool.js';

test('the results of 1000 runners become one in 500 MB, and no operation is lost', async () => {
  // By its own limits: exit 1 where a window lacks an operation, or beyond its memory and CPU.
  const bench = await runTool([process.execPath, 'scripts/bench-merge.mjs', '1000']);
  assert.ok(bench.ok, bench.stdout + bench.stderr);
  const [, peakMb, kbEach] = /^1000 runners: .* peak (\d+) MB, (\d+) kB a runner$/m.exec(bench.stdout) ?? [];
  assert.ok(Number(peakMb) <= 500, bench.stdout);
  assert.ok(Number(kbEach) > 50, 'each is as full as that of a real load');
});
