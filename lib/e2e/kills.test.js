/**
 * Kills under a paced load: what servers lose and store twice of which it is known, where each write is counted by itself.
 * Of entities a sum is compared: how many are under way at the kill, and may hide lost ones, asks for a machine of its own.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chaosOf, run } from './chaos-systems.js';
import { MUTANT, processesWith } from './harness.js';

test('a kill: 1 lost acknowledged write in 1 000 is found, and a duplicated one; a server that keeps all loses none', async () => {
  const of = await run('kill', 'honest,forgets,doubles', [{ kind: 'kill', atSec: 4 }]);
  assert.equal(of.code, 0, of.stderr);
  const honest = chaosOf(of, 'honest', 'kill');
  assert.deepEqual([honest.lost, honest.twice], [0, 0]);
  assert.ok(honest.acked > 1500, `${honest.acked}`);
  const { firstSuccessMs, restoredMs, restartMs } = honest;
  assert.ok(firstSuccessMs !== null && firstSuccessMs > 20 && firstSuccessMs < 3000, `${firstSuccessMs}`);
  // The first success is counted from the signal, p99 from the process's end, which a busy machine delays.
  assert.ok(restoredMs === null || restoredMs >= firstSuccessMs - 500, `${restoredMs}, ${firstSuccessMs}`);
  assert.ok(restartMs !== null && restartMs > 0);
  const forgets = chaosOf(of, 'forgets', 'kill');
  assert.ok(forgets.lost >= 1 && forgets.lost < 6 && forgets.twice === 0, JSON.stringify(forgets));
  const doubles = chaosOf(of, 'doubles', 'kill');
  assert.ok(doubles.twice >= 1 && doubles.twice < 6 && doubles.lost === 0, JSON.stringify(doubles));
  assert.match(of.report, /## Faults under load/);
  assert.deepEqual(processesWith(MUTANT), []);
});

test('a kill: an event server that forgets 1 in 1 000 acknowledged events is seen, and one that keeps them is not', async () => {
  // Up to 20 batches of 50 are in doubt at the kill: by their sum alone they would hide more than what is forgotten.
  const load = { vus: 20, ratePerSec: 100 };
  const of = await run(
    'kill-events',
    'keeps-events,forgets-events',
    [{ kind: 'kill', atSec: 4 }],
    load,
    'events',
  );
  assert.equal(of.code, 0, of.stderr);
  const keeps = chaosOf(of, 'keeps-events', 'kill');
  assert.equal(keeps.lost, 0, JSON.stringify(keeps));
  const forgets = chaosOf(of, 'forgets-events', 'kill');
  // 20 of 4 s of 5000 events a second, and fewer where the machine is too slow for these.
  assert.ok(forgets.lost >= 5 && forgets.lost <= 25, JSON.stringify(forgets));
});

test('a kill: a document server that forgets 1 in 1 000 acknowledged documents is seen, and one that keeps them is not', async () => {
  const of = await run(
    'kill-documents',
    'keeps-documents,forgets-documents',
    [{ kind: 'kill', atSec: 5 }],
    { vus: 20, ratePerSec: 400 },
    'documents',
  );
  assert.equal(of.code, 0, of.stderr);
  const keeps = chaosOf(of, 'keeps-documents', 'kill');
  assert.deepEqual([keeps.lost, keeps.twice], [0, 0], JSON.stringify(keeps));
  assert.ok(keeps.acked > 1500, `${keeps.acked}`);
  const forgets = chaosOf(of, 'forgets-documents', 'kill');
  assert.ok(forgets.lost >= 1 && forgets.lost < 6 && forgets.twice === 0, JSON.stringify(forgets));
});
