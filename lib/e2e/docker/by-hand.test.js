import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { after } from 'node:test';
import { loadStacks } from '../../config/stacks.js';
import { compose, docker } from '../../docker/cli.js';
import { ROOT } from '../../paths.js';
import { temporaryFolder } from '../harness.js';
import { engine, imagesOfMirror, mirrorOnLoopback, offlineImages, testInContainers } from './containers.js';

/** What docs/systems.md says to type, in a project of its own. */
const where = { project: 'ladderbench-by-hand', file: join(ROOT, 'docker-compose.yml') };
const ENGINE = { DOCKER_SOCKET: String(engine?.socket), DOCKER_DATA: String(engine?.dataFolder) };

/**
 * @param {string[]} args
 * @param {Record<string, string>} env
 * @param {string} [profile]
 */
const call = (args, env, profile) =>
  compose(engine?.compose ?? [], { ...where, env, profile, timeoutMs: 180_000 }, args);

/** @returns {Promise<Record<string, string>>} variables of the images that are here, or in the mirror */
async function images() {
  const { stdout } = await offlineImages();
  const mirror = await mirrorOnLoopback();
  const built = stdout
    .split('\n')
    .filter((line) => line.includes('='))
    .map((line) => line.split('='));
  return { ...Object.fromEntries(built), ...(mirror ? await imagesOfMirror(mirror) : {}) };
}

// Nobody is to measure what stands in a vendor's place.
after(async () => {
  const mirror = await mirrorOnLoopback();
  if (mirror) await docker(['rmi', '--force', ...Object.values(await imagesOfMirror(mirror))]);
});

testInContainers(
  'each profile comes up alone and beside the live view, and goes without a trace',
  async () => {
    /** @type {Record<string, string>} */
    const env = { ...ENGINE, ...(await images()) };
    const tried = loadStacks().stacks.filter(
      ({ id, base, manifest: { docker: recipe } }) =>
        id === base && recipe && Object.keys(recipe.images).every((variable) => variable in env),
    );
    const published = loadStacks().stacks.filter(
      ({ id, base, manifest: { docker: recipe } }) =>
        id === base && recipe && !Object.values(recipe.images).some((i) => i.endsWith(':unpublished')),
    );
    const names = (/** @type {typeof tried} */ stacks) => stacks.map((s) => s.id).join();
    // With a mirror, all whose images somebody publishes.
    if (await mirrorOnLoopback()) assert.equal(names(tried), names(published));
    assert.ok(tried.length >= 7, names(tried));
    const live = env.GRAFANA_IMAGE ? ['influxdb', 'cadvisor', 'grafana'] : ['influxdb', 'cadvisor'];
    try {
      for (const stack of tried) {
        const own = String(stack.manifest.docker?.service);
        const alone = await call(['up', '--wait', '--pull', 'missing', own], env, stack.id);
        assert.ok(alone.ok, `${stack.id}: ${alone.stderr}`);
        const beside = await call(['up', '--wait', '--pull', 'missing', own, ...live], env, stack.id);
        assert.ok(beside.ok, `${stack.id} beside the live view: ${beside.stderr}`);
        const { stdout } = await call(['ps', '--format', 'json'], env, stack.id);
        assert.ok(stdout.includes(`-${own}-1`) && stdout.includes('-cadvisor-1'), stdout);
        await call(['rm', '--force', '--stop', '--volumes', own], env, stack.id);
      }
    } finally {
      await call(['down', '--volumes', '--timeout', '0'], env, '*');
    }
    for (const list of [
      ['ps', '--all'],
      ['network', 'ls'],
      ['volume', 'ls'],
    ]) {
      const { stdout } = await docker([
        ...list,
        '--quiet',
        '--filter',
        `label=com.docker.compose.project=${where.project}`,
      ]);
      assert.equal(stdout.trim(), '', list.join(' '));
    }
  },
  1_500_000,
);

testInContainers(
  'the socket and the data folder of an engine are never made where they are missing',
  async () => {
    const folder = temporaryFolder();
    const env = {
      ...(await images()),
      DOCKER_SOCKET: join(folder, 'none.sock'),
      DOCKER_DATA: join(folder, 'none'),
    };
    try {
      const { ok, stderr } = await call(['up', '--wait', '--pull', 'missing', 'cadvisor'], env);
      assert.equal(ok, false);
      assert.match(stderr, /none(\.sock)?$|does not exist: .*none/m);
      assert.deepEqual(
        [env.DOCKER_SOCKET, env.DOCKER_DATA].map((path) => existsSync(path)),
        [false, false],
      );
    } finally {
      await call(['down', '--volumes', '--timeout', '0'], env, '*');
    }
  },
);
