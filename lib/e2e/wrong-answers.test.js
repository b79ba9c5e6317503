import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { addSystem, newestRun, runCommand, shortProfile, temporaryFolder } from './harness.js';

const SERVER = fileURLToPath(new URL('wrong-answers.js', import.meta.url));
const FAULTS = ['none', 'constant', 'null', 'other', 'neighbour', 'stray', 'silent', 'extra', 'closes'];

test('wrong answers with right sums and types are seen: in replies by value, in the state by counter', async () => {
  const folder = temporaryFolder();
  const stacks = join(folder, 'stacks');
  for (const fault of FAULTS)
    addSystem(stacks, fault, {
      more: { native: { start: [process.execPath, SERVER, '{port}', fault] } },
    });
  const profile = shortProfile(folder, {
    warmupSec: 0,
    steps: [{ id: 'c4', model: 'closed', vus: 4, durationSec: 3 }],
  });
  const { code, stderr } = await runCommand([
    ...[profile, '--stacks', stacks, '--no-live', '--systems', FAULTS.join(',')],
    ...['--reports', join(folder, 'reports')],
  ]);
  assert.equal(code, 4, stderr);
  const { records } = newestRun(join(folder, 'reports'));
  const codesOf = (/** @type {string} */ system) => {
    const own = records.find((r) => r.system === system);
    assert.equal(own?.status, 'ok', String(own?.reason));
    return (own?.verdict.reasons ?? []).map((r) => r.code);
  };
  const grave = (/** @type {string} */ system) =>
    codesOf(system).filter((c) => ['oracle', 'errors'].includes(c));
  assert.deepEqual(grave('none'), [], 'an honest one is not accused');
  for (const fault of ['constant', 'null', 'other', 'silent', 'closes'])
    assert.ok(grave(fault).includes('errors'), `${fault}: ${codesOf(fault)}`);
  for (const fault of ['neighbour', 'stray', 'extra'])
    assert.ok(grave(fault).includes('oracle'), `${fault}: ${codesOf(fault)}`);
  const stray = records.find((r) => r.system === 'stray');
  assert.match(String(stray?.oracle?.detail), /hold more than was sent to them/);
});
