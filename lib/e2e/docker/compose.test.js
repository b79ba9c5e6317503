import assert from 'node:assert/strict';
import { chmodSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadStacks } from '../../config/stacks.js';
import { recentEnough } from '../../docker/answers.js';
import { compose } from '../../docker/cli.js';
import { ROOT } from '../../paths.js';
import { runTool, which } from '../../process/tool.js';
import { runCommand, shortProfile, temporaryFolder } from '../harness.js';
import { ENGINE_ENV, engine, ownSystem, testInContainers } from './containers.js';

const folder = temporaryFolder();

testInContainers('Compose reads the root file and each stack alone, with all of their profiles', async () => {
  const files = [
    join(ROOT, 'docker-compose.yml'),
    ...loadStacks()
      .stacks.map((s) => join(s.folder, 'compose.yml'))
      .filter((path) => existsSync(path)),
  ];
  for (const file of [...new Set(files)]) {
    const where = { project: 'test', file, profile: '*' };
    const { ok, stderr } = await compose(engine?.compose ?? [], where, ['config', '--quiet']);
    assert.ok(ok, `${file}: ${stderr}`);
  }
});

testInContainers('the root file includes every stack, under a profile of its name', async () => {
  const where = { project: 'test', file: join(ROOT, 'docker-compose.yml'), profile: '*' };
  const { stdout } = await compose(engine?.compose ?? [], where, ['config', '--format', 'json']);
  const { services } = JSON.parse(stdout);
  for (const { id, manifest } of loadStacks().stacks.filter((s) => s.manifest.docker)) {
    const service = services[String(manifest.docker?.service)];
    assert.deepEqual(service?.profiles, [id.split('@')[0]], id);
    assert.deepEqual(
      service.deploy.resources.limits,
      { cpus: 1, memory: String(2 * 1024 ** 3), pids: 4096 },
      id,
    );
  }
});

/**
 * @param {string} name
 * @param {string} script of a `docker` that is found before the real one
 * @returns {Record<string, string>}
 */
function withDocker(name, script) {
  const bin = join(folder, name);
  writeFileSync(bin, script);
  chmodSync(bin, 0o755);
  return { PATH: `${folder}:${process.env.PATH}`, ...ENGINE_ENV };
}

/**
 * @param {string} call the first two words of a question to Docker
 * @param {string} answer in place of the real one, or a filter of it
 * @returns {Promise<any>} what the suite makes of an engine that answers so
 */
async function askedWhere(call, answer) {
  const real = which('docker');
  const script = `#!/bin/sh
if [ "$1 $2" = "${call}" ]; then ${answer.replace('DOCKER', `${real} "$@"`)}; else exec ${real} "$@"; fi
`;
  const ask = `import('${ROOT}/lib/docker/answers.js').then((m) => m.askDocker()).then((a) => console.log(JSON.stringify(a)))`;
  const { stdout } = await runTool([process.execPath, '-e', ask], {
    env: { ...withDocker('docker', script), LADDERBENCH_CACHE: join(folder, 'empty-cache') },
  });
  return JSON.parse(stdout);
}

testInContainers('Podman, and an engine without control groups, are refused in one line', async () => {
  // As Podman 4.3.1 and rootless Docker 20.10 on control groups of version 1 were seen to answer.
  const podman = await askedWhere(
    'version --format',
    'echo "Podman Engine, Conmon, OCI Runtime (runc), Engine, "',
  );
  assert.match(podman.problem, /^the engine is Podman: /);
  assert.match(podman.hint, /--engine native/);
  const filter = `DOCKER | sed 's/"CgroupDriver":"[^"]*"/"CgroupDriver":"none"/'`;
  const rootless = await askedWhere('info --format', filter);
  assert.match(rootless.problem, /^the engine has no control groups, .*rootless Docker needs version 2/);
});

testInContainers('a Compose that is too old is refused with its remedy', async () => {
  const answer = await askedWhere('compose version', 'echo 1.29.2');
  assert.equal(answer.problem, 'Docker Compose 1.29.2 is too old: 2.23 or later is needed');
  assert.match(answer.hint, /install the Docker Compose plugin 2\.23 or later/);
  assert.deepEqual(['2.20.3', '2.23.0', '2.26.1-4', '5.0'].map(recentEnough), [false, true, true, true]);
});

testInContainers('an image that a variable names and that is not here is said in one line', async () => {
  const { id, variable } = ownSystem();
  const args = [shortProfile(folder), '--systems', id, '--no-live', '--reports', join(folder, 'none')];
  const env = { ...ENGINE_ENV, [variable]: 'example.invalid/nobody:1.0' };
  const insisted = await runCommand([...args, '--engine', 'docker', '--dry-run'], { env });
  assert.equal(insisted.code, 2);
  assert.match(
    insisted.stderr,
    new RegExp(`nobody:1.0, named by ${variable}, is missing; a run without --no-build pulls it`),
  );
  const auto = await runCommand([...args, '--dry-run'], { env });
  assert.equal(auto.code, 0, auto.stderr);
  assert.match(auto.stderr, /engine native, not docker: .*is missing/);
});

testInContainers('docker is what auto takes where every image is at hand', async () => {
  const args = [shortProfile(folder), '--systems', ownSystem().id, '--dry-run'];
  const { code, stderr } = await runCommand(args, { env: ENGINE_ENV });
  assert.equal(code, 0, stderr);
  assert.match(stderr, /engine docker/);
});

testInContainers('--live needs containers, and says so', async () => {
  const args = [shortProfile(folder), '--systems', ownSystem().id, '--engine', 'native', '--live'];
  const { code, stderr } = await runCommand(args, { env: ENGINE_ENV });
  assert.equal(code, 2);
  assert.match(stderr, /--live keeps the containers of the live view up: it needs the docker engine/);
});
