import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadStacks } from '../../config/stacks.js';
import { docker } from '../../docker/cli.js';
import { newestRun, startCommand, temporaryFolder } from '../harness.js';
import {
  comparedSystems,
  ENGINE_ENV,
  imagesOfMirror,
  leftInDocker,
  mirrorOnLoopback,
  offlineImages,
} from './containers.js';

const mirror = await mirrorOnLoopback();
const skip = mirror ? false : 'no mirror on loopback: scripts/vendor-images.sh says how';

test('an engine without its vendors’ images pulls them from a mirror, and smoke runs on them with the whole live view', {
  skip,
  timeout: 900_000,
}, async () => {
  await offlineImages();
  const systems = comparedSystems();
  const own = loadStacks().stacks.filter((s) => systems.includes(s.id));
  const wanted = [
    ...own.flatMap((s) => Object.keys(s.manifest.docker?.images ?? {})),
    ...['INFLUXDB_IMAGE', 'GRAFANA_IMAGE', 'CADVISOR_IMAGE'],
  ];
  const there = Object.entries(await imagesOfMirror(String(mirror)));
  const images = there.filter(([variable]) => wanted.includes(variable));
  assert.deepEqual(images.map(([variable]) => variable).sort(), wanted.sort());
  const forget = async () => {
    // Their layers, too: else there is nothing to pull.
    const { stdout } = await docker(['image', 'ls', '--quiet', '--filter', 'label=ladderbench.shaped']);
    const ids = stdout.split('\n').filter(Boolean);
    if (ids.length > 0) await docker(['rmi', '--force', ...new Set(ids)]);
  };
  await forget();
  const reports = temporaryFolder();
  const args = ['smoke', '--engine', 'docker', '--systems', systems.join(','), '--reports', reports];
  const env = { ...ENGINE_ENV, ...Object.fromEntries(images) };
  const { code, stderr } = await startCommand(args, { env }).ended;
  // On a busy machine a figure may be INVALID, and then the run ends with 4.
  assert.ok(code === 0 || code === 4, stderr);
  for (const [, image] of images)
    assert.match(
      stderr,
      new RegExp(`^  ${image.replaceAll('.', '\\.')} .*[1-9]\\d* MB fetched$`, 'm'),
      image,
    );
  assert.match(stderr, /live view: Grafana at/);
  assert.doesNotMatch(stderr, /live view: no /);
  const { records, report } = newestRun(reports);
  assert.match(report, /built here in the shape of its vendor’s, for tests/);
  for (const id of systems)
    assert.ok(
      records.some((r) => r.system === id && r.status === 'ok' && r.oracle?.ok),
      `${id}: ${stderr}`,
    );
  assert.deepEqual(await leftInDocker(), []);
  await forget();
});
