import assert from 'node:assert/strict';
import { existsSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { freePort } from '../process/ports.js';
import { addSystem, newestRun, runCommand, shortProfile, temporaryFolder } from './harness.js';
import { countingServer } from './plain-k6.js';

/** What `--out` names and does not take what it is sent: one line here and in the report, and the run is no worse for it. */

const folder = temporaryFolder();
const script = join(folder, 'a.js');
writeFileSync(
  script,
  "import http from 'k6/http';\nexport default function () { http.get(__ENV.BASE_URL + '/'); }\n",
);
const target = await countingServer();

/** @param {string[]} outputs @param {Record<string, string>} [env] */
async function measure(outputs, env) {
  const reports = temporaryFolder();
  const ended = await runCommand(
    [
      ...['--script', script, '--endpoint', `shop=${target.url}`, '--reports', reports],
      ...['--steps', '2', '--step-duration', '2s', ...outputs.flatMap((o) => ['--out', o])],
    ],
    { env },
  );
  // 4 where the machine is too busy for a figure.
  assert.ok(ended.code === 0 || ended.code === 4, ended.stderr);
  assert.equal(newestRun(reports).records[0].status, 'ok');
  return { said: ended.stderr, report: newestRun(reports).report };
}

/** @param {{said: string, report: string}} where @param {string} name @param {RegExp} cause */
function assertSaidOnce({ said, report }, name, cause) {
  const lines = said.split('\n').filter((line) => line.startsWith(`--out ${name} lost data: `));
  assert.equal(lines.length, 1, said);
  assert.match(lines[0], cause);
  const noted = report.split('\n').filter((line) => line.includes(`\`--out ${name}\` lost data: `));
  assert.equal(noted.length, 1, 'in the report, too');
  assert.match(noted[0], cause);
  assert.doesNotMatch(`${said}${report}`, /s3cret/);
}

test('a database that is dead, and one that refuses what is written, are one line each', async () => {
  const dead = await measure([`influxdb=http://u:s3cret@127.0.0.1:${await freePort()}/db`]);
  assertSaidOnce(dead, 'influxdb', /connection refused/);

  const refusing = createServer((_, response) => {
    response.statusCode = 400;
    response.end('{"error":"no such database"}');
  });
  await new Promise((resolve) => refusing.listen(0, '127.0.0.1', () => resolve(undefined)));
  after(() => refusing.close());
  const { port } = /** @type {import('node:net').AddressInfo} */ (refusing.address());
  const rejected = await measure([`influxdb=http://127.0.0.1:${port}/db`, 'experimental-prometheus-rw'], {
    K6_PROMETHEUS_RW_SERVER_URL: `http://127.0.0.1:${port}/write`,
    K6_PROMETHEUS_RW_PUSH_INTERVAL: '1s',
  });
  assertSaidOnce(rejected, 'influxdb', /no such database/);
  assertSaidOnce(rejected, 'experimental-prometheus-rw', /400/);
});

test('a collector of OpenTelemetry that is not there is one line', async () => {
  const { said, report } = await measure(['opentelemetry'], {
    K6_OTEL_EXPORTER_PROTOCOL: 'http/protobuf',
    K6_OTEL_HTTP_EXPORTER_ENDPOINT: `127.0.0.1:${await freePort()}`,
    K6_OTEL_HTTP_EXPORTER_INSECURE: 'true',
  });
  assertSaidOnce({ said, report }, 'opentelemetry', /connection refused/);
});

test('a disk that is full is one line for each file that could not be written', {
  skip: !existsSync('/dev/full') && 'no /dev/full',
}, async () => {
  for (const ending of ['json', 'csv'])
    symlinkSync('/dev/full', join(folder, `full.a.script.shop.c2.r1.${ending}`));
  const full = await measure(['json', 'csv'].map((name) => `${name}=${join(folder, `full.${name}`)}`));
  assertSaidOnce(full, 'json', /no space left on device/);
  assertSaidOnce(full, 'csv', /Error writing to file/);
});

test('losses of outputs of several load generators are reported, too', async () => {
  const stacks = join(folder, 'stacks');
  addSystem(stacks, 'honest');
  const reports = temporaryFolder();
  const profile = shortProfile(folder, { steps: [{ id: 'c4', model: 'closed', vus: 4, durationSec: 2 }] });
  const { code, stderr } = await runCommand([
    ...[profile, '--systems', 'honest', '--stacks', stacks, '--reports', reports, '--engine', 'native'],
    ...['--generators', '2', '--out', `influxdb=http://127.0.0.1:${await freePort()}/db`],
  ]);
  assert.ok(code === 0 || code === 4, stderr);
  assertSaidOnce({ said: stderr, report: newestRun(reports).report }, 'influxdb', /connection refused/);
});

test('outputs that take all are not spoken of', async () => {
  const { said, report } = await measure([`json=${join(folder, 'm.json')}`]);
  assert.doesNotMatch(`${said}${report}`, /lost data/);
});
