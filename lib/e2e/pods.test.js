import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { freePort } from '../process/ports.js';
import { runTool } from '../process/tool.js';
import { runCommand, startResponder, systemsOf, temporaryFolder } from './harness.js';

/** What `--render-only` prints, carried out as docs/cluster.md says, on the stand-in for a cluster. */
const folder = temporaryFolder();
const RUNNERS = 3;

/** @type {Awaited<ReturnType<typeof startResponder>> | null} */
let server = null;
after(() => server?.stop());

test('runners of a rendered TestRun begin together, and their logs are one result', async (t) => {
  if (process.platform !== 'linux') return t.skip('needs more than one address of loopback');
  const [stack] = systemsOf('counters');
  assert.ok(stack);
  const scheme = stack.manifest.endpoint.url.split(':')[0];
  server = await startResponder();

  const profile = join(folder, 'short.json');
  const steps = [{ id: 'c7', model: 'closed', vus: 7, durationSec: 3 }];
  writeFileSync(
    profile,
    JSON.stringify({
      ...{ title: 'Short', seed: 5, repeats: 1, workloads: ['counters'], warmupSec: 1, coolDownSec: 0 },
      ...{ drive: 'burst', dataset: { keys: 100 }, steps, thresholds: { errorRatio: 0.001 } },
    }),
  );
  const { code, stdout, stderr } = await runCommand([
    ...[profile, '--generators', String(RUNNERS), '--on', 'kubernetes', '--render-only'],
    ...['--endpoint', `${stack.id}=${scheme}://db.load.svc:6379`],
  ]);
  assert.equal(code, 0, stderr);

  const cluster = join(folder, 'cluster');
  mkdirSync(cluster);
  const env = {
    ...{ STAND_IN_CLUSTER: cluster, STAND_IN_API_PORT: String(await freePort()) },
    STAND_IN_HOSTS: `db.load.svc:6379=127.0.0.1:${server.port}`,
  };
  const standIn = fileURLToPath(new URL('./stand-in-kubectl.js', import.meta.url));
  const kubectl = async (/** @type {string[]} */ args, input = '') => {
    const done = await runTool([process.execPath, standIn, ...args], { env, input });
    assert.ok(done.ok, done.stderr);
    return done.stdout;
  };
  await kubectl(['create'], stdout);
  const { items } = JSON.parse(await kubectl(['get', 'testruns.k6.io', '--output', 'json']));
  const { name } = items[0].metadata;
  for (const until = Date.now() + 60_000; ; ) {
    const { status } = JSON.parse(await kubectl(['get', `testruns.k6.io/${name}`, '--output', 'json']));
    if (status?.stage === 'finished') break;
    assert.ok(Date.now() < until, `still ${status?.stage}`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  const files = [];
  for (let runner = 1; runner <= RUNNERS; runner++) {
    const file = join(folder, `runner-${runner}.log`);
    writeFileSync(file, await kubectl(['logs', `${name}-${runner}-pod`]));
    files.push(file);
  }
  await kubectl(['delete', `testruns.k6.io/${name}`]);

  const script = ['scripts/merge-runners.mjs'];
  const merged = await runTool([process.execPath, ...script, ...files]);
  const { startSkewMs, windows } = JSON.parse(merged.stdout);
  assert.equal(merged.code, startSkewMs > 50 ? 4 : 0, merged.stderr);
  const measured = windows.filter((/** @type {any} */ w) => w.phase === 'measure');
  assert.deepEqual(measured.map((/** @type {any} */ w) => w.operation).sort(), ['get', 'increment', 'ping']);
  for (const w of measured) {
    assert.ok(w.count > 100 && w.serviceMs.p99 > 0, JSON.stringify(w));
    assert.deepEqual(Object.values(w.errors).filter(Boolean), []);
  }

  writeFileSync(files[1], readFileSync(files[1], 'utf8').replace(/ladderbench-result 1\/.*\n/, ''));
  const torn = await runTool([process.execPath, ...script, ...files]);
  assert.equal(torn.code, 4);
  assert.match(torn.stderr, /^runner-2\.log: its log lacks piece 1 of \d+ of the result$/m);
  const [first, , third] = files;
  const twice = await runTool([process.execPath, ...script, first, first, third]);
  assert.match(twice.stderr, /runner-1\.log: it ran the segment 0:1\/3, and of 3 it would be 1\/3:2\/3/);
});
