import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { startInfluxd } from '../live/influxd.js';
import { ROOT } from '../paths.js';
import { startChild } from '../process/child.js';
import { freePort } from '../process/ports.js';
import { goBuild, isBuilt, runBuild } from '../setup/builds.js';
import { obtainNeed } from '../setup/needs.js';
import { addSystem, eventually, newestRun, runCommand, shortProfile, temporaryFolder } from './harness.js';

/**
 * `--out`: what k6 sends beside our own arrives at receivers that people have: Prometheus by remote write, OpenTelemetry,
 * InfluxDB, a file.
 */
const folder = temporaryFolder();
/** @type {(() => unknown)[]} */
const ends = [];
after(() => Promise.all(ends.map((end) => end())));

test('what k6 sends by --out arrives in Prometheus, by OpenTelemetry, in InfluxDB and in a file', async (t) => {
  const prometheus = await startPrometheus();
  if (prometheus === null) return t.skip('no prometheus on PATH and none to be had from Debian');
  const influx = await startInfluxd();
  if (influx === null) return t.skip('no influxd 1.x here');
  ends.push(influx.stop);
  const otlp = await startOtlpReceiver();

  const stacks = join(folder, 'stacks');
  addSystem(stacks, 'here');
  const reports = join(folder, 'reports');
  const profile = shortProfile(folder);
  const { code, stderr } = await runCommand(
    [
      ...[profile, '--stacks', stacks, '--systems', 'here', '--reports', reports, '--no-live'],
      ...['--out', 'experimental-prometheus-rw', '--out', 'opentelemetry', '--out', `influxdb=${influx.url}`],
      ...['--out', `json=${join(folder, 'metrics.json.gz')}`],
    ],
    {
      env: {
        K6_PROMETHEUS_RW_SERVER_URL: `${prometheus}/api/v1/write`,
        K6_PROMETHEUS_RW_PUSH_INTERVAL: '1s',
        K6_OTEL_EXPORTER_PROTOCOL: 'http/protobuf',
        K6_OTEL_HTTP_EXPORTER_ENDPOINT: new URL(otlp).host,
        K6_OTEL_HTTP_EXPORTER_INSECURE: 'true',
      },
    },
  );
  assert.equal(code, 0, stderr);
  const own = newestRun(reports).records.find(({ system }) => system === 'here');
  assert.match(String(own?.parity.client), /--out experimental-prometheus-rw, opentelemetry, influxdb, json/);
  const counted = Object.values(own?.operations ?? {}).reduce((sum, o) => sum + o.count, 0);
  assert.ok(counted > 1000);

  const file = readdirSync(folder).find((name) => /^metrics\..*here.*\.json\.gz$/.test(name)) ?? '';
  const sent = gunzipSync(readFileSync(join(folder, file)))
    .toString()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
    .filter(
      ({ type, metric, data }) => type === 'Point' && metric === 'op_count' && data.tags.phase === 'measure',
    )
    .reduce((sum, { data }) => sum + data.value, 0);
  // k6 counts what came just outside of a window, too.
  assert.ok(sent >= counted && sent < 1.5 * counted, `${sent} sent, ${counted} counted`);

  const stored = async () => {
    const query = 'sum(max_over_time(k6_op_count_total{phase="measure",system="here"}[1h]))';
    const answer = await fetch(`${prometheus}/api/v1/query?query=${encodeURIComponent(query)}`);
    return Number((await answer.json()).data.result[0]?.value[1]);
  };
  assert.ok(await eventually(async () => (await stored()) === sent), `${await stored()} of ${sent}`);

  const told = await fetch(`${otlp}/sum?metric=op_count&phase=measure&system=here`);
  assert.equal(Number(await told.text()), sent);

  const { origin, pathname } = new URL(influx.url);
  const sum = `SELECT sum("value") FROM "op_count" WHERE "phase" = 'measure' AND "system" = 'here'`;
  const asked = await fetch(`${origin}/query?db=${pathname.slice(1)}&q=${encodeURIComponent(sum)}`);
  const [{ series }] = (await asked.json()).results;
  assert.equal(series?.[0].values[0][1], sent);
});

/** @returns {Promise<string | null>} URL; null where there is none */
async function startPrometheus() {
  const got = await obtainNeed({ binary: 'prometheus', debian: 'prometheus' });
  if ('problem' in got) return null;
  const data = join(folder, 'prometheus');
  mkdirSync(data);
  writeFileSync(join(data, 'config.yml'), 'global: {}\n');
  const port = await freePort();
  const child = await startChild(
    [
      got.found.path,
      `--config.file=${join(data, 'config.yml')}`,
      `--storage.tsdb.path=${data}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--web.enable-remote-write-receiver',
    ],
    { env: got.found.env, logPath: join(folder, 'prometheus.log') },
  );
  ends.push(() => child.stop(5000));
  const url = `http://127.0.0.1:${port}`;
  const ready = () =>
    fetch(`${url}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
  assert.ok(await eventually(ready, 30_000), child.logTail().join('\n'));
  return url;
}

/** @returns {Promise<string>} URL */
async function startOtlpReceiver() {
  const build = goBuild('otlp-receiver', join(ROOT, 'tools', 'otlp-receiver'));
  if (!isBuilt(build)) await runBuild(build);
  const log = join(folder, 'otlp.log');
  const child = await startChild([join(build.output, 'otlp-receiver')], { logPath: log });
  ends.push(() => child.stop(5000));
  assert.ok(
    await eventually(async () => readFileSync(log, 'utf8').includes('\n')),
    child.logTail().join('\n'),
  );
  return readFileSync(log, 'utf8').trim();
}
