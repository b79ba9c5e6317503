import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { mountsBelow, unmountBelow } from './mounts.js';

test('mounts in a folder are found and removed, also a name with a blank and a busy mount', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'lb-mounts-'));
  const inner = join(folder, 'a b');
  mkdirSync(inner);
  t.after(() => {
    spawnSync('umount', ['-l', inner]);
    rmSync(folder, { recursive: true, force: true });
  });
  assert.deepEqual(mountsBelow(folder), []);
  assert.deepEqual(unmountBelow(folder), []);
  if (spawnSync('mount', ['-t', 'tmpfs', 'none', inner]).status !== 0)
    return t.skip('nothing can be mounted here');
  writeFileSync(join(inner, 'file'), '');
  assert.deepEqual(mountsBelow(folder), [inner]);
  assert.deepEqual(mountsBelow(folder.slice(0, -1)), [], 'a neighbour’s name is longer');
  assert.deepEqual(unmountBelow(folder), [inner]);
  assert.equal(existsSync(join(inner, 'file')), false);
});
