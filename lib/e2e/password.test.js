/** A password in the address of a system: it logs the load in, and nobody can read it anywhere afterwards. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { respCommand } from '../engines/ask.js';
import { nativeAvailability, startSystem } from '../engines/index.js';
import { answerOf } from '../engines/ready.js';
import { processTable } from '../process/table.js';
import { newestRun, runCommand, shortProfile, startCommand, systemsOf, temporaryFolder } from './harness.js';

const folder = temporaryFolder();
/** With a colon and an at sign, which an address has as %3A and %40; this part of it stands in both. */
const SECRET = `s3cr3t${process.pid}x`;
const PASSWORD = `a:${SECRET}@b/c%d#e`;

const stack = systemsOf('counters').find(
  (s) => !s.manifest.native?.build && s.manifest.ask?.resp && nativeAvailability(s).state === 'ready',
);
const skip = !stack && 'no server of RESP on PATH or unpacked';

/** @returns {Promise<import('../engines/native.js').Instance>} a real server, which nobody asks anything without the password */
async function lockedServer() {
  const { id, manifest } = /** @type {import('../types.d.ts').Stack} */ (stack);
  const planned = /** @type {any} */ ({ id, engine: 'native', role: 'system', settings: {} });
  const instance = await startSystem(/** @type {any} */ (stack), planned, {
    transport: 'resp',
    options: { endpoints: {}, ports: {}, generatorCpus: null, live: false },
    signal: new AbortController().signal,
  });
  const where = { host: '127.0.0.1', port: Number(new URL(instance.url).port) };
  const set = respCommand(['CONFIG', 'SET', 'requirepass', PASSWORD]);
  assert.equal(await answerOf(where, set, (text) => text.endsWith('\r\n')), '+OK\r\n', manifest.title);
  assert.match(await answerOf(where, 'PING\r\n', (text) => text.endsWith('\r\n')), /^-NOAUTH/);
  return instance;
}

/**
 * @param {string} path
 * @returns {string[]} files, however deep, that hold the secret; what is packed is unpacked first
 */
function filesWithIt(path) {
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.path, entry.name))
    .filter((file) => {
      const bytes = readFileSync(file);
      return (file.endsWith('.gz') ? gunzipSync(bytes) : bytes).includes(SECRET) || file.includes(SECRET);
    });
}

/** @returns {string[]} command lines that hold it now, but this test's own */
function commandLinesWithIt() {
  return (processTable() ?? []).flatMap(({ pid }) => {
    try {
      const line = readFileSync(`/proc/${pid}/cmdline`, 'latin1').replaceAll('\0', ' ');
      return line.includes(SECRET) ? [line] : [];
    } catch {
      return [];
    }
  });
}

/** @param {string} url @param {string} reports */
function argsOf(url, reports) {
  const { host } = new URL(url);
  const address = `resp://:${encodeURIComponent(PASSWORD)}@${host}`;
  const id = String(stack?.id);
  return [
    ...[shortProfile(folder), '--workloads', 'counters', '--systems', `${id}@default`, '--no-live'],
    ...['--endpoint', `${id}=${address}`, '--reports', reports],
  ];
}

test('a password in an address logs the load in, and stands in no file, no output and no command line', {
  skip,
}, async () => {
  const instance = await lockedServer();
  const reports = join(folder, 'up');
  try {
    const run = startCommand(argsOf(instance.url, reports));
    await run.says(/Plan:/);
    const seen = new Set();
    let looks = 0;
    const timer = setInterval(() => {
      looks++;
      for (const line of commandLinesWithIt()) seen.add(line);
    }, 200);
    const { code, stdout, stderr } = await run.ended;
    clearInterval(timer);
    assert.ok(code === 0 || code === 4, stderr);
    const record = newestRun(reports).records.find((r) => r.role === 'system');
    assert.equal(record?.status, 'ok', String(record?.reason));
    assert.ok(record?.oracle?.ok, 'it was logged in');
    assert.ok(looks > 5);
    assert.deepEqual([...seen], []);
    assert.deepEqual(filesWithIt(reports), []);
    assert.ok(!`${stdout}${stderr}`.includes(SECRET), `${stdout}${stderr}`);
  } finally {
    await instance.stop();
  }
});

test('a wrong password is called so, by an address and by a variable', { skip }, async () => {
  const instance = await lockedServer();
  const { host } = new URL(instance.url);
  const id = String(stack?.id);
  const args = (/** @type {string} */ address, /** @type {string} */ name) => [
    ...[shortProfile(folder), '--workloads', 'counters', '--systems', `${id}@default`, '--no-live'],
    ...['--endpoint', `${id}=${address}`, '--reports', join(folder, name)],
  ];
  try {
    const env = { [`LADDERBENCH_PASSWORD_${id.toUpperCase()}`]: `no:${SECRET}` };
    const both = await Promise.all([
      runCommand(args(`resp://:no${SECRET}@${host}`, 'by-address')),
      runCommand(args(`resp://${host}`, 'by-variable'), { env }),
    ]);
    for (const { code, stderr } of both) {
      assert.equal(code, 3, stderr);
      assert.match(stderr, /WRONGPASS/);
      assert.doesNotMatch(stderr, /NOAUTH/);
    }
  } finally {
    await instance.stop();
  }
});

test('nor does it where the server is down, or refuses it, or the address is wrong', { skip }, async () => {
  const instance = await lockedServer();
  await instance.stop();
  const wrong = [
    `${stack?.id}=resp://:${SECRET}/x@127.0.0.1:1`,
    `${stack?.id}=user:${SECRET}@127.0.0.1:1`,
    `resp://:${SECRET}@127.0.0.1:1`,
    `nobody=resp://:${SECRET}@127.0.0.1:1`,
  ];
  const [down, ...refused] = await Promise.all([
    runCommand(argsOf(instance.url, join(folder, 'down'))),
    ...wrong.map((address) => runCommand(['smoke', '--no-live', '--endpoint', address, '--dry-run'])),
  ]);
  assert.equal(down.code, 3, down.stderr);
  assert.match(down.stderr, /does not answer at resp:\/\/127\.0\.0\.1:\d+ \(/);
  assert.deepEqual(filesWithIt(join(folder, 'down')), []);
  for (const { code, stderr } of refused) assert.equal(code, 2, stderr);
  for (const { stdout, stderr } of [down, ...refused]) {
    assert.ok(!`${stdout}${stderr}`.includes(SECRET), `${stdout}${stderr}`);
    assert.doesNotMatch(stderr, /\n\s+at .*:\d+:\d+/);
  }
});
