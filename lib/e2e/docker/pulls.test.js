import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { loadStacks } from '../../config/stacks.js';
import { callEngine } from '../../docker/api.js';
import { docker } from '../../docker/cli.js';
import { describe } from '../../docker/images.js';
import { pullImages } from '../../docker/pull.js';
import { createOutput } from '../../output.js';
import { runTool, which } from '../../process/tool.js';
import { eventually, shortProfile, startCommand, temporaryFolder } from '../harness.js';
import {
  comparedSystems,
  ENGINE_ENV,
  engine,
  offlineImages,
  ownSystem,
  testInContainers,
} from './containers.js';
import { startRegistry } from './registry.js';

const folder = temporaryFolder();
const registry = await startRegistry();
const { host } = registry;
const locked = await startRegistry({ login: 'me:me' });
const socket = String(engine?.socket);
after(async () => {
  registry.close();
  locked.close();
  const pulled = [];
  for (const { host } of [registry, locked]) {
    const { stdout } = await docker(['image', 'ls', '--format', '{{.Repository}}:{{.Tag}}', `${host}/*`]);
    pulled.push(...stdout.split('\n').filter(Boolean));
  }
  if (pulled.length > 0) await docker(['rmi', ...pulled]);
});

/** A system with an image of its vendor's, and one whose vendor publishes none. */
const images = loadStacks().stacks.flatMap(({ id, base, manifest }) =>
  Object.entries((id === base && manifest.docker?.images) || {}).map(([variable, image]) => ({
    id,
    variable,
    image,
  })),
);
const upstream = /** @type {typeof images[number]} */ (images.find(({ id }) => id === comparedSystems()[0]));
const unpublished = /** @type {typeof images[number]} */ (
  images.find(({ image }) => image.endsWith(':unpublished'))
);

const quiet = () => createOutput({ stderr: /** @type {any} */ ({ on() {}, write() {} }) });

/**
 * @param {string[]} repositories
 * @param {string} [at]
 * @returns {Promise<{problems: Record<string, string>, lines: {t: number, line: string}[]}>}
 */
async function pull(repositories, at = host) {
  /** @type {{t: number, line: string}[]} */
  const lines = [];
  const stderr = /** @type {any} */ ({
    on() {},
    write: (/** @type {string} */ line) => lines.push({ t: Date.now(), line }),
  });
  const refs = repositories.map((name) => `${at}/${name}:1`);
  const problems = await pullImages(refs, socket, createOutput({ stdout: stderr, stderr }));
  return {
    problems: Object.fromEntries([...problems].map(([ref, why]) => [ref.slice(at.length + 1, -2), why])),
    lines,
  };
}

testInContainers(
  'each image that cannot be pulled has a reason of its own, and keeps no other away',
  async () => {
    const names = ['gone', 'denied', 'limited', 'broken', 'foreign', 'wrong', 'cut', 'good', 'slow'];
    const { problems, lines } = await pull(names);
    assert.deepEqual(problems, {
      gone: `${host} has no such image`,
      denied: `${host} denies access, or has no such image: \`docker login ${host}\``,
      limited: `${host} refuses more pulls (rate limit): \`docker login ${host}\`, or wait`,
      broken: problems.broken,
      foreign: 'it is not built for this platform',
      wrong: `${host} sent something else than the digest says: pull it again`,
      cut: `the connection to ${host} broke off`,
    });
    assert.match(problems.broken, /500|disk/);
    assert.doesNotMatch(problems.broken, /\n/);
    for (const name of ['good', 'slow'])
      assert.ok((await docker(['image', 'inspect', `${host}/${name}:1`])).ok, name);
    const text = lines.map(({ line }) => line).join('');
    assert.match(
      text,
      /^Missing images: .*gone:1, .*good:1 \(1 layer, 2 MB\), .*slow:1 \(1 layer, 2 MB\); 4 layers, 5 MB in all\n/,
    );
    assert.match(text, /fetching from 127\.0\.0\.1:\d+: \d of 9 images, \d of \d layers, \d+ of \d+ MB/);
    assert.match(text, /good:1 .*\d MB fetched/);
    assert.match(text, /cut:1 .*not fetched: the connection/);
    const silences = lines.slice(1).map(({ t }, i) => t - lines[i].t);
    assert.ok(Math.max(...silences) < 12_000, `silent for ${Math.max(...silences)} ms`);
  },
);

/**
 * An engine of its own, whose images have 48 MB of room.
 * @param {string} place
 * @param {(socket: string) => Promise<void>} use
 */
async function onSmallDisk(place, use) {
  const [data, socket] = [join(place, 'data'), join(place, 'docker.sock')];
  mkdirSync(data, { recursive: true });
  const mounted = await runTool(['mount', '-t', 'tmpfs', '-o', 'size=48m', 'tmpfs', data]);
  assert.ok(mounted.ok, mounted.stderr);
  // With a bridge of its own it leaves that of the engine under test alone, which `none` would remove.
  const bridge = `lb-full-${process.pid}`.slice(0, 15);
  const made = await runTool(['ip', 'link', 'add', bridge, 'type', 'bridge']);
  assert.ok(made.ok, made.stderr);
  await runTool(['ip', 'address', 'add', '198.18.255.1/30', 'dev', bridge]);
  const apart = ['--bridge', bridge, '--iptables=false', '--ip6tables=false', '--ip-forward=false'];
  const places = ['--data-root', data, '--exec-root', join(place, 'exec'), '--pidfile', join(place, 'pid')];
  const log = openSync(join(place, 'log'), 'w');
  const daemon = spawn('dockerd', [...apart, ...places, '--host', `unix://${socket}`], {
    stdio: ['ignore', log, log],
  });
  const ended = once(daemon, 'exit');
  try {
    const answers = () => callEngine(socket, '/info').then(Boolean, () => false);
    assert.ok(await eventually(answers, 30_000), readFileSync(join(place, 'log'), 'utf8'));
    await use(socket);
  } finally {
    daemon.kill('SIGTERM');
    await ended;
    await runTool(['umount', '--recursive', data]);
    await runTool(['ip', 'link', 'delete', bridge]);
    closeSync(log);
  }
}

test('a disk that is full is said, and what fits is there', {
  skip: process.getuid?.() !== 0 || !which('dockerd') || !which('ip') ? 'needs root, dockerd and ip' : false,
  timeout: 120_000,
}, async () => {
  // A path of a socket may not be long.
  const place = mkdtempSync(join(tmpdir(), 'lb-full-'));
  try {
    await onSmallDisk(place, async (socket) => {
      const problems = await pullImages([`${host}/large:1`, `${host}/good:1`], socket, quiet());
      assert.deepEqual(
        [...problems],
        [[`${host}/large:1`, 'the disk of the engine is full; `docker system df` shows what fills it']],
      );
      const { RepoTags } = await callEngine(socket, `/images/${encodeURIComponent(`${host}/good:1`)}/json`);
      assert.deepEqual(RepoTags, [`${host}/good:1`]);
    });
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
});

testInContainers('a registry that is not there is one line', async () => {
  const gone = await startRegistry();
  gone.close();
  const problems = await pullImages([`${gone.host}/good:1`, 'example.invalid/nobody:1.0'], socket, quiet());
  assert.match(
    String(problems.get(`${gone.host}/good:1`)),
    /^127\.0\.0\.1:\d+ cannot be reached \(.*refused\)$/,
  );
  assert.match(
    String(problems.get('example.invalid/nobody:1.0')),
    /^example\.invalid cannot be reached \(.+\)$/,
  );
});

testInContainers('what `docker login` has kept opens a registry, in its file and by its helper', async () => {
  assert.match((await pull(['good'], locked.host)).problems.good, /docker login/);
  const before = { ...process.env };
  const config = (/** @type {object} */ content) => {
    mkdirSync(join(folder, 'config'), { recursive: true });
    writeFileSync(join(folder, 'config', 'config.json'), JSON.stringify(content));
    process.env.DOCKER_CONFIG = join(folder, 'config');
  };
  try {
    config({ auths: { [locked.host]: { auth: Buffer.from('me:me').toString('base64') } } });
    assert.deepEqual((await pull(['good'], locked.host)).problems, {});
    await docker(['rmi', `${locked.host}/good:1`]);
    const helper = '#!/bin/sh\ncat >/dev/null\necho \'{"Username":"me","Secret":"me"}\'\n';
    writeFileSync(join(folder, 'docker-credential-tests'), helper, { mode: 0o755 });
    process.env.PATH = `${folder}:${process.env.PATH}`;
    config({ credHelpers: { [locked.host]: 'tests' } });
    assert.deepEqual((await pull(['good'], locked.host)).problems, {});
  } finally {
    process.env.PATH = before.PATH;
    if (before.DOCKER_CONFIG === undefined) delete process.env.DOCKER_CONFIG;
    else process.env.DOCKER_CONFIG = before.DOCKER_CONFIG;
  }
});

testInContainers(
  'a system without its image is unavailable with the reason, no registry is asked for our images, and the rest runs',
  async () => {
    await offlineImages();
    const { id } = ownSystem();
    const args = [shortProfile(folder), '--engine', 'docker', '--no-live', '--reports', join(folder, 'rest')];
    const env = { ...ENGINE_ENV, [upstream.variable]: `${host}/limited:1` };
    const run = startCommand([...args, '--systems', `${id},${upstream.id},${unpublished.id}`], { env });
    const { code, stderr } = await run.ended;
    assert.equal(code, 0, stderr);
    assert.match(
      stderr,
      new RegExp(
        `not here: ${upstream.id} \\(.*limited:1, named by ${upstream.variable}, cannot be pulled: .*\\(rate limit\\)`,
      ),
    );
    assert.match(
      stderr,
      new RegExp(
        `${unpublished.image} is missing, and no registry has it: name another with ${unpublished.variable}=…`,
      ),
    );
    assert.doesNotMatch(stderr, /Missing images: .*unpublished/);
  },
);

testInContainers(
  'an image that is not its vendor’s says so, and what it has in the place of a storage',
  async () => {
    const ref = `lb-stands-in-${process.pid}:1`;
    const input = 'FROM scratch\nLABEL ladderbench.shaped=1 ladderbench.stands-in="A store of ours"\n';
    const built = await docker(['build', '--tag', ref, '-'], { input });
    assert.ok(built.ok, built.stderr);
    const { source, standsIn } = await describe(ref, 'upstream');
    await docker(['rmi', ref]);
    assert.equal(source, 'built here in the shape of its vendor’s, for tests');
    assert.equal(standsIn, 'A store of ours');
  },
);

testInContainers('Ctrl-C while a pull stands still ends at once', async () => {
  const args = [shortProfile(folder), '--engine', 'docker', '--no-live', '--systems', upstream.id];
  const env = { ...ENGINE_ENV, [upstream.variable]: `${host}/stuck:1` };
  const run = startCommand([...args, '--reports', join(folder, 'stuck')], { env });
  await run.says(/Missing images: .*stuck:1/);
  const pressed = Date.now();
  run.child.kill('SIGINT');
  assert.equal((await run.ended).code, 130);
  assert.ok(Date.now() - pressed < 2000, `it took ${Date.now() - pressed} ms`);
});
