import assert from 'node:assert/strict';
import { once } from 'node:events';
import { chmodSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { compose, docker } from '../../docker/cli.js';
import { READER } from '../../live/testing.js';
import { ROOT } from '../../paths.js';
import { freePort } from '../../process/ports.js';
import { newestRun, runCommand, shortProfile, startCommand, temporaryFolder } from '../harness.js';
import {
  ENGINE_ENV,
  engine,
  leftInDocker,
  offlineImages,
  ownSystem,
  rightsProblems,
  testInContainers,
} from './containers.js';

const folder = temporaryFolder();

/**
 * What whoever looks at Grafana could have it send, and what a stranger could send themselves.
 * @param {string} influx
 */
async function nothingCanBeChanged(influx) {
  const statuses = [];
  for (const user of [READER, '']) {
    for (const query of ['DROP DATABASE k6', 'CREATE DATABASE mine', 'DELETE FROM op_count'])
      for (const method of ['GET', 'POST']) {
        const url = `${influx}/query?${user}&db=k6&q=${encodeURIComponent(query)}`;
        const answer = await fetch(url, { method });
        const text = await answer.text();
        statuses.push(
          answer.ok && !/not authorized/.test(text) ? `${method} ${query} as ${user}: ${text}` : null,
        );
      }
    const written = await fetch(`${influx}/write?${user}&db=k6`, { method: 'POST', body: 'mine value=1' });
    statuses.push(written.ok ? `written as ${user}` : null);
  }
  assert.deepEqual(statuses.filter(Boolean), []);
}

testInContainers('with --live the store stays up with the run in it, and nothing else does', async () => {
  await offlineImages();
  const standing = (
    await docker(['ps', '--quiet', '--filter', 'name=^ladderbench-influxdb-1$'])
  ).stdout.trim();
  assert.equal(standing, '', 'a live view of this machine’s user is up: `docker compose down` first');
  const ports = {
    INFLUXDB_PORT: String(await freePort()),
    GRAFANA_PORT: String(await freePort()),
    CADVISOR_PORT: String(await freePort()),
  };
  // As in a checkout of umask 077: the databases' users are not who has fetched it.
  chmodSync(join(ROOT, 'stacks/_shared/influxdb/databases.iql'), 0o600);
  chmodSync(join(ROOT, 'stacks/_shared/grafana/dashboards'), 0o700);
  const env = { ...ENGINE_ENV, ...ports };
  const reports = join(folder, 'live');
  const { id, service } = ownSystem();
  const args = [shortProfile(folder), '--engine', 'docker', '--systems', id, '--live', '--reports', reports];
  try {
    const { code, stderr } = await runCommand(args, { env });
    assert.ok(code === 0 || code === 4, stderr);
    assert.match(stderr, /live view: still running/);
    assert.deepEqual(await leftInDocker(), [], 'of the run itself nothing is left');
    assert.equal(newestRun(reports).records.find((r) => r.system === id)?.live?.lossy, false);
    const count = async (/** @type {string} */ db, /** @type {string} */ query) => {
      const url = `http://127.0.0.1:${ports.INFLUXDB_PORT}/query?${READER}&db=${db}&q=${encodeURIComponent(query)}`;
      const { results } = /** @type {any} */ (await (await fetch(url)).json());
      return results[0].series?.[0].values[0][1] ?? 0;
    };
    assert.ok((await count('k6', `SELECT sum(value) FROM op_count WHERE system = '${id}'`)) > 0);
    const cpu = `SELECT count(value) FROM cpu_usage_total WHERE container_name =~ /-${service}-1$/`;
    assert.ok((await count('cadvisor', cpu)) > 3, 'cAdvisor wrote what the system used');
    await nothingCanBeChanged(`http://127.0.0.1:${ports.INFLUXDB_PORT}`);
    const { stdout } = await docker(['ps', '--format', '{{.Names}}', '--filter', 'name=^ladderbench-']);
    const standing = stdout.split('\n').filter(Boolean);
    assert.ok(standing.length >= 2, standing.join());
    const inspected = JSON.parse((await docker(['inspect', ...standing])).stdout);
    assert.deepEqual(inspected.flatMap(rightsProblems), []);
  } finally {
    const where = { project: 'ladderbench', file: join(ROOT, 'docker-compose.yml'), profile: '*', env };
    await compose(engine?.compose ?? [], where, ['down', '--volumes', '--timeout', '2']);
  }
});

testInContainers('a port that is taken is named with its variable, and the run goes on', async () => {
  await offlineImages();
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (other.address());
  const reports = join(folder, 'taken');
  const args = [shortProfile(folder), '--engine', 'docker', '--systems', ownSystem().id, '--live'];
  const env = { ...ENGINE_ENV, INFLUXDB_PORT: String(port) };
  const { code, stderr } = await runCommand([...args, '--reports', reports], { env });
  other.close();
  assert.ok(code === 0 || code === 4, stderr);
  for (const list of [
    ['network', 'ls'],
    ['volume', 'ls'],
  ]) {
    const { stdout } = await docker([...list, '--quiet', '--filter', 'name=^ladderbench_']);
    assert.equal(stdout, '', list[0]);
  }
  assert.match(
    stderr,
    new RegExp(`live view: no influxdb: port ${port} is taken; INFLUXDB_PORT=… names another`),
  );
  assert.deepEqual(await leftInDocker(), []);
});

testInContainers('a cAdvisor that sees no container is said, and every other figure is there', async () => {
  const { stdout } = await offlineImages();
  const image = String(/^CADVISOR_IMAGE=(.+)$/m.exec(stdout)?.[1]);
  const blind = 'ladderbench/cadvisor-tests:blind';
  const build = `FROM ${image}\nENTRYPOINT ["cadvisor", "-docker=unix:///nowhere.sock"]\n`;
  const built = await docker(['build', '--tag', blind, '-'], { input: build });
  assert.ok(built.ok, built.stderr);
  try {
    const reports = join(folder, 'blind');
    const args = [shortProfile(folder), '--engine', 'docker', '--systems', ownSystem().id];
    const env = { ...ENGINE_ENV, CADVISOR_IMAGE: blind };
    const { ended } = startCommand([...args, '--reports', reports], { env });
    const { code, stderr } = await ended;
    assert.ok(code === 0 || code === 4, stderr);
    assert.match(stderr, /live view: no cadvisor: it sees no container of this engine/);
    const record = newestRun(reports).records.find((r) => r.system === ownSystem().id);
    assert.ok(record?.resources.system && record.resources.system.cpuSec > 0, 'its CPU was seen');
    assert.deepEqual(await leftInDocker(), []);
  } finally {
    await docker(['rmi', '--force', blind]);
  }
});
