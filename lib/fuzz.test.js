import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';
import { servicesIn } from './config/compose.js';
import { readDeclared } from './config/declared.js';
import { readK6Options } from './config/k6-options.js';
import { profileProblems } from './config/profiles.js';
import { loadStacks } from './config/stacks.js';
import { askServer } from './engines/ask.js';
import { parseEndpoint } from './engines/endpoint.js';
import { BenchError } from './errors.js';
import { limitsOf } from './figures/gate.js';
import { readOptions } from './options.js';
import { ROOT } from './paths.js';
import { ARCHIVE, packRun, readArchive } from './record/archive.js';
import { resultInLog } from './record/runner-log.js';
import { runnerFile } from './record/runner-result.js';
import { readRunners } from './record/runners.js';
import { smallRun } from './record/testing.js';
import { syntheticRunner } from './record/testing-runners.js';
import { addCounts, noCounts } from './stats/counts.js';
import { latencyOf } from './stats/histogram.js';
import { createRng } from './stats/rng.js';

/**
 * Nonsense near what is valid, for each parser in JavaScript: it is read, or refused in one line, and soon. A seed is drawn
 * anew each time and told where it fails: `FUZZ_SEED=… FUZZ_SEC=600 node --test lib/fuzz.test.js`.
 */
const SEC = Number(process.env.FUZZ_SEC ?? 3);
const SEED = Number(process.env.FUZZ_SEED ?? Date.now() % 2 ** 31);
const MOST_MS = 3000;

const work = mkdtempSync(join(tmpdir(), 'lb-fuzz-'));
after(() => rmSync(work, { recursive: true, force: true }));
const { stacks } = loadStacks();

/** What is put into a valid text, or in the place of a part of it. */
const PIECES = [
  ...['', '"', "'", '{', '}', '[', ']', ':', ',', '\\', '\n', '\r\n', '\0', '\u2028', '\ufeff', '\u{1f980}'],
  ...['null', 'true', '-1', '1e999', '1e18', '0x10', 'NaN', '__proto__', 'constructor', '"a":{}', '../../..'],
  ...[
    '[['.repeat(5000),
    '{"a":'.repeat(500),
    '9'.repeat(400),
    'é'.repeat(70_000),
    '%00',
    '--',
    '=',
    '@',
    '/',
  ],
];

/** @param {() => number} random @param {string} text @returns {string} changed in a few places */
function mutated(random, text) {
  const below = (/** @type {number} */ n) => Math.floor(random() * n);
  let all = text;
  for (let n = 1 + below(3); n > 0; n--) {
    const from = below(all.length + 1);
    const length = random() < 0.5 ? 0 : below(Math.min(40, all.length - from + 1));
    const other = below(text.length + 1);
    const piece = random() < 0.7 ? PIECES[below(PIECES.length)] : text.slice(other, other + below(60));
    all = all.slice(0, from) + piece + all.slice(from + length);
  }
  return all;
}

/** @param {() => number} random @param {Buffer} bytes @returns {Buffer} changed in a few places */
function mutatedBytes(random, bytes) {
  const all = Buffer.from(bytes);
  for (let n = 1 + Math.floor(random() * 4); n > 0; n--)
    all[Math.floor(random() * all.length)] = Math.floor(random() * 256);
  return random() < 0.2 ? all.subarray(0, Math.floor(random() * all.length)) : all;
}

/** @param {any} root @param {() => number} random  replaces a value somewhere, however deep */
function spoil(root, random) {
  const values = [null, true, -1, 0.5, 1e308, '', 'x', '__proto__', [], [null], {}, { length: 9 }, [{}]];
  for (let at = root; ; ) {
    const keys = Object.keys(at);
    const key = keys[Math.floor(random() * keys.length)];
    if (key === undefined) return;
    const inner = at[key];
    if (typeof inner === 'object' && inner !== null && random() < 0.8) at = inner;
    else {
      at[key] = values[Math.floor(random() * values.length)];
      return;
    }
  }
}

/**
 * @param {string} what
 * @param {(random: () => number) => string | Buffer | string[]} input
 * @param {(input: any) => unknown} parse
 */
function fuzz(what, input, parse) {
  test(`${what}: nonsense is read or refused in one line, and soon`, async (t) => {
    const random = createRng(SEED);
    let tried = 0;
    for (const until = Date.now() + 1000 * SEC; Date.now() < until; tried++) {
      const one = input(random);
      const began = process.cpuUsage();
      try {
        await parse(one);
      } catch (error) {
        const { message } = /** @type {Error} */ (error);
        const told = `FUZZ_SEED=${SEED}, ${tried}: ${JSON.stringify(String(one)).slice(0, 2000)}`;
        assert.ok(error instanceof BenchError, `${told}\n${/** @type {Error} */ (error).stack}`);
        // What others wrote in it is made one line where it is printed.
        assert.ok(message.length < 1e6, told);
      }
      const { user } = process.cpuUsage(began);
      assert.ok(user / 1000 < MOST_MS, `FUZZ_SEED=${SEED}, ${tried}: ${user / 1e6} s`);
    }
    assert.equal(Object.keys(Object.prototype).length, 0, 'no object has a field of it');
    t.diagnostic(`${tried} inputs`);
  });
}

/** @param {() => number} random @param {readonly string[]} words @returns {string[]} some, and some of them changed */
function commandLine(random, words) {
  const all = Array.from(
    { length: 1 + Math.floor(random() * 5) },
    () => words[Math.floor(random() * words.length)],
  );
  return all.map((word) => (random() < 0.5 ? mutated(random, word) : word));
}

const run = join(work, 'run');
smallRun(run);
packRun(run);
const archive = readFileSync(join(run, ARCHIVE));
/** Of the archive what its reader compares first, and the columns themselves: nonsense in these is packed again. */
const [head, columns] = [archive.subarray(0, 8), brotliDecompressSync(archive.subarray(8))];
fuzz(
  'archives of runs',
  (random) =>
    random() < 0.3
      ? mutatedBytes(random, archive)
      : Buffer.concat([
          head,
          brotliCompressSync(mutatedBytes(random, columns), {
            params: { [constants.BROTLI_PARAM_QUALITY]: 1 },
          }),
        ]),
  (bytes) => {
    const path = join(work, 'mutated.tar.gz');
    writeFileSync(path, bytes);
    readArchive(path);
  },
);

const profile = readFileSync(join(ROOT, 'profiles', 'smoke.json'), 'utf8');
fuzz(
  'profiles',
  (random) => mutated(random, profile),
  (text) => {
    const path = join(work, 'profile.json');
    writeFileSync(path, text);
    profileProblems(readDeclared(path));
  },
);

const own = stacks.find((s) => s.manifest.docker && s.manifest.native && s.manifest.variants) ?? stacks[0];
const manifest = readFileSync(join(own.folder, 'stack.json'), 'utf8');
fuzz(
  'manifests',
  (random) => mutated(random, manifest),
  (text) => {
    const folder = join(work, 'stacks', 'some');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'stack.json'), text);
    loadStacks([dirname(folder)]);
  },
);

const compose = 'services:\n  a:\n    image: x:1@sha256:00\n    ports: ["127.0.0.1:1:1"]\n';
fuzz('files of containers', (random) => mutated(random, compose), servicesIn);

fuzz(
  'options of k6',
  (random) =>
    commandLine(random, ['-e', 'NAME=value', '--http-debug=full', '-qi5', '--tag', 'a=b', '-d1s', '--', '-']),
  readK6Options,
);
fuzz(
  'options',
  (random) =>
    commandLine(random, [
      ...['smoke', 'report', '--systems', 'a,b', '--endpoint', 'a=x://h:1', '--steps', '1,2', '--script'],
      ...['--duration', '3s', '--fail-on', 'p99>+1%', '--', '-e', '--json', 'clean', '--cache', 'a.js'],
    ]),
  readOptions,
);
fuzz('limits of a gate', (random) => mutated(random, 'throughput<-10%,p99>+15.5%'), limitsOf);
fuzz(
  'addresses',
  (random) => mutated(random, `${own.manifest.endpoint.url.split(':')[0]}://user:p%40ss@host.name:6379/`),
  (text) => parseEndpoint(own, text),
);

const part = syntheticRunner(createRng(1), { seconds: 2, operations: 40, windows: 2 });
const summary = { metrics: { iterations: { type: 'counter', values: { count: 2, rate: 1 } } } };
fuzz(
  'results of load generators, sealed again',
  (random) => {
    const changed = structuredClone({ part, summary });
    spoil(random() < 0.8 ? changed.part : changed.summary, random);
    return [JSON.stringify(changed.part), JSON.stringify(changed.summary)];
  },
  ([histograms, told]) => {
    mkdirSync(join(work, 'raw'), { recursive: true });
    const sha256 = createHash('sha256').update(`${told}\n${histograms}`).digest('hex');
    const text = JSON.stringify({ schemaVersion: 1, histograms, summary: told, sha256 });
    writeFileSync(join(work, runnerFile('c', 1)), text);
    const generators = { on: 'local', count: 1, coresEach: 1, problems: [], restarted: [] };
    const meta = /** @type {any} */ ({ cell: { id: 'c' }, generators, startedAt: null, durationMs: null });
    const { missing } = readRunners(work, meta, null).generators;
    for (const { problem } of missing) assert.ok(!problem.includes('\n'), problem);
  },
);

const [{ service }] = part.windows;
fuzz(
  'histograms',
  (random) => {
    const bytes = Buffer.from(service?.data ?? '', 'base64');
    return random() < 0.5
      ? mutatedBytes(random, bytes).toString('base64')
      : mutated(random, service?.data ?? '');
  },
  (data) => {
    const encoded = { encoding: /** @type {const} */ ('hdr-v2-deflate-base64'), unit: '100ns', data };
    addCounts(noCounts(), /** @type {any} */ (encoded));
    latencyOf(/** @type {any} */ (encoded));
  },
);
fuzz(
  'logs of pods',
  (random) =>
    mutated(random, '2026-01-01T00:00:00Z ladderbench-result 1/2 {"a":\nladderbench-result 2/2 1}\n'),
  resultInLog,
);

const replies = '$20\r\n# Server\r\nversion:1.2\r\n\r\n*2\r\n$4\r\nsave\r\n$2\r\nno\r\n';
let reply = Buffer.alloc(0);
const server = createServer((socket) => {
  socket.on('error', () => {});
  socket.once('data', () => socket.end(reply));
});
await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(null)));
after(() => server.close());
const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
const asked = /** @type {any} */ ({
  manifest: { ask: { resp: { version: ['version'], settings: ['save'] } } },
});
fuzz(
  'RESP of a server that is asked for its version',
  (random) => Buffer.from(mutated(random, replies), 'latin1'),
  async (bytes) => {
    reply = bytes;
    const { version, settings } = await askServer(asked, { host: '127.0.0.1', port });
    assert.ok(version === null || !/\s/.test(version));
    for (const text of Object.values(settings ?? {})) assert.ok(!/[\r\n]/.test(text));
  },
);
