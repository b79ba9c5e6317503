import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { loadStacks } from '../../config/stacks.js';
import { compose, docker } from '../../docker/cli.js';
import { stackRecipe } from '../../docker/recipes.js';
import { READER } from '../../live/testing.js';
import { ROOT } from '../../paths.js';
import { runTool, which } from '../../process/tool.js';
import { canUnpack, unpackPackage } from '../../setup/debian.js';
import { eventually, newestRun, responder, runCommand, shortProfile, temporaryFolder } from '../harness.js';
import { comparedSystems, engine, offlineImages, ownSystem, testInContainers } from './containers.js';

/** Engines that are not the one of the other tests: each has its own sockets, images and folders, and goes with its test. */

const SCRIPT = join(ROOT, 'scripts', 'docker-engine.sh');
const folder = temporaryFolder();

/**
 * @param {string[]} variables of images that the engine of the other tests has
 * @param {Record<string, string>} to environment of the other engine's client
 * @returns {Promise<Record<string, string>>} the images by their variables: an engine that keeps images otherwise knows them by
 *   other ids, so that a run would take them for old ones
 */
async function copyImages(variables, to) {
  const { stdout } = await offlineImages();
  const images = Object.fromEntries(
    variables.map((name) => [name, String(new RegExp(`^${name}=(.+)$`, 'm').exec(stdout)?.[1])]),
  );
  const archive = join(folder, 'images.tar');
  const saved = await docker(['save', '--output', archive, ...Object.values(images)], { timeoutMs: 300_000 });
  assert.ok(saved.ok, saved.stderr);
  const loaded = await docker(['load', '--input', archive], { env: to, timeoutMs: 300_000 });
  assert.ok(loaded.ok, loaded.stderr);
  rmSync(archive);
  return images;
}

/** @param {string[]} systems @returns {string[]} variables of the images that a run of them needs */
function imagesOf(systems) {
  const { stacks } = loadStacks();
  const own = [...systems, responder().stack.id].map((id) => stacks.find((s) => s.id === id));
  return [
    ...['GENERATOR_IMAGE', 'INFLUXDB_IMAGE', 'CADVISOR_IMAGE'],
    ...own.map((stack) => String(stack && stackRecipe(stack)?.variable)),
  ];
}

/**
 * The engine that keeps images with containerd sets packet rules by the names that the other one's have, so it has a network
 * of its own, and what speaks with its containers is in there, too.
 */
const CONTAINERD = '/run/ladderbench-docker-containerd';

/** @param {string[]} command @returns {string[]} the same in that network */
function inItsNetwork(command) {
  const pid = readFileSync(join(CONTAINERD, 'dockerd.pid'), 'utf8').trim();
  return ['nsenter', `--net=/proc/${pid}/ns/net`, ...command];
}

/**
 * @param {string} db
 * @param {string} query
 * @returns {Promise<Record<string, string>[]>} tags of the series that it finds
 */
async function seriesOf(db, query) {
  const url = `http://127.0.0.1:8086/query?${READER}&db=${db}&q=${encodeURIComponent(query)}`;
  const ask = 'fetch(process.argv[1]).then((answer) => answer.text()).then(console.log)';
  const { stdout } = await runTool(inItsNetwork([process.execPath, '-e', ask, url]));
  return (JSON.parse(stdout).results[0].series ?? []).map((/** @type {any} */ s) => s.tags);
}

testInContainers(
  'cAdvisor sees the containers of each system where images are kept with containerd',
  async (t) => {
    if (process.getuid?.() !== 0) return t.skip('only root can start another engine');
    if (!canUnpack()) return t.skip('no apt-get, which the other engine comes by');
    const had = await runTool(
      [process.execPath, join(ROOT, 'scripts/debian-packages.js'), 'docker.io', 'containerd'],
      {
        timeoutMs: 300_000,
      },
    );
    if (!had.ok) return t.skip(`a later Debian’s engine cannot be had: ${had.stderr.trim()}`);
    const up = 'ip link set lo up && exec "$0" start containerd';
    const started = await runTool(['unshare', '--net', 'sh', '-c', up, SCRIPT]);
    assert.ok(started.ok, started.stderr);
    const env = Object.fromEntries(
      started.stdout
        .trim()
        .split('\n')
        .map((line) => line.split('=')),
    );
    try {
      const { stdout: store } = await docker(['info', '--format', '{{.DriverStatus}}'], { env });
      assert.match(store, /io\.containerd\.snapshotter/);
      const systems = comparedSystems();
      const images = await copyImages(imagesOf(systems), env);
      const args = ['smoke', '--engine', 'docker', '--live', '--no-build', '--workloads', 'counters'];
      args.push(
        '--systems',
        systems.map((s) => `${s}@default`).join(','),
        '--reports',
        join(folder, 'smoke'),
      );
      const { code, stderr } = await runTool(inItsNetwork([join(ROOT, 'run-all.sh'), ...args]), {
        ...{ env: { ...env, ...images }, timeoutMs: 600_000 },
      });
      assert.ok(code === 0 || code === 4, stderr);
      assert.doesNotMatch(stderr, /live view: no (influxdb|cadvisor)/);
      const told = await seriesOf(
        'k6',
        'SELECT count("seen") FROM "run_container" GROUP BY "system","container"',
      );
      for (const measurement of ['cpu_usage_total', 'memory_working_set', 'rx_bytes']) {
        const query = `SELECT count("value") FROM "${measurement}" GROUP BY "container_name"`;
        const seen = (await seriesOf('cadvisor', query)).map((tags) => tags.container_name);
        for (const system of [...systems, `${systems[0]} · copy`]) {
          const own = told.filter((tags) => tags.system === system).map((tags) => tags.container);
          assert.ok(own.length > 0, `${system}: no container is told of`);
          assert.ok(
            own.every((name) => seen.includes(name)),
            `${measurement} of ${system}: ${seen.join()}`,
          );
        }
      }
    } finally {
      const where = { project: 'ladderbench', file: join(ROOT, 'docker-compose.yml'), profile: '*', env };
      await compose(engine?.compose ?? [], where, ['down', '--volumes', '--timeout', '2']);
      await runTool([SCRIPT, 'stop', 'containerd']);
    }
  },
  1_200_000,
);

/** A user who has no right of root, and is none of the machine's. */
const USER = 54_323;
const FIRST_OF_RANGE = 600_000;

/**
 * Starts an engine as if packages were installed that are not: for it alone they lie over /usr.
 * @param {import('node:test').TestContext} t
 * @param {{packages: string[], place: string, before?: string, command: string[], env?: Record<string, string>}} how
 *   `place`: folder of its socket; `before`: shell, in a file tree that nobody else sees
 * @returns {Promise<{host: string} | {problem: string}>} the `problem`: why it cannot be tried here
 */
async function startEngine(t, { packages, place, before = ':', command, env }) {
  if (which('docker') === null) return { problem: 'docker is not on PATH' };
  if (process.getuid?.() !== 0) return { problem: 'only root can lay packages over /usr' };
  if (!canUnpack()) return { problem: `no apt-get, which ${packages.join(', ')} come by` };
  const roots = [];
  for (const name of packages) {
    const result = await unpackPackage(name);
    if ('problem' in result) return result;
    roots.push(join(result.unpacked.root, 'usr'));
  }
  const script = `mount -t overlay overlay -o "lowerdir=$0" /usr && ${before} && exec "$@"`;
  const lower = [...roots, '/usr'].join(':');
  const child = spawn('unshare', ['--mount', 'sh', '-c', script, lower, ...command], {
    ...{ detached: true, env: { ...process.env, ...env } },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', (data) => {
    said += data;
  });
  const gone = new Promise((resolve) => child.once('close', resolve));
  t.after(async () => {
    child.kill('SIGTERM');
    const late = setTimeout(() => process.kill(-Number(child.pid), 'SIGKILL'), 20_000);
    await gone;
    clearTimeout(late);
  });
  const host = `unix://${join(place, 'docker.sock')}`;
  const answers = async () => (await docker(['version'], { env: { DOCKER_HOST: host } })).ok;
  assert.ok(await eventually(() => child.exitCode !== null || answers(), 60_000), said);
  assert.equal(child.exitCode, null, said);
  return { host };
}

/**
 * @param {string} host
 * @param {RegExp} why
 */
async function demandRefusal(host, why) {
  const args = ['smoke', '--systems', ownSystem().id, '--reports', join(folder, 'refused')];
  const refused = await runCommand([...args, '--engine', 'docker'], { env: { DOCKER_HOST: host } });
  assert.equal(refused.code, 2, refused.stderr);
  const lines = refused.stderr.trim().split('\n');
  assert.match(refused.stderr, why);
  assert.match(refused.stderr, /another engine \(DOCKER_HOST=…\), or measure with --engine native/);
  assert.ok(lines.length <= 2, refused.stderr);
  assert.equal(existsSync(join(folder, 'refused')), false, 'nothing was begun');
}

test('Podman is refused in one line', { timeout: 600_000 }, async (t) => {
  const place = mkdtempSync('/tmp/lb-podman-');
  t.after(() => rmSync(place, { recursive: true, force: true }));
  const storage = [
    '--root',
    join(place, 'root'),
    '--runroot',
    join(place, 'run'),
    '--cgroup-manager',
    'cgroupfs',
  ];
  const served = ['system', 'service', '--time', '0', `unix://${join(place, 'docker.sock')}`];
  const started = await startEngine(t, {
    packages: ['podman'],
    place,
    command: ['podman', ...storage, ...served],
  });
  if ('problem' in started) return t.skip(started.problem);
  await demandRefusal(started.host, /the engine is Podman: /);
});

test('rootless Docker runs a smoke, or is refused in one line where it has no control groups', {
  timeout: 900_000,
}, async (t) => {
  const script = '/usr/share/docker.io/contrib/dockerd-rootless.sh';
  if (!existsSync(script)) return t.skip('no rootless Docker: Debian’s docker.io is not installed');
  const place = mkdtempSync('/tmp/lb-rootless-');
  t.after(() => rmSync(place, { recursive: true, force: true }));
  mkdirSync(join(place, 'run'), { mode: 0o700 });
  for (const path of [place, join(place, 'run')]) chownSync(path, USER, USER);
  chmodSync(place, 0o755);
  // Its user, and the ids that are theirs to give away, are known in its own file tree alone.
  const etc = join(place, 'etc');
  mkdirSync(etc);
  const users = readFileSync('/etc/passwd', 'utf8');
  writeFileSync(join(etc, 'passwd'), `${users}rootless:x:${USER}:${USER}::${place}:/bin/sh\n`);
  for (const name of ['subuid', 'subgid'])
    writeFileSync(join(etc, name), `rootless:${FIRST_OF_RANGE}:65536\n`);
  const tun = join(place, 'tun');
  const who = ['--reuid', String(USER), '--regid', String(USER), '--clear-groups'];
  const started = await startEngine(t, {
    ...{ packages: ['rootlesskit', 'slirp4netns', 'uidmap'], place: join(place, 'run') },
    // Its network is made with a device that some machines leave to root alone.
    before: `mount -t overlay overlay -o lowerdir=${etc}:/etc /etc && mknod -m 666 '${tun}' c 10 200 && mount --bind '${tun}' /dev/net/tun`,
    command: ['setpriv', ...who, script],
    // Its user may not write where the tests have their files.
    env: { HOME: place, TMPDIR: join(place, 'run'), XDG_RUNTIME_DIR: join(place, 'run') },
  });
  if ('problem' in started) return t.skip(started.problem);
  const env = { DOCKER_HOST: started.host };
  const { stdout } = await docker(['info', '--format', '{{.CgroupDriver}} {{.SecurityOptions}}'], { env });
  assert.match(stdout, /name=rootless/);
  if (stdout.startsWith('none ')) {
    await demandRefusal(started.host, /the engine has no control groups, /);
    return;
  }
  if (!engine) return t.skip('no other engine, which its images could come from');
  const images = await copyImages(imagesOf([ownSystem().id]), env);
  const reports = join(folder, 'rootless');
  const args = [
    shortProfile(folder),
    '--engine',
    'docker',
    '--systems',
    ownSystem().id,
    '--reports',
    reports,
  ];
  const { code, stderr } = await runCommand(args, { env: { ...env, ...images } });
  assert.ok(code === 0 || code === 4, stderr);
  assert.ok(
    newestRun(reports).records.some((r) => r.system === ownSystem().id && r.status === 'ok'),
    stderr,
  );
});
