import assert from 'node:assert/strict';
import { test } from 'node:test';
import { busynessOf, busynessText, machineBusyness } from './busyness.js';

test('what others use and what the hypervisor takes is one line, our own CPU left out', () => {
  const before = { busySec: 100, totalSec: 1000, stealSec: 10 };
  const after = { busySec: 101.2, totalSec: 1002, stealSec: 10.06 };
  const found = busynessOf(before, after, { elapsedSec: 1, ownSec: 0.3 });
  assert.deepEqual(found, { cores: 2, foreignCores: 0.9, stealRatio: 0.03 });
  assert.equal(found && busynessText(found), '0.9 of 2 cores busy with others, steal 3 %');
});

test('a kernel that does not tell gives nothing', () => {
  const none = { busySec: 0, totalSec: 0, stealSec: 0 };
  assert.equal(busynessOf(none, none, { elapsedSec: 1, ownSec: 0 }), null);
});

test('this machine has cores, and nobody uses more of them than there are', async (t) => {
  const found = await machineBusyness(100);
  if (process.platform !== 'linux') return t.skip('needs /proc/stat');
  assert.ok(found && found.cores >= 1 && found.foreignCores <= found.cores * 1.5);
});
