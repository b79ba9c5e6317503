import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { loadStacks } from '../../config/stacks.js';
import { compose, docker } from '../../docker/cli.js';
import { ROOT } from '../../paths.js';
import { newestRun, startCommand, temporaryFolder } from '../harness.js';
import { comparedSystems, ENGINE_ENV, engine, leftInDocker, offlineImages } from './containers.js';

/** Needs an engine whose mirror scripts/vendor-images.sh has filled. */
const said = await docker(['info', '--format', '{{json .RegistryConfig.Mirrors}}']);
const mirror =
  (said.ok && JSON.parse(said.stdout || '[]')?.find((/** @type {string} */ m) => /127\.0\.0\.1/.test(m))) ||
  '';
/** @type {string[]} */
const there = mirror ? (await (await fetch(`${mirror}v2/_catalog`)).json()).repositories : [];
const skip = there.length === 0 && 'no mirror on loopback: scripts/vendor-images.sh says how';

/** @returns {Promise<[string, string][]>} variables of images that runs take from their vendors, and what the mirror has */
async function vendorImages() {
  const ids = comparedSystems();
  const own = loadStacks().stacks.filter((s) => ids.includes(s.id));
  const where = { project: 'test', file: join(ROOT, 'docker-compose.yml') };
  const { stdout } = await compose(engine?.compose ?? [], where, ['config', '--format', 'json']);
  const { services } = JSON.parse(stdout);
  return [
    ...own.flatMap((s) => Object.entries(s.manifest.docker?.images ?? {})),
    ...['influxdb', 'grafana', 'cadvisor'].map((name) => [
      `${name.toUpperCase()}_IMAGE`,
      services[name].image,
    ]),
  ].map(([variable, pinned]) => {
    const image = pinned.split('@')[0];
    // Only Docker Hub has mirrors: others are named by where they are.
    const other = /^[^/]+\.[^/]+\//.exec(image)?.[0];
    return [variable, other ? image.replace(other, `${new URL(mirror).host}/`) : image];
  });
}

test('an engine without its vendors’ images pulls them from a mirror, and smoke runs on them with the whole live view', {
  skip,
  timeout: 900_000,
}, async () => {
  await offlineImages();
  const images = await vendorImages();
  await docker(['rmi', '--force', ...images.map(([, image]) => image)]);
  const reports = temporaryFolder();
  const args = [
    'smoke',
    '--engine',
    'docker',
    '--systems',
    comparedSystems().join(','),
    '--reports',
    reports,
  ];
  const run = startCommand(args, { env: { ...ENGINE_ENV, ...Object.fromEntries(images) } });
  const { code, stderr } = await run.ended;
  assert.equal(code, 0, stderr);
  for (const [, image] of images)
    assert.match(stderr, new RegExp(`^  ${image.replaceAll('.', '\\.')} .*\\d MB fetched$`, 'm'), image);
  assert.match(stderr, /live view: Grafana at/);
  assert.doesNotMatch(stderr, /live view: no /);
  const { records } = newestRun(reports);
  for (const id of comparedSystems())
    assert.ok(
      records.some((r) => r.system === id && r.status === 'ok' && r.oracle?.ok),
      `${id}: ${stderr}`,
    );
  assert.deepEqual(await leftInDocker(), []);
  await docker(['rmi', '--force', ...images.map(([, image]) => image)]);
});
