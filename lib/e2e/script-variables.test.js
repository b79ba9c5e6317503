import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { newestRun, runCommand, startCommand, temporaryFolder } from './harness.js';
import { countingServer, plainK6 } from './plain-k6.js';

/** What a script reads of its environment: as with plain k6, and no load is changed by it. */

const NAMES = ['K6_PATH', 'K6_VUS', 'K6_ITERATIONS', 'K6_RPS', 'TMPDIR', 'TOKEN', 'EMPTY'];
const folder = temporaryFolder();
const script = join(folder, 'reads.js');
writeFileSync(
  script,
  `
import http from 'k6/http';
const names = ${JSON.stringify(NAMES)};
export default function () {
  http.get(__ENV.BASE_URL + '/' + names.map((name) => name + '=' + encodeURIComponent(__ENV[name])).join('&'));
}
`,
);
const server = await countingServer();

/** @returns {string[]} what was asked for since the last time */
function taken() {
  const paths = [...server.asked.keys()];
  server.asked.clear();
  return paths;
}

/** @param {string[]} after options of k6 @param {Record<string, string>} [env] */
async function measured(after, env) {
  const reports = temporaryFolder();
  const ours = await runCommand(
    [
      ...['--script', script, '--endpoint', `shop=${server.url}`, '--reports', reports],
      ...['--steps', '3', '--step-duration', '1s', '--', ...after],
    ],
    { env },
  );
  // 4 where the machine is too busy for a figure.
  assert.ok(ours.code === 0 || ours.code === 4, ours.stderr);
  const { records, report } = newestRun(reports);
  return { asOurs: taken(), report, ratePerSec: Number(records[0].operations.http_reqs.ratePerSec) };
}

/** @param {string[]} after options of k6 @param {Record<string, string>} env */
async function both(after, env) {
  const { code, output } = await plainK6(
    ['--vus', '2', '--iterations', '4', '--env', `BASE_URL=${server.url}`, ...after, script],
    env,
  );
  assert.equal(code, 0, output);
  const asPlain = taken();
  return { asPlain, ...(await measured(after, env)) };
}

test('every variable reaches the script as with plain k6, without changing the load', async () => {
  const { asPlain, asOurs, report, ratePerSec } = await both(
    ['-e', 'K6_PATH=/expensive, a=b', '--env=TMPDIR=/nonexistent', '-eTOKEN=s3cret', '-e', 'EMPTY'],
    { K6_RPS: '50', TOKEN: 'other' },
  );
  assert.deepEqual(asOurs, asPlain);
  assert.match(
    asOurs[0],
    /K6_PATH=%2Fexpensive%2C%20a%3Db&K6_VUS=undefined.*K6_RPS=50&TMPDIR=%2Fnonexistent&TOKEN=s3cret&EMPTY=$/,
  );
  assert.doesNotMatch(report, /s3cret/);
  // Of three users who wait 20 ms each, more than K6_RPS=50 would let through.
  assert.ok(ratePerSec > 55, `${ratePerSec}`);
});

test('variables with the names of k6 options are variables, and the environment can be kept from a script', async () => {
  const { asPlain, asOurs } = await both(['--include-system-env-vars=false', '-e', 'K6_PATH=1'], {
    TOKEN: 'hidden',
  });
  assert.deepEqual(asOurs, asPlain);
  assert.match(asOurs[0], /TOKEN=undefined/);
  // By -e, plain k6 takes these as options, too (its -e writes into its own environment): here they are variables alone.
  const options = await measured(['-e', 'K6_VUS=1', '-e', 'K6_ITERATIONS=1', '-e', 'K6_RPS=1']);
  assert.match(options.asOurs[0], /K6_VUS=1&K6_ITERATIONS=1&K6_RPS=1&/);
  assert.ok(options.ratePerSec > 20, `${options.ratePerSec}`);
});

test('a run that goes on has its variables again, or says which one lacks', async () => {
  const reports = temporaryFolder();
  const begun = startCommand([
    ...['--script', script, '--endpoint', `shop=${server.url}`, '--reports', reports],
    ...['--steps', '1,2', '--step-duration', '3s', '--', '-e', 'K6_PATH=/first', '-e', 'TOKEN=t'],
  ]);
  await begun.says(/1 user/);
  begun.child.kill('SIGINT');
  assert.equal((await begun.ended).code, 130);
  taken();
  const lacking = await runCommand(['--resume', 'latest', '--reports', reports]);
  assert.equal(lacking.code, 2);
  assert.match(lacking.stderr, /was given the variable K6_PATH.*\n.*-- -e K6_PATH=VALUE -e TOKEN=VALUE/);
  const options = await runCommand(['--resume', 'latest', '--reports', reports, '--', '--rps', '5']);
  assert.equal(options.code, 2);
  assert.match(options.stderr, /"--rps" after "--": a run goes on with the options/);
  const resumed = await runCommand(
    ['--resume', 'latest', '--reports', reports, '--', '-e', 'K6_PATH=/again'],
    {
      env: { TOKEN: 'u' },
    },
  );
  assert.equal(resumed.code, 0, resumed.stderr);
  assert.ok(taken().every((path) => /K6_PATH=%2Fagain.*TOKEN=u/.test(path)));
});
