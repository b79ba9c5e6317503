import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { BenchError } from '../errors.js';
import { abandonedFolders, cacheWorkFolder, temporaryFolder } from './temporary.js';

test('what a killed build or unpacking left in the cache is abandoned, what one under way has there is not', (t) => {
  const cache = mkdtempSync(join(tmpdir(), 'lb-cache-'));
  const before = process.env.LADDERBENCH_CACHE;
  process.env.LADDERBENCH_CACHE = cache;
  t.after(() => {
    if (before === undefined) delete process.env.LADDERBENCH_CACHE;
    else process.env.LADDERBENCH_CACHE = before;
    rmSync(cache, { recursive: true, force: true });
  });
  const ofCache = () => abandonedFolders().filter((path) => path.startsWith(cache));
  assert.deepEqual(ofCache(), [], 'a cache that is not there yet holds nothing');
  const own = cacheWorkFolder('build');
  assert.ok(existsSync(own));
  const left = join(cache, 'work', `ladderbench-${spawnSync('true').pid}-build-abc123`);
  mkdirSync(left);
  assert.deepEqual(ofCache(), [left]);
});

test('a folder that cannot be made is one line', () => {
  const nowhere = join(tmpdir(), 'lb-nowhere', 'at-all');
  assert.throws(
    () => temporaryFolder('x', nowhere),
    (error) =>
      error instanceof BenchError && error.message.startsWith(`cannot make a folder in ${nowhere}: `),
  );
});
