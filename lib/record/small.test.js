import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, lstatSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../paths.js';
import { ARCHIVE } from './archive.js';

/** What a clone without history fetches: every run is in it, and there will be more of them. */
const MOST_MB = Object.freeze({ run: 1.5, tree: 20 });

test(`the data of a committed run take at most ${MOST_MB.run} MB, the tree ${MOST_MB.tree} MB`, (t) => {
  const reports = join(ROOT, 'reports');
  for (const run of readdirSync(reports)) {
    const archive = join(reports, run, ARCHIVE);
    if (!existsSync(archive)) continue;
    const size = statSync(archive).size;
    assert.ok(size <= MOST_MB.run * 1e6, `${run}: ${size} bytes`);
  }
  if (!existsSync(join(ROOT, '.git'))) return t.skip('no clone: which files are committed is not known');
  const files = String(execFileSync('git', ['ls-files', '-z'], { cwd: ROOT, maxBuffer: 1 << 26 })).split(
    '\0',
  );
  const present = files.filter((f) => f && existsSync(join(ROOT, f)));
  const total = present.reduce((sum, f) => sum + lstatSync(join(ROOT, f)).size, 0);
  assert.ok(total <= MOST_MB.tree * 1e6, `${total} bytes`);
});
