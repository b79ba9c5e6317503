import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { segmentOf, sequenceOf } from '../../k6/schedule/segments.js';
import { loadStacks } from '../config/stacks.js';
import { begin, waitsToBegin } from '../generator/k6.js';
import { freePort } from '../process/ports.js';
import { runTool } from '../process/tool.js';
import { generatorBuild, isBuilt, runBuild } from '../setup/builds.js';
import { responder, runCommand, temporaryFolder } from './harness.js';

/**
 * What `--render-only` prints, carried out here: the files of the ConfigMap, and for each runner the command line and the
 * variables that the k6 operator gives a pod. Addresses of pods are addresses of loopback. No cluster is seen.
 */
const folder = temporaryFolder();
const RUNNERS = 3;
/** The operator's starter tells one after another to go. */
const BETWEEN_MS = 300;

/** @type {import('node:child_process').ChildProcess[]} */
const started = [];
after(() => {
  for (const child of started) child.kill('SIGKILL');
});

test('runners of a rendered TestRun begin together, and their logs are one result', async (t) => {
  if (process.platform !== 'linux') return t.skip('needs more than one address of loopback');
  const { build } = responder();
  const stack = loadStacks().stacks.find((s) => !s.id.startsWith('_') && s.manifest.workloads.counters);
  assert.ok(stack);
  const scheme = stack.manifest.endpoint.url.split(':')[0];
  const k6 = generatorBuild();
  for (const one of [build, k6]) if (!isBuilt(one)) await runBuild(one);
  const [port, api] = [await freePort(), await freePort()];
  started.push(spawn(join(build.output, 'null'), ['--resp', `127.0.0.1:${port}`, '--counting']));

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
  const [configMap, testRun] = stdout.split(/^---$/m).map((d) => JSON.parse(d.replace(/^#.*$/gm, '')));
  const { spec, metadata } = testRun;
  for (const { key, path } of spec.runner.volumes[0].configMap.items) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), configMap.data[key]);
  }
  const here = (/** @type {string} */ text) =>
    text
      .replaceAll('/ladderbench/', `${folder}/`)
      .replace('db.load.svc:6379', `127.0.0.1:${port}`)
      .replace(`${metadata.name}-service-{runner}:6565`, `127.0.0.{runner}:${api}`);
  const env = Object.fromEntries(spec.runner.env.map((/** @type {any} */ v) => [v.name, here(v.value)]));
  const pods = Array.from({ length: RUNNERS }, (_, i) => {
    const runner = i + 1;
    const child = spawn(
      join(k6.output, 'k6'),
      [
        ...['run', '--quiet', `--execution-segment=${segmentOf(runner, RUNNERS)}`],
        ...[`--execution-segment-sequence=${sequenceOf(RUNNERS)}`, ...spec.arguments.split(' ')],
        ...[here(spec.script.localFile), `--address=127.0.0.${runner}:${api}`, '--paused'],
        ...['--tag', `instance_id=${runner}`, '--tag', `testrun_name=${metadata.name}`],
      ],
      { env: { PATH: process.env.PATH, ...env }, cwd: '/' },
    );
    started.push(child);
    const log = { out: '', err: '' };
    child.stdout.setEncoding('utf8').on('data', (data) => (log.out += data));
    child.stderr.setEncoding('utf8').on('data', (data) => (log.err += data));
    const ended = new Promise((resolve) => child.once('close', resolve));
    return { host: `127.0.0.${runner}`, file: join(folder, `runner-${runner}.log`), log, ended };
  });
  for (const { host, log } of pods) {
    const until = Date.now() + 30_000;
    while (!(await waitsToBegin(api, host))) {
      assert.ok(Date.now() < until, `${host} is not ready: ${log.err}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
  for (const { host } of pods) {
    assert.ok(await begin(api, host));
    await new Promise((resolve) => setTimeout(resolve, BETWEEN_MS));
  }
  for (const { file, log, ended } of pods) {
    assert.equal(await ended, 0, log.err);
    writeFileSync(file, log.err + log.out);
  }
  const files = pods.map((p) => p.file);

  const script = ['scripts/merge-runners.mjs'];
  const merged = await runTool([process.execPath, ...script, ...files]);
  const { startSkewMs, windows } = JSON.parse(merged.stdout);
  assert.ok(startSkewMs < BETWEEN_MS, `${startSkewMs} ms apart, as they were told`);
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
