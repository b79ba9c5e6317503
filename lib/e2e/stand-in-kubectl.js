#!/usr/bin/env node
/**
 * `kubectl`, a cluster of one machine and the k6 operator, as far as a load needs them: pods are processes, their addresses
 * are those of loopback, and what is asked of them is what the operator asks. No cluster is seen.
 *
 *   STAND_IN_CLUSTER  folder that is the cluster: an object a file, its processes' logs
 *   STAND_IN_API_PORT  of k6's REST API, in place of 6565: two clusters may be there at once
 *   STAND_IN_HOSTS    `name:port=address:port`, commas between: where the addresses of services lead
 *   STAND_IN_KUBELET  id of the process that stands for the system's pod, which the kubelet of node-1 tells of; absent: it may
 *     not be asked
 *   STAND_IN_RIGHTS   file of the rules of roles, as JSON: what none of them allows is refused; absent: everything is allowed
 *   STAND_IN_API      `slow`: a log is empty when it is asked for first, and every third question for pods has no answer
 *   STAND_IN_OPERATOR `none`: TestRuns are taken by nobody; `one-lost`: the pod of the last runner of each is gone
 *     soon after it has begun; `one-restarted`: its process is killed while it waits, and started again in its pod; `one-late`:
 *     its process stands still while the load begins; `one-hangs`: it stands still in the midst of the load, and does not end;
 *     `log-lost`: of the last runner of each the log is empty; `log-cut`: a line in its midst is lost; `log-hangs`: whoever
 *     asks for it gets no answer; `log-refused`: nobody may read it
 *
 * It is started for each question: what only a pod or the operator needs is imported there.
 */
import { spawn } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const CLUSTER = String(process.env.STAND_IN_CLUSTER);
const API_PORT = Number(process.env.STAND_IN_API_PORT);
const SLOW = process.env.STAND_IN_API === 'slow';
/** Until a load is under way. */
const LOST_MS = 2000;
/** Before and after the moment that the runners have agreed on. */
const STILL_MS = 600;

/** @param {string} kind @param {string} name */
const fileOf = (kind, name) => join(CLUSTER, `${kind}.${name}.json`);

/** @param {string} path @param {any} object */
function write(path, object) {
  writeWhole(path, JSON.stringify(object));
}

/** @param {string} path of a file that others may be reading @param {string} text */
function writeWhole(path, text) {
  const own = `${path}.${process.pid}.new`;
  writeFileSync(own, text);
  renameSync(own, path);
}

/** @param {string} kind @returns {any[]} */
function all(kind) {
  return readdirSync(CLUSTER)
    .filter((f) => f.startsWith(`${kind}.`) && f.endsWith('.json'))
    .flatMap((f) => read(join(CLUSTER, f)));
}

/** @param {string} path @returns {any[]} the object; none where there is none, any more */
function read(path) {
  try {
    return [JSON.parse(readFileSync(path, 'utf8'))];
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'ENOENT') return [];
    throw error;
  }
}

/** @param {string} kind */
const plain = (kind) =>
  ({ 'testruns.k6.io': 'testrun', pods: 'pod', configmaps: 'configmap', secrets: 'secret' })[kind] ?? kind;

/** @param {any} object @param {string} selector */
function matches({ metadata }, selector) {
  return selector.split(',').every((term) => {
    const [key, value] = term.split('=');
    return metadata.labels?.[key] === value;
  });
}

/** @type {{apiGroups: string[], resources: string[], verbs: string[]}[]} */
const rules = process.env.STAND_IN_RIGHTS
  ? JSON.parse(readFileSync(process.env.STAND_IN_RIGHTS, 'utf8'))
  : [];

/**
 * @param {string} resource as kubectl takes it: `pods`, `pods/log`, `testruns.k6.io`
 * @param {...string} verbs of the API
 */
function demandRight(resource, ...verbs) {
  if (!process.env.STAND_IN_RIGHTS) return;
  const [, plural, group = ''] = /^([^.]+)\.?(.*)$/.exec(resource) ?? [];
  for (const verb of verbs)
    if (
      !rules.some(
        (r) => r.apiGroups.includes(group) && r.resources.includes(plural) && r.verbs.includes(verb),
      )
    )
      fail(`Error from server (Forbidden): ${resource} is forbidden: cannot ${verb}`);
}

/** @type {Record<string, string>} */
const RESOURCES = { TestRun: 'testruns.k6.io', Pod: 'pods', ConfigMap: 'configmaps', Secret: 'secrets' };

/** @param {any} object */
function create(object) {
  demandRight(RESOURCES[object.kind], 'create');
  const kind = object.kind.toLowerCase();
  const path = fileOf(kind, object.metadata.name);
  if (existsSync(path))
    fail(`Error from server (AlreadyExists): ${kind} "${object.metadata.name}" already exists`);
  write(path, object);
  if (kind === 'pod') launch('--pod', object.metadata.name);
  if (kind === 'testrun' && process.env.STAND_IN_OPERATOR !== 'none')
    launch('--operator', object.metadata.name);
}

/** @param {string} mode @param {string} name */
function launch(mode, name) {
  const log = openSync(join(CLUSTER, 'operator.log'), 'a');
  const child = spawn(process.execPath, [fileURLToPath(import.meta.url), mode, name], {
    detached: true,
    stdio: ['ignore', log, log],
  });
  child.unref();
  writeFileSync(join(CLUSTER, `${name}.pid`), String(child.pid));
}

/** Those of this process that nobody has removed. @type {Map<string, import('node:child_process').ChildProcess>} */
const pods = new Map();
/** Names of those whose process is started again when it has ended. @type {Set<string>} */
const startedAgain = new Set();

/**
 * @param {any} pod its files and variables become those of a process
 * @param {string[]} command
 * @param {(text: string) => string} here
 * @param {any} object as the API shows it
 * @returns {Promise<void>} when it has ended
 */
async function runPod({ env, volumes, volumeMounts }, command, here, object) {
  const { name } = object.metadata;
  for (const { name: volume, configMap } of volumes) {
    const { mountPath } = volumeMounts.find((/** @type {any} */ m) => m.name === volume);
    const { data } = JSON.parse(readFileSync(fileOf('configmap', configMap.name), 'utf8'));
    for (const { key, path } of configMap.items) {
      const file = join(CLUSTER, mountPath, path);
      mkdirSync(dirname(file), { recursive: true });
      writeWhole(file, data[key]);
    }
  }
  const variables = env.map((/** @type {any} */ { name: key, value, valueFrom }) => {
    if (!valueFrom) return [key, here(value)];
    const { name: secret, key: of } = valueFrom.secretKeyRef;
    return [key, JSON.parse(readFileSync(fileOf('secret', secret), 'utf8')).stringData[of]];
  });
  const log = openSync(join(CLUSTER, `${name}.log`), 'w');
  const { generatorBuild } = await import('../setup/builds.js');
  const k6 = join(generatorBuild().output, 'k6');
  let restartCount = 0;
  const show = (/** @type {any} */ state) =>
    pods.has(name) &&
    write(fileOf('pod', name), {
      ...object,
      status: { phase: 'Running', containerStatuses: [{ state, restartCount }] },
    });
  return new Promise((resolve) => {
    const start = () => {
      const child = spawn(k6, command.map(here), {
        env: { PATH: process.env.PATH, ...Object.fromEntries(variables) },
        cwd: CLUSTER,
        stdio: ['ignore', log, log],
      });
      pods.set(name, child);
      show({ running: {} });
      child.once('close', (exitCode) => {
        if (startedAgain.delete(name)) {
          restartCount++;
          return start();
        }
        show({ terminated: { exitCode, reason: exitCode === 0 ? 'Completed' : 'Error' } });
        resolve();
      });
    };
    start();
  });
}

/** @param {string} testRun @returns {(text: string) => string} names and folders of a cluster as this machine has them */
function hereOf(testRun) {
  const hosts = (process.env.STAND_IN_HOSTS ?? '').split(',').filter(Boolean);
  return (text) =>
    hosts
      .reduce((all, host) => all.replaceAll(.../** @type {[string, string]} */ (host.split('='))), text)
      .replaceAll('/ladderbench', `${CLUSTER}/ladderbench`)
      .replaceAll(`${testRun}-service-{runner}:6565`, `127.0.0.{runner}:${API_PORT}`);
}

/** @param {string} name of a TestRun */
async function operate(name) {
  const { segmentOf, sequenceOf } = await import('../../k6/schedule/segments.js');
  const { begin, waitsToBegin } = await import('../generator/k6.js');
  const object = JSON.parse(readFileSync(fileOf('testrun', name), 'utf8'));
  const { parallelism, script, runner, arguments: args } = object.spec;
  const stage = (/** @type {string} */ text) => {
    if (existsSync(fileOf('testrun', name)))
      write(fileOf('testrun', name), { ...object, status: { stage: text } });
  };
  const runners = Array.from({ length: parallelism }, (_, i) => i + 1);
  stage('created');
  const ended = runners.map((r) => {
    const segment =
      parallelism > 1
        ? [
            `--execution-segment=${segmentOf(r, parallelism)}`,
            `--execution-segment-sequence=${sequenceOf(parallelism)}`,
          ]
        : [];
    const command = [
      ...['run', '--quiet', ...segment, ...args.split(' '), script.localFile],
      ...[`--address=127.0.0.${r}:${API_PORT}`, '--paused'],
      ...['--tag', `instance_id=${r}`, '--tag', `testrun_name=${name}`],
    ];
    return runPod(runner, command, hereOf(name), {
      metadata: {
        name: `${name}-${r}-pod`,
        labels: {
          ...runner.metadata.labels,
          app: 'k6',
          k6_cr: name,
          runner: 'true',
          'job-name': `${name}-${r}`,
        },
      },
      spec: { nodeName: 'node-1' },
    });
  });
  const allWait = async () => {
    for (const r of runners) while (!(await waitsToBegin(API_PORT, `127.0.0.${r}`))) await pause(50);
  };
  const last = `${name}-${parallelism}-pod`;
  await allWait();
  if (process.env.STAND_IN_OPERATOR === 'one-restarted') {
    startedAgain.add(last);
    pods.get(last)?.kill('SIGKILL');
    while (startedAgain.has(last)) await pause(50);
    await allWait();
  }
  stage('started');
  for (const r of runners) await begin(API_PORT, `127.0.0.${r}`);
  if (process.env.STAND_IN_OPERATOR === 'one-late') await holdAtBegin(last);
  write(fileOf('pod', `${name}-starter`), {
    metadata: {
      name: `${name}-starter`,
      labels: { ...object.spec.starter.metadata.labels, k6_cr: name, 'job-name': `${name}-starter` },
    },
    spec: { nodeName: 'node-1' },
    status: {
      phase: 'Succeeded',
      containerStatuses: [{ state: { terminated: { exitCode: 0 } }, restartCount: 0 }],
    },
  });
  if (process.env.STAND_IN_OPERATOR === 'one-lost') setTimeout(() => lose(last), LOST_MS);
  if (process.env.STAND_IN_OPERATOR === 'one-hangs')
    setTimeout(() => pods.get(last)?.kill('SIGSTOP'), LOST_MS);
  await Promise.all(ended);
  stage('finished');
}

/** @param {string} name of a pod whose node stands still while the load begins */
async function holdAtBegin(name) {
  const moment = `http://127.0.0.1:${API_PORT}/v1/metrics/ladderbench_begin`;
  let beginMs = 0;
  while (!beginMs) {
    const answer = await fetch(moment).catch(() => null);
    if (answer?.ok) beginMs = Number((await answer.json()).data.attributes.sample.value);
    await pause(50);
  }
  await pause(beginMs - STILL_MS - Date.now());
  pods.get(name)?.kill('SIGSTOP');
  await pause(2 * STILL_MS);
  pods.get(name)?.kill('SIGCONT');
}

/** @param {number} ms */
function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** @param {string} name of a pod whose node is gone */
function lose(name) {
  const child = pods.get(name);
  pods.delete(name);
  child?.kill('SIGKILL');
  rmSync(fileOf('pod', name));
}

/** @param {string} name of a Pod */
async function runAlone(name) {
  const object = JSON.parse(readFileSync(fileOf('pod', name), 'utf8'));
  const [container] = object.spec.containers;
  const command = [...container.command.slice(1), ...container.args, '--address', ''];
  await runPod({ ...container, volumes: object.spec.volumes }, command, hereOf(''), {
    ...object,
    spec: { ...object.spec, nodeName: 'node-1' },
  });
}

/** @param {any} object */
function remove(object) {
  const { name } = object.metadata;
  const pid = join(CLUSTER, `${name}.pid`);
  if (existsSync(pid)) {
    try {
      process.kill(-Number(readFileSync(pid, 'utf8')), 'SIGKILL');
    } catch {
      // It has ended.
    }
    rmSync(pid);
  }
  for (const kind of ['testrun', 'pod', 'configmap', 'secret']) rmSync(fileOf(kind, name), { force: true });
  for (const pod of all('pod').filter((p) => p.metadata.labels?.k6_cr === name)) remove(pod);
}

/** @param {string} message @returns {never} */
function fail(message) {
  console.error(message);
  process.exit(1);
}

/**
 * @param {string} verb of kubectl
 * @param {string} resource with a name, or all of them
 * @returns {string[]} of the API: what is deleted is waited for
 */
function verbsOf(verb, resource) {
  const look = resource.includes('/') ? 'get' : 'list';
  return verb === 'delete' ? [look, 'watch', 'delete'] : [look];
}

/** @param {string} service @returns {any} behind which one pod stands */
function sliceOf(service) {
  const targetRef = { kind: 'Pod', name: `${service}-0`, namespace: 'load' };
  return { endpoints: [{ addresses: ['10.0.0.7'], nodeName: 'node-1', targetRef }] };
}

/** @param {string} path @returns {Promise<string>} as a kubelet that has just looked */
async function askKubelet(path) {
  const pid = Number(process.env.STAND_IN_KUBELET);
  if (!pid || path !== '/api/v1/nodes/node-1/proxy/stats/summary')
    fail('Error from server (Forbidden): nodes "node-1" is forbidden: cannot get resource "nodes/proxy"');
  const { processTable } = await import('../process/table.js');
  const { sampleWatched } = await import('../sample/watched.js');
  const own = (processTable() ?? []).filter((row) => row.pid === pid);
  const sample = sampleWatched({ pgids: [own[0]?.pgid] }, own) ?? fail('no process stands for the pod');
  const { cpuSec, rssBytes } = sample;
  const time = new Date().toISOString();
  const cpu = { time, usageCoreNanoSeconds: Math.round(cpuSec * 1e9) };
  const podRef = { name: 'db-0', namespace: 'load' };
  return JSON.stringify({
    pods: [{ podRef, containers: [{ name: 'db', cpu, memory: { time, rssBytes } }] }],
  });
}

/** @param {string} pod @returns {string} as the node has kept it */
function logOf(pod) {
  const text = readFileSync(join(CLUSTER, `${pod}.log`), 'utf8');
  const fault = /-2-pod$/.test(pod) ? process.env.STAND_IN_OPERATOR : undefined;
  if (fault === 'log-lost') return '';
  if (fault !== 'log-cut') return text;
  const lines = text.split('\n');
  return lines.toSpliced(Math.floor(lines.length / 2), 1).join('\n');
}

/** @param {string[]} args @param {string} flag @returns {string | undefined} its value; both are taken out */
function take(args, flag) {
  const at = args.indexOf(flag);
  return at < 0 ? undefined : args.splice(at, 2)[1];
}

/** @param {string[]} args */
async function main([verb, ...args]) {
  if (verb === '--operator') return operate(args[0]);
  if (verb === '--pod') return runAlone(args[0]);
  const selector = take(args, '--selector');
  const output = take(args, '--output');
  if (verb === 'version') return console.log('{"serverVersion": {"gitVersion": "v0.0.0-stand-in"}}');
  if (verb === 'create') {
    const documents = readFileSync(0, 'utf8').split(/^---$/m);
    for (const d of documents) create(JSON.parse(d.replace(/^#.*$/gm, '')));
    return;
  }
  const [first] = args;
  if (verb === 'get' && first === '--raw') {
    demandRight('nodes/proxy', 'get');
    return console.log(await askKubelet(args[1]));
  }
  if (verb === 'logs') demandRight('pods/log', 'get');
  else
    for (const resource of first.includes('/') ? args.filter((a) => a.includes('/')) : first.split(','))
      demandRight(resource.split('/')[0], ...verbsOf(verb, resource));
  if (first === 'endpointslices.discovery.k8s.io')
    return console.log(JSON.stringify({ items: [sliceOf(String(selector).split('=')[1])] }));
  if (verb === 'logs') {
    const asked = join(CLUSTER, `${first}.asked`);
    if (SLOW && !existsSync(asked)) return writeFileSync(asked, '');
    const fault = /-2-pod$/.test(first) ? process.env.STAND_IN_OPERATOR : undefined;
    if (fault === 'log-hangs') return pause(1e9);
    if (fault === 'log-refused') fail('Error from server (Forbidden): cannot get resource "pods/log"');
    return console.log(logOf(first));
  }
  if (SLOW && verb === 'get' && first === 'pods') {
    const asked = join(CLUSTER, 'asked');
    appendFileSync(asked, '.');
    if (statSync(asked).size % 3 === 0)
      fail('Unable to connect to the server: net/http: TLS handshake timeout');
  }
  const found = first.includes('/')
    ? args
        .filter((a) => a.includes('/'))
        .map((a) => a.split('/'))
        .map(([kind, name]) => fileOf(plain(kind), name))
        .flatMap(read)
    : first
        .split(',')
        .flatMap((kind) => all(plain(kind)))
        .filter((object) => !selector || matches(object, selector));
  if (verb === 'delete') return found.forEach(remove);
  if (first === 'nodes') fail('Error from server (Forbidden): nodes is forbidden');
  if (output !== 'json') return;
  if (!first.includes('/')) return console.log(JSON.stringify({ items: found }));
  if (found.length === 0) fail('Error from server (NotFound)');
  console.log(JSON.stringify(found[0]));
}

const own = process.argv.slice(2);
for (const flag of ['--context', '--namespace']) take(own, flag);
await main(own);
