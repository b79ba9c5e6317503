import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { service } from '../engines/testing.js';
import {
  addSystem,
  eventually,
  newestRun,
  nothingIsLeft,
  processesWith,
  responder,
  runCommand,
  shortProfile,
  startCommand,
  temporaryFolder,
} from './harness.js';

const folder = temporaryFolder();
const stacks = join(folder, 'stacks');
const common = ['--stacks', stacks, '--no-live'];

/**
 * A counting responder with a second one beside it: what it does to the run is real, what it stores is not asked.
 * @param {string} id
 * @param {object} companion over the usual one
 */
function addSystemWithStore(id, companion) {
  const { build } = responder();
  const binary = join(build.output, 'null');
  const store = {
    name: 'store',
    needs: [{ binary: 'no-such-store' }],
    start: [binary, '--resp', '127.0.0.1:{port.store}', '--counting'],
    ready: { tcp: { send: 'PING\r\n', expect: '+PONG' }, timeoutSec: 10 },
    ...companion,
  };
  const native = { start: [binary, '--resp', '127.0.0.1:{port}', '--counting'], companions: [store] };
  addSystem(stacks, id, { more: { native } });
}

test('without its program the system is unavailable with what to type', async () => {
  addSystemWithStore('storeless', {});
  const run = await runCommand([shortProfile(folder), ...common, '--systems', 'storeless']);
  assert.equal(run.code, 2, run.stderr);
  assert.match(run.stderr, /storeless: no-such-store is missing: put no-such-store on PATH/);
});

test('a helper process that dies under load fails the measurement by name, and nothing is left', async () => {
  const script = join(folder, 'service.mjs');
  writeFileSync(
    script,
    "import { createServer } from 'node:net';\n" +
      "createServer((s) => s.on('error', () => {}).on('data', () => s.write('+PONG\\r\\n')))\n" +
      "  .listen(Number(process.argv[3]), '127.0.0.1');\n" +
      "console.log('out of memory soon');\n" +
      'setTimeout(() => process.exit(9), 4000);\n',
  );
  const start = service('store', '{port.store}').map((word) => word.replace('{stack}', folder));
  addSystemWithStore('fragile', { needs: [], start });
  const reports = join(folder, 'fragile');
  const steps = [{ id: 'c2', model: /** @type {const} */ ('closed'), vus: 2, durationSec: 10 }];
  const profile = shortProfile(folder, { steps });
  const run = await runCommand([profile, ...common, '--systems', 'fragile', '--reports', reports]);
  assert.equal(run.code, 3, run.stderr);
  const [record] = newestRun(reports).records.filter((r) => r.system === 'fragile');
  assert.equal(record.reason, 'the system ended under the load (its store, with code 9)');
  assert.deepEqual(record.logTail, ['out of memory soon']);
  await nothingIsLeft('--counting');
});

for (const [how, signal, code] of /** @type {const} */ ([
  ['Ctrl-C', 'SIGINT', 130],
  ['SIGKILL of the runner', 'SIGKILL', 137],
])) {
  test(`${how} leaves neither the system nor its helper process`, async (t) => {
    if (process.platform !== 'linux') return t.skip('needs the parent-death signal of Linux');
    addSystemWithStore('lasting', { needs: [] });
    const steps = [{ id: 'c2', model: /** @type {const} */ ('closed'), vus: 2, durationSec: 30 }];
    const reports = join(folder, `lasting-${signal}`);
    const profile = shortProfile(folder, { steps });
    const run = startCommand([profile, ...common, '--systems', 'lasting', '--reports', reports]);
    const both = () => processesWith('--counting').length === 2;
    assert.ok(await eventually(() => both() && existsSync(reports), 60_000), run.stderr());
    run.child.kill(signal);
    assert.equal((await run.ended).code, code);
    assert.ok(await eventually(() => processesWith('--counting').length === 0), 'a server is left');
    const cleaned = await runCommand(['clean']);
    assert.equal(cleaned.code, 0, cleaned.stderr);
    await nothingIsLeft('--counting');
  });
}
