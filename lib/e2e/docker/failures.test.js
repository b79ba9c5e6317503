import assert from 'node:assert/strict';
import { join } from 'node:path';
import { docker } from '../../docker/cli.js';
import { READER } from '../../live/testing.js';
import {
  eventually,
  newestRun,
  runCommand,
  shortProfile,
  startCommand,
  temporaryFolder,
} from '../harness.js';
import {
  containerOf,
  ENGINE_ENV,
  leftInDocker,
  offlineImages,
  ownSystem,
  testInContainers,
} from './containers.js';

const folder = temporaryFolder();
const env = ENGINE_ENV;
const nothingLeft = async () => (await leftInDocker()).length === 0;

/**
 * @param {string} reports
 * @param {{durationSec?: number, count?: number, more?: string[]}} [options]
 */
async function start(reports, { durationSec = 4, count = 2, more = [] } = {}) {
  await offlineImages();
  const { id, service } = ownSystem();
  const steps = Array.from({ length: count }, (_, i) => ({
    id: `c${i + 4}`,
    model: /** @type {const} */ ('closed'),
    vus: i + 4,
    durationSec,
  }));
  const profile = shortProfile(folder, { steps });
  const args = [profile, '--engine', 'docker', '--systems', id, '--reports', reports, ...more];
  return { run: startCommand(args, { env }), id, service };
}

/**
 * @param {Awaited<ReturnType<typeof start>>} begun
 * @returns {Promise<string>} the container of its system, when that and the load generator are up
 */
async function loaded({ run, service }) {
  const up = async () => {
    const { stdout } = await docker(['ps', '--format', '{{.Names}}']);
    return [service, 'generator'].every((name) =>
      new RegExp(`^ladderbench-\\d+-.*-${name}-1$`, 'm').test(stdout),
    );
  };
  assert.ok(await eventually(up, 300_000), run.stderr());
  return containerOf(service);
}

/**
 * @param {string} influx
 * @param {string} system
 * @returns {Promise<boolean>} whether something of its load is in the store
 */
async function isStored(influx, system) {
  const query = `SELECT sum(value) FROM op_count WHERE system = '${system}'`;
  const answer = await fetch(`${influx}/query?${READER}&db=k6&q=${encodeURIComponent(query)}`);
  return (await answer.text()).includes('"values"');
}

/** @param {number} ms */
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

testInContainers('a container that is killed under load fails its own measurement alone', async () => {
  const reports = join(folder, 'killed');
  const begun = await start(reports, { more: ['--no-live'] });
  const { run, id } = begun;
  const container = await loaded(begun);
  await pause(2500);
  await docker(['kill', container]);
  const { code, stderr } = await run.ended;
  assert.equal(code, 3, stderr);
  const cells = newestRun(reports).records.filter((r) => r.system === id);
  assert.deepEqual(
    cells.map((r) => r.status),
    ['failed', 'ok'],
    stderr,
  );
  assert.equal(cells[0].reason, 'the system ended under the load');
  assert.ok(cells[1].oracle?.ok, 'the next cell ran on fresh containers');
  assert.deepEqual(await leftInDocker(), []);
});

testInContainers('a container that is restarted under load makes its measurement INVALID', async () => {
  const reports = join(folder, 'restarted');
  const begun = await start(reports, { count: 1, durationSec: 6, more: ['--no-live'] });
  const { run, id } = begun;
  const container = await loaded(begun);
  await pause(2000);
  await docker(['restart', '--time', '0', container]);
  const { code, stderr } = await run.ended;
  const [cell] = newestRun(reports).records.filter((r) => r.system === id);
  assert.ok(code === 3 || code === 4, stderr);
  assert.ok(
    cell.status === 'failed' || cell.verdict.reasons.some((r) => r.code === 'restarted'),
    JSON.stringify([cell.status, cell.reason, cell.verdict]),
  );
  assert.equal(cell.verdict.status, 'INVALID');
});

testInContainers(
  'killing InfluxDB changes no number, and the report says that the live view was lossy',
  async () => {
    const reports = join(folder, 'lossy');
    const { run, id } = await start(reports, { count: 1, durationSec: 6 });
    await run.says(/live metrics: InfluxDB at/, 300_000);
    const influx = String(/InfluxDB at (http:\/\/[^/]+)\/k6/.exec(run.stderr())?.[1]);
    const store = await containerOf('influxdb');
    // Of the seconds of load that are left then, a busy engine may take some to end it.
    assert.ok(await eventually(() => isStored(influx, id), 120_000), run.stderr());
    await docker(['kill', store]);
    const { code, stderr } = await run.ended;
    assert.ok(code === 0 || code === 4, stderr);
    const { records, report } = newestRun(reports);
    const [record] = records.filter((r) => r.system === id);
    assert.equal(record.status, 'ok', `${record.reason}`);
    assert.ok(record.oracle?.ok);
    assert.equal(record.live?.lossy, true);
    for (const o of Object.values(record.operations)) assert.ok(o.count > 1000 && o.serviceMs);
    assert.match(report, /lossy in 1 measurement/);
    assert.deepEqual(await leftInDocker(), []);
  },
);

testInContainers(
  'one Ctrl-C leaves a partial report and nothing in Docker, and --resume measures the rest',
  async () => {
    const reports = join(folder, 'interrupted');
    const begun = await start(reports, { count: 1, durationSec: 9 });
    const { run, id } = begun;
    await loaded(begun);
    await pause(2000);
    assert.ok((await leftInDocker()).length > 0, 'there is something to leave behind');
    const pressed = Date.now();
    run.child.kill('SIGINT');
    const { code, stderr } = await run.ended;
    assert.equal(code, 130, stderr);
    assert.ok(Date.now() - pressed < 60_000, 'it ended at once');
    assert.deepEqual(await leftInDocker(), []);
    const { records, report } = newestRun(reports);
    assert.match(report, /Partial run/);
    assert.equal(records.find((r) => r.system === id)?.status, 'aborted');
    const resumed = await runCommand(['--resume', 'latest', '--reports', reports], { env });
    assert.ok(resumed.code === 0 || resumed.code === 4, resumed.stderr);
    assert.ok(newestRun(reports).records.every((r) => r.status === 'ok' && r.engine === 'docker'));
    assert.deepEqual(await leftInDocker(), []);
  },
);

testInContainers('a runner that is killed outright leaves no container, network or volume', async () => {
  const begun = await start(join(folder, 'killed-outright'), { count: 1, durationSec: 20 });
  const { run } = begun;
  await loaded(begun);
  await pause(1000);
  assert.ok((await leftInDocker()).length > 0, 'there is something to leave behind');
  run.child.kill('SIGKILL');
  await run.ended;
  assert.ok(await eventually(nothingLeft, 30_000), (await leftInDocker()).join('\n'));
});

testInContainers('clean removes what a runner that is gone has left, and nothing else', async () => {
  const label = 'com.docker.compose.project';
  const gone = 'ladderbench-4194303-gone';
  const other = 'somebody-else';
  for (const project of [gone, other]) {
    await docker(['network', 'create', '--label', `${label}=${project}`, `${project}_bench`]);
    await docker(['volume', 'create', '--label', `${label}=${project}`, `${project}_data`]);
  }
  const { code, stderr } = await runCommand(['clean'], { env });
  assert.equal(code, 0, stderr);
  assert.match(stderr, /ladderbench-4194303-gone/);
  const left = (await docker(['volume', 'ls', '--quiet'])).stdout;
  assert.ok(!left.includes(gone) && left.includes(other));
  await docker(['network', 'rm', `${other}_bench`]);
  await docker(['volume', 'rm', `${other}_data`]);
  assert.ok(await nothingLeft());
});
