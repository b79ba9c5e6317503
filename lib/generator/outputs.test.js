import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { demandReachable, outputProblems, outputsFor, readOutputs } from './outputs.js';

after(() => readOutputs([]));

test('outputs go to k6 as they were given, and each load writes a file of its own', () => {
  const path = join(tmpdir(), 'm.x.json.gz');
  assert.deepEqual(
    readOutputs([`json=${path}`, 'experimental-prometheus-rw', 'influxdb=http://u:p@h:1/db']),
    ['json', 'experimental-prometheus-rw', 'influxdb'],
  );
  assert.deepEqual(outputsFor('counters.resp.a.c1.r1', {}).outputs, [
    `json=${join(tmpdir(), 'm.x.counters.resp.a.c1.r1.json.gz')}`,
    'experimental-prometheus-rw',
    'influxdb=http://u:p@h:1/db',
  ]);
  assert.deepEqual(readOutputs([`csv=${join(tmpdir(), 'plain')}`]), ['csv']);
  const csv = { outputs: ['csv'], env: { K6_CSV_FILENAME: join(tmpdir(), 'plain.one') } };
  assert.deepEqual(outputsFor('one', {}), csv);
  readOutputs([]);
  assert.deepEqual(outputsFor('one', {}), { outputs: [], env: {} });
});

test('of the variables of k6 only those of the given outputs are let through', () => {
  const env = { K6_PROMETHEUS_RW_SERVER_URL: 'http://x', K6_OTEL_A: '1', K6_VUS: '3', HOME: '/' };
  readOutputs(['experimental-prometheus-rw']);
  assert.deepEqual(outputsFor('one', env).env, { K6_PROMETHEUS_RW_SERVER_URL: 'http://x' });
  readOutputs([]);
  assert.deepEqual(outputsFor('one', env).env, {});
});

test('what k6 could not write to is told before anything is measured', () => {
  for (const [text, message] of /** @type {[string, RegExp][]} */ ([
    ['jsno=x', /unknown output "jsno".*json/],
    ['toString', /unknown output/],
    ['statsd', /unknown output "statsd"/], // k6 has it no more
    ['json', /needs a file/],
    [`json=${join(tmpdir(), 'no-such-folder', 'x.json')}`, /there is no folder/],
  ]))
    assert.throws(() => readOutputs([text]), message, text);
  assert.throws(() => readOutputs(['influxdb', 'influxdb']), /twice/);
  assert.throws(() => demandReachable(['influxdb', 'json']), /k6 runs in a container/);
  demandReachable(['influxdb']);
});

test('what k6 says of outputs that did not take all is one line each, without an address', () => {
  readOutputs([
    `json=${join(tmpdir(), 'm.json')}`,
    `csv=${join(tmpdir(), 'm.csv')}`,
    'influxdb=http://u:p@h:1/db',
  ]);
  const full = {
    ...{ level: 'error', output: 'json', msg: "Sample(s) couldn't be marshalled to JSON" },
    error: 'write /dev/full: no space left on device',
  };
  const dead = {
    ...{ level: 'error', output: 'InfluxDBv1', msg: "Couldn't write stats" },
    error: 'Post "http://u:p@h:1/write?db=db": dial tcp h:1: connect: connection refused',
  };
  const csv = { level: 'error', output: 'csv', msg: 'CSV: Error writing to file' };
  const others = [
    { level: 'warning', output: 'csv', msg: 'slow' },
    { level: 'error', msg: 'of the script' },
  ];
  const log = [full, dead, full, csv, ...others].map((line) => JSON.stringify(line));
  assert.deepEqual(outputProblems([...log, 'no JSON']), [
    {
      output: 'json',
      cause: "Sample(s) couldn't be marshalled to JSON: write /dev/full: no space left on device",
    },
    { output: 'csv', cause: 'CSV: Error writing to file' },
    { output: 'influxdb', cause: "Couldn't write stats: dial tcp h:1: connect: connection refused" },
  ]);
  readOutputs([]);
  assert.deepEqual(outputProblems(log), []);
});
