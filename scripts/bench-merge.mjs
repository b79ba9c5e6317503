/**
 * How long, and in how much memory, the results of many runners become one: `node scripts/bench-merge.mjs [runners…]`.
 * The runners are made up (three windows of 30 s, with histograms as full as those of a real load); they lie on disk,
 * with checksums, as those of a run do. A line for each number of runners; exit 1 beyond 10 CPU-seconds or 500 MB: others may use the machine.
 */
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMerge } from '../lib/record/merge-runners.js';
import { readRunnerResult } from '../lib/record/runner-result.js';
import { syntheticRunner } from '../lib/record/testing-runners.js';
import { createRng } from '../lib/stats/rng.js';

const LIMIT = Object.freeze({ cpuSec: 10, bytes: 500e6 });
const DIFFERENT = 20;
const LOAD = Object.freeze({ seconds: 30, operations: 1_000_000 });

const asked = process.argv.slice(2).map(Number);
const folder = mkdtempSync(join(tmpdir(), 'lb-merge-'));
try {
  const random = createRng(1);
  const files = Array.from({ length: DIFFERENT }, (_, i) => {
    const histograms = JSON.stringify(syntheticRunner(random, LOAD));
    const sha256 = createHash('sha256')
      .update('{"metrics":{}}')
      .update('\n')
      .update(histograms)
      .digest('hex');
    const path = join(folder, `${i}.json`);
    writeFileSync(path, JSON.stringify({ schemaVersion: 1, summary: '{"metrics":{}}', histograms, sha256 }));
    return path;
  });
  for (const runners of asked.length > 0 ? asked : [1, 10, 100, 1000]) {
    const begun = performance.now();
    const cpuBegun = process.cpuUsage();
    const merge = createMerge();
    let bytes = 0;
    for (let i = 0; i < runners; i++) {
      const text = readFileSync(files[i % DIFFERENT], 'utf8');
      bytes += text.length;
      const { histograms, summary } = readRunnerResult(text);
      merge.add(i + 1, histograms, summary);
    }
    const { histograms } = merge.end();
    const sec = (performance.now() - begun) / 1000;
    const { user, system } = process.cpuUsage(cpuBegun);
    const cpuSec = (user + system) / 1e6;
    const peakBytes = process.resourceUsage().maxRSS * 1024;
    const counted = histograms.windows.every((w) => w.count === runners * LOAD.operations);
    const kb = Math.round(bytes / runners / 1000);
    process.stdout.write(
      `${runners} runners: ${sec.toFixed(2)} s, ${cpuSec.toFixed(2)} CPU-s, peak ${Math.round(peakBytes / 1e6)} MB, ${kb} kB a runner\n`,
    );
    if (!counted || cpuSec > LIMIT.cpuSec || peakBytes > LIMIT.bytes) process.exitCode = 1;
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
