import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { parseAllDocuments } from 'yaml';
import { readRun } from '../figures/run.js';
import { freePort } from '../process/ports.js';
import { runTool } from '../process/tool.js';
import {
  eventually,
  newestRun,
  runCommand,
  shortProfile,
  startCommand,
  startResponder,
  systemsOf,
  temporaryFolder,
} from './harness.js';

/**
 * `--on kubernetes`, with a stand-in for kubectl, the cluster and the operator: processes in place of pods, at addresses of
 * loopback. The last test meets a real cluster, where CLUSTER_ENDPOINT says what its pods reach there.
 */
const folder = temporaryFolder();
const STAND_IN = fileURLToPath(new URL('./stand-in-kubectl.js', import.meta.url));
const RIGHTS = join(folder, 'rights.json');
const roles = parseAllDocuments(readFileSync(new URL('../kubernetes/rights.yaml', import.meta.url), 'utf8'));
writeFileSync(RIGHTS, JSON.stringify(roles.flatMap((role) => role.toJS().rules ?? [])));
const skip = process.platform === 'linux' ? false : 'needs more than one address of loopback';
const [stack] = systemsOf('counters');
assert.ok(stack);
const ENDPOINT = `${stack.id}=${stack.manifest.endpoint.url.split(':')[0]}://db.load.svc:6379`;

/**
 * A cluster of its own, with a system that nobody else stores on.
 * @param {string} name
 * @param {Record<string, string>} [more]
 */
async function cluster(name, more = {}) {
  const server = await startResponder();
  after(() => server.stop());
  const objects = join(folder, name);
  const bin = join(folder, `${name}-bin`);
  for (const made of [objects, bin]) mkdirSync(made, { recursive: true });
  symlinkSync(STAND_IN, join(bin, 'kubectl'));
  const reports = join(folder, `${name}-reports`);
  const profiles = join(folder, `${name}-profile`);
  mkdirSync(profiles);
  const env = {
    ...{ PATH: `${bin}:${process.env.PATH}`, STAND_IN_CLUSTER: objects },
    ...{ STAND_IN_API_PORT: String(await freePort()), STAND_IN_RIGHTS: RIGHTS },
    ...{ STAND_IN_HOSTS: `db.load.svc:6379=127.0.0.1:${server.port}`, ...more },
  };
  /** @type {(loads: ReturnType<typeof steps>, generators: number) => string[]} */
  const args = (loads, generators) => argsOf(reports, shortProfile(profiles, { steps: loads }), generators);
  return {
    ...{ env, reports, server, args },
    objects: () => readdirSync(objects).filter((f) => f.endsWith('.json')),
  };
}

/** @param {string} reports @param {string} profile @param {number} generators */
function argsOf(reports, profile, generators) {
  return [
    ...[profile, '--generators', String(generators), '--on', 'kubernetes', '--endpoint', ENDPOINT],
    ...['--reports', reports],
  ];
}

/** @param {number[]} users @param {number} [durationSec] */
function steps(users, durationSec = 3) {
  return users.map((vus) => ({ id: `c${vus}`, model: /** @type {const} */ ('closed'), vus, durationSec }));
}

/**
 * @param {'SIGINT' | 'SIGKILL'} signal to the runner while its pods are under load
 * @param {number} code that it ends with
 * @returns {Promise<string>} where its report is
 */
async function endedBy(signal, code) {
  const name = signal.toLowerCase();
  const { env, reports, objects, args } = await cluster(name);
  const run = startCommand(args(steps([4], 60), 2), { env });
  const loads = () => objects().filter((f) => /^pod\..*-load-/.test(f)).length;
  assert.ok(await eventually(() => loads() >= 2, 180_000), run.stderr());
  run.child.kill(signal);
  assert.equal((await run.ended).code, code, run.stderr());
  assert.ok(await eventually(() => objects().length === 0, 20_000), objects().join(' '));
  assert.ok(await eventually(() => k6Of(name) === 0), 'its processes are gone');
  return reports;
}

/** @param {string} name of a cluster @returns {number} processes of its pods */
function k6Of(name) {
  return readdirSync('/proc').filter((pid) => {
    try {
      return (
        /^\d+$/.test(pid) &&
        readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`${join(folder, name)}/ladderbench/`)
      );
    } catch {
      return false;
    }
  }).length;
}

// Each has a cluster of its own, and waits for the most part: first of all the one that waits two minutes for a log.
describe('a load from pods', { concurrency: 6 }, () => {
  for (const [fault, what, why] of /** @type {const} */ ([
    ['log-hangs', 'does not come', /^its log could not be read: no answer in \d+ s$/],
    ['log-lost', 'is lost', /no result/],
    ['log-cut', 'lacks a line', /lost|lacks|missing|piece/],
    ['log-refused', 'may not be read', /^its log could not be read: Error from server \(Forbidden\)/],
  ]))
    test(`a pod’s log that ${what} is missed by name, and never counted`, { skip }, async () => {
      const { env, reports, objects, args } = await cluster(fault, { STAND_IN_OPERATOR: fault });
      const run = await runCommand(args(steps([4]), 2), { env });
      assert.equal(run.code, 4, run.stderr);
      const [record] = newestRun(reports).records;
      assert.equal(record.verdict.status, 'INVALID', fault);
      assert.deepEqual(
        record.generators?.missing.map((m) => m.runner),
        [2],
        fault,
      );
      assert.match(record.generators?.missing[0].problem ?? '', why, fault);
      assert.equal(record.oracle, null, 'nothing can be held against the state');
      assert.deepEqual(objects(), []);
    });

  test('a load from pods is measured, checked and reported, and leaves nothing', { skip }, async () => {
    const { env, reports, objects, args } = await cluster('whole', { STAND_IN_API: 'slow' });
    const run = await runCommand(args(steps([1, 7], 9), 3), { env });
    assert.ok([0, 4].includes(run.code ?? -1), run.stderr);
    assert.deepEqual(objects(), []);
    const { records, report, folder: at } = newestRun(reports);
    assert.deepEqual(records.map((r) => [r.step.vus, r.status, r.generators?.count]).sort(), [
      [1, 'ok', 1],
      [7, 'ok', 3],
    ]);
    for (const record of records) {
      assert.equal(record.generators?.on, 'kubernetes');
      assert.equal(record.generators?.nodes, 1);
      assert.deepEqual([record.generators?.missing, record.generators?.restarted], [[], []]);
      assert.deepEqual([record.oracle?.ok, record.oracle?.stored], [true, record.oracle?.acked]);
      assert.ok((record.oracle?.acked ?? 0) > 100);
      assert.deepEqual(
        [record.resources.host, record.resources.system],
        [null, null],
        'this machine is not theirs',
      );
      assert.match(record.systemPods?.why ?? '', /^the context may not ask the kubelet: .*forbidden/);
      assert.equal(record.version, null, 'it was not seen from here');
    }
    assert.match(
      report,
      / · Kubernetes v0\.0\.0-stand-in, whose nodes may not be looked at, load generator in pods/,
    );
    assert.match(report, /--endpoint \S+db\.load\.svc:6379 --generators 3 --on kubernetes/);
    assert.doesNotMatch(report, /load generator on the same machine|load before/);
    const verified = await runCommand(['report', at, '--verify']);
    assert.equal(verified.code, 0, verified.stderr);
  });

  test('where the kubelet may be asked, the CPU and memory of the system’s pods are known', {
    skip,
  }, async () => {
    const { env, reports, server, args } = await cluster('seen');
    // One window of half a minute: a kubelet looks each ten seconds, or later on a busy machine.
    const loads = steps([16], 36).map((s) => ({ ...s, focus: true }));
    const run = await runCommand(args(loads, 2), { env: { ...env, STAND_IN_KUBELET: String(server.pid) } });
    assert.ok([0, 4].includes(run.code ?? -1), run.stderr);
    const { records, folder: at } = newestRun(reports);
    const [{ resources, operations, systemPods }] = records;
    assert.deepEqual(systemPods, { pods: 1, why: null });
    const { cpuCores = 0, rssPeakBytes = 0 } = resources.system ?? {};
    // Where others fill the machine, it gets little of it.
    assert.ok(cpuCores > 0.01 && cpuCores < 2, `${cpuCores} cores`);
    assert.ok(Number(rssPeakBytes) > 100_000, `${rssPeakBytes} bytes`);
    for (const { systemCpuUsPerOp } of Object.values(operations)) assert.ok(Number(systemCpuUsPerOp) > 0);
    assert.match(
      readFileSync(join(at, 'README.md'), 'utf8'),
      /\| CPU and memory of [^|]+ \| from the kubelets of its 1 pod in 1 of 1 measurements \|/,
    );
    const verified = await runCommand(['report', at, '--verify']);
    assert.equal(verified.code, 0, verified.stderr);
  });

  test('a runner whose pod is lost is missed by name, and the others’ figures are none', {
    skip,
  }, async () => {
    const { env, reports, objects, args } = await cluster('short', { STAND_IN_OPERATOR: 'one-lost' });
    const run = await runCommand(args(steps([4]), 2), { env });
    assert.equal(run.code, 4, run.stderr);
    const [record] = newestRun(reports).records;
    assert.deepEqual(record.generators?.missing, [{ runner: 2, problem: 'it has no pod' }]);
    assert.equal(record.oracle, null);
    assert.deepEqual(objects(), []);
  });

  test('a runner whose pod stands still is not waited for without end, and named', { skip }, async () => {
    const { env, reports, objects, args } = await cluster('one-hangs', { STAND_IN_OPERATOR: 'one-hangs' });
    const run = await runCommand(args(steps([4]), 2), { env });
    const [record] = newestRun(reports).records;
    assert.ok([3, 4].includes(run.code ?? -1), run.stderr);
    assert.notEqual(record.verdict.status, 'VALID');
    assert.match(
      `${record.reason} ${JSON.stringify(record.generators)}`,
      /had not ended|did not end in \d+ s/,
    );
    assert.deepEqual(objects(), []);
  });

  for (const [fault, code, of] of /** @type {const} */ ([
    ['one-restarted', 'runner_restarted', 'a runner that is started twice'],
    ['one-late', 'start_skew', 'a runner that begins after the others'],
  ]))
    test(`${of} makes a measurement INVALID, and --resume repeats it`, { skip }, async () => {
      const { env, reports, objects, args } = await cluster(fault);
      const run = await runCommand(args(steps([4]), 2), { env: { ...env, STAND_IN_OPERATOR: fault } });
      assert.equal(run.code, 4, run.stderr);
      const { folder: at, records: first } = newestRun(reports);
      assert.equal(first[0].status, 'ok', first[0].reason ?? '');
      assert.deepEqual(first[0].generators?.missing, []);
      assert.equal(first[0].verdict.status, 'INVALID');
      const reason = first[0].verdict.reasons.find((r) => r.code === code);
      assert.ok(reason, JSON.stringify(first[0].verdict));
      if (code === 'runner_restarted') assert.equal(reason.measured, 'runner 2 of 2');

      const resumed = await runCommand(['--resume', at], { env });
      assert.ok([0, 4].includes(resumed.code ?? -1), resumed.stderr);
      const [again] = newestRun(reports).records;
      assert.ok(String(again.startedAt) > String(first[0].startedAt), 'it was measured again');
      assert.deepEqual([again.generators?.missing, again.generators?.restarted], [[], []]);
      assert.deepEqual([again.oracle?.ok, again.oracle?.stored], [true, again.oracle?.acked]);
      assert.deepEqual(objects(), []);
    });

  test('an operator that does not take up a load is one line', { skip }, async () => {
    const { env, reports, objects, args } = await cluster('idle', { STAND_IN_OPERATOR: 'none' });
    const run = await runCommand(args(steps([4]), 2), { env });
    assert.equal(run.code, 3, run.stderr);
    assert.match(
      newestRun(reports).records[0].reason ?? '',
      /^the k6 operator did not take the TestRun up within \d+ s/,
    );
    assert.deepEqual(objects(), []);
  });

  test('Ctrl-C during a load leaves nothing on the cluster', { skip }, async () => {
    const reports = await endedBy('SIGINT', 130);
    const [name] = readdirSync(reports).filter((n) => n.startsWith('20'));
    const plan = JSON.parse(readFileSync(join(reports, name, 'plan.json'), 'utf8'));
    assert.deepEqual(
      readRun(join(reports, name), plan).records.map((r) => r.status),
      ['aborted'],
    );
  });

  test('a runner that is killed outright during a load leaves nothing on the cluster', {
    skip,
  }, async () => {
    await endedBy('SIGKILL', 137);
  });

  test('without kubectl, a cluster or its operator a run is refused in one line, before anything is made', async () => {
    const reports = join(folder, 'refused');
    const args = argsOf(reports, shortProfile(folder), 2);
    const bin = join(folder, 'refusing');
    mkdirSync(bin);
    /** @param {string} text of a kubectl that knows only that */
    const saying = (text) => {
      writeFileSync(join(bin, 'said'), text);
      writeFileSync(join(bin, 'kubectl'), `#!/bin/sh\ncat '${bin}/said' >&2\nexit 1\n`, { mode: 0o755 });
      return { PATH: `${bin}:${process.env.PATH}` };
    };
    for (const [said, line] of /** @type {const} */ ([
      [
        `error: the server doesn't have a resource type "testruns"`,
        'the cluster has no k6 operator: it does not know',
      ],
      [
        'The connection to the server localhost:8080 was refused',
        'the cluster cannot be asked: The connection',
      ],
      [
        'Error from server (Forbidden): testruns.k6.io is forbidden',
        'the cluster refuses: Error from server',
      ],
    ])) {
      const { code, stderr } = await runCommand(args, { env: saying(said) });
      assert.equal(code, 2);
      assert.ok(stderr.includes(`error: ${line}`), stderr);
    }
    assert.deepEqual(await runTool(['ls', reports]).then((r) => r.stdout), '', 'no run was begun');
  });

  test('a real cluster, where one is given', async (t) => {
    const endpoint = process.env.CLUSTER_ENDPOINT;
    if (!endpoint) return t.skip('CLUSTER_ENDPOINT=system=url says what the pods of kubectl’s cluster reach');
    const reports = join(folder, 'real');
    const namespace = process.env.CLUSTER_NAMESPACE;
    const cpus = process.env.CLUSTER_CPUS ?? '1';
    const run = await runCommand([
      ...[shortProfile(folder, { steps: steps([1, 8], 5) }), '--generators', '2', '--on', 'kubernetes'],
      ...['--endpoint', endpoint, '--reports', reports, '--generator-cpus', cpus],
      ...(namespace ? ['--namespace', namespace] : []),
    ]);
    assert.ok([0, 4].includes(run.code ?? -1), run.stderr);
    for (const record of newestRun(reports).records) {
      assert.equal(record.status, 'ok', record.reason ?? '');
      assert.deepEqual(record.generators?.missing, []);
      assert.deepEqual([record.oracle?.ok, record.oracle?.stored], [true, record.oracle?.acked]);
    }
    const kinds = 'testruns.k6.io,jobs,pods,services,configmaps';
    const left = await runTool(
      ['kubectl', ...(namespace ? ['--namespace', namespace] : []), 'get', kinds].concat([
        ...['--selector', 'app.kubernetes.io/managed-by=ladderbench', '--output', 'name'],
      ]),
    );
    assert.equal(left.stdout.trim(), '');
  });
});
