#!/usr/bin/env node
/**
 * `npm run as-k6 [-- [--rates only|none] NAME…]`: each script of lib/e2e/testdata/as-k6 is run by plain k6 and by `--script`, at the same moment,
 * each against a server of its own that counts what it is asked. Both must ask the same paths, with as many requests, checks
 * and failures to an iteration, cross the same thresholds, and end alike. About 5 minutes for all of them on two busy cores.
 * `--rates`: those with a rate of arrivals, which ask for a machine that is not full, or all but them.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual, parseArgs } from 'node:util';
import { startCalls, startServer } from '../lib/e2e/script-server.js';
import { readRun } from '../lib/figures/run.js';
import { ROOT } from '../lib/paths.js';
import { runTool } from '../lib/process/tool.js';
import { withRun } from '../lib/record/archive.js';
import { generatorBuild, isBuilt, runBuild } from '../lib/setup/builds.js';

const SCRIPTS = join(ROOT, 'lib', 'e2e', 'testdata', 'as-k6');
const USERS = 2;
/** So many scripts at once: what is compared are shares of iterations, not times. */
const AT_ONCE = 3;
/** Of failed operations more than this is beyond the objective, and ends a run with 4: the one thing that k6 does not say. */
const OBJECTIVE = 0.001;
/** k6's exit codes by which a script judges its run, and those of a script that it cannot run. */
const JUDGED = new Set([99, 108, 110]);
const REFUSED = new Set([104, 107]);
/** What the machine is to blame for, or the shortness of a step, says nothing of a script. */
const OF_SCRIPT = new Set(['errors', 'script_threshold']);

/**
 * @typedef {object} Seen
 * @property {0 | 2 | 3 | 4 | 1 | number} exit class of the end
 * @property {Record<string, number>} counts iterations, requests, checks, and of each those that failed; {} of one that was refused
 * @property {string[]} crossed thresholds
 * @property {string[]} asked paths
 */

/**
 * @param {string} text of a script
 * @returns {Promise<{url: string, asked: () => string[], stop: () => unknown}>} what it speaks to
 */
async function serve(text) {
  if (text.includes('k6/net/grpc')) {
    const calls = await startCalls();
    return { url: `grpc://${calls.host}`, asked: () => (calls.asked() > 0 ? ['Get'] : []), stop: calls.stop };
  }
  const server = await startServer();
  const scheme = /k6\/(ws|websockets)'/.test(text) ? 'ws' : 'http';
  return {
    url: `${scheme}://${server.host}`,
    asked: () => Object.keys(server.asked).sort(),
    stop: server.stop,
  };
}

/**
 * @param {string} k6
 * @param {string} file
 * @param {string} folder for its summary
 * @returns {Promise<Seen>}
 */
async function byK6(k6, file, folder) {
  const text = readFileSync(file, 'utf8');
  const server = await serve(text);
  const summary = join(folder, 'summary.json');
  const load = text.includes('scenarios:') ? [] : ['--vus', String(USERS), '--duration', '3s'];
  const { code, stderr } = await runTool(
    [k6, 'run', '--quiet', '--no-color', '--log-format', 'json', '--summary-export', summary, ...load, file],
    { env: { BASE_URL: server.url, K6_NO_USAGE_REPORT: 'true' } },
  );
  await server.stop();
  const asked = server.asked();
  if (REFUSED.has(Number(code))) return { exit: 2, counts: {}, crossed: [], asked };
  const { metrics } = JSON.parse(readFileSync(summary, 'utf8'));
  const thrown = stderr.split('\n').filter((line) => line.includes('"executor":')).length;
  const counts = {
    iterations: metrics.iterations.count,
    'iterations that failed': thrown,
    requests: metrics.http_reqs?.count ?? 0,
    'requests that failed': metrics.http_req_failed?.passes ?? 0,
    'iterations that were dropped': metrics.dropped_iterations?.count ?? 0,
    checks: (metrics.checks?.passes ?? 0) + (metrics.checks?.fails ?? 0),
    'checks that failed': metrics.checks?.fails ?? 0,
  };
  const crossed = Object.entries(metrics).flatMap(([metric, { thresholds = {} }]) =>
    Object.entries(thresholds).flatMap(([source, isCrossed]) => (isCrossed ? [`${metric}: ${source}`] : [])),
  );
  // The rehearsal refuses what throws from its first iteration on.
  if (thrown > 0 && thrown === counts.iterations) return { exit: 2, counts: {}, crossed, asked };
  const fails = ['iterations', 'requests', 'checks'].some(
    (of) => counts[`${of} that failed`] > OBJECTIVE * counts[of],
  );
  return { exit: JUDGED.has(Number(code)) || fails ? 4 : 0, counts, crossed: crossed.sort(), asked };
}

/**
 * @param {string} file
 * @param {string} folder for its report
 * @returns {Promise<Seen & {said: string}>}
 */
async function byScript(file, folder) {
  const text = readFileSync(file, 'utf8');
  const server = await serve(text);
  // A script that says its own load is run by the flags that stand in its first line for the same.
  const load = /^\/\/ as-k6: (.*)$/m.exec(text)?.[1].split(' ') ?? ['--steps', String(USERS)];
  const { code, stderr } = await runTool([
    ...[join(ROOT, 'run-all.sh'), '--script', file, '--endpoint', `shop=${server.url}`],
    ...[...load, '--step-duration', '2s', '--reports', folder, '--no-live'],
  ]);
  await server.stop();
  const seen = { exit: Number(code ?? 1), counts: {}, crossed: [], asked: server.asked(), said: stderr };
  const run = readdirSync(folder).find((name) => name.startsWith('20'));
  if (!run) return seen;
  const [record] = withRun(join(folder, run), (data) => readRun(data).records);
  const { operations: o, verdict } = record;
  const failed = (/** @type {string} */ op) => Object.values(o[op]?.errors ?? {}).reduce((n, e) => n + e, 0);
  const all = (/** @type {string} */ op) => (o[op]?.count ?? 0) + failed(op);
  const own = verdict.reasons.filter((r) => OF_SCRIPT.has(r.code));
  const gate = own.find((r) => r.code === 'script_threshold');
  return {
    ...seen,
    exit: code === 4 && own.length === 0 ? 0 : seen.exit,
    counts: {
      iterations: all('iterations'),
      'iterations that failed': failed('iterations'),
      requests: all('http_reqs'),
      'requests that failed': failed('http_reqs'),
      'iterations that were dropped': o.iterations?.dropped ?? 0,
      checks: all('checks'),
      'checks that failed': failed('checks'),
    },
    crossed: String(gate?.measured ?? '')
      .split('; ')
      .filter((text) => text.includes(': '))
      .sort(),
  };
}

/**
 * @param {Seen} plain
 * @param {Seen} ours
 * @returns {string[]} what differs
 */
function differences(plain, ours) {
  const found = [];
  if (plain.exit !== ours.exit) found.push(`k6 ends as ${plain.exit}, --script with ${ours.exit}`);
  if (!isDeepStrictEqual(plain.crossed, ours.crossed))
    found.push(`crossed: k6 [${plain.crossed}], --script [${ours.crossed}]`);
  if (!isDeepStrictEqual(plain.asked, ours.asked))
    found.push(`asked: k6 [${plain.asked}], --script [${ours.asked}]`);
  if (Object.keys(plain.counts).length !== Object.keys(ours.counts).length) {
    if (plain.exit !== 2 || ours.exit !== 2) found.push('one of them was not measured');
    return found;
  }
  for (const [what, count] of Object.entries(plain.counts)) {
    const each = count / plain.counts.iterations;
    const expected = each * ours.counts.iterations;
    // An iteration of each user is cut at an edge of the window; what fails now and then may do so once more or less.
    const rounding = what.endsWith('failed') ? 2 * USERS : 0;
    if (Math.abs(ours.counts[what] - expected) > each * USERS + rounding)
      found.push(`${what}: ${expected.toFixed(1)} are expected by k6, --script has ${ours.counts[what]}`);
  }
  return found;
}

/** @param {string} name of a script; says what differs @returns {Promise<boolean>} whether anything does */
async function compare(name) {
  const folder = mkdtempSync(join(tmpdir(), 'lb-as-k6-'));
  try {
    const file = join(SCRIPTS, name);
    const [plain, ours] = await Promise.all([
      byK6(join(build.output, 'k6'), file, folder),
      byScript(file, folder),
    ]);
    const found = differences(plain, ours);
    const { iterations = 0, requests = 0 } = ours.counts;
    const lines = [
      `${found.length === 0 ? 'as k6' : 'OTHER'}  ${name.padEnd(28)} ends ${ours.exit}, ${iterations} iterations, ${requests} requests`,
      ...found.map((text) => `       ${text}`),
      ...(found.length > 0 ? [ours.said.replace(/^/gm, '         ')] : []),
    ];
    console.log(lines.join('\n'));
    return found.length > 0;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * @param {string[]} names of scripts
 * @param {number} atOnce
 * @returns {Promise<string[]>} those that differ
 */
async function compareAll(names, atOnce) {
  const waiting = [...names];
  const different = [];
  const next = async () => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift())
      if (await compare(name)) different.push(name);
  };
  await Promise.all(Array.from({ length: atOnce }, next));
  return different;
}

const { values: flags, positionals: names } = parseArgs({
  options: { rates: { type: 'string' } },
  allowPositionals: true,
});
const build = generatorBuild();
if (!isBuilt(build)) await runBuild(build);
/** @param {string} name of a script that drops iterations where the machine is full */
const hasRate = (name) => readFileSync(join(SCRIPTS, name), 'utf8').includes('arrival-rate');
const files = readdirSync(SCRIPTS)
  .filter((name) => /\.(js|ts)$/.test(name) && name !== 'names.js')
  .filter((name) => flags.rates === undefined || hasRate(name) === (flags.rates === 'only'))
  .filter((name) => names.length === 0 || names.some((n) => name.includes(n)));
const began = Date.now();
const first = [
  ...(await compareAll(
    files.filter((name) => !hasRate(name)),
    AT_ONCE,
  )),
  ...(await compareAll(files.filter(hasRate), 1)),
];
if (first.length > 0) console.log(`once more, alone: ${first.join(', ')}`);
const differing = (await compareAll(first, 1)).length;
console.log(
  `${files.length - differing} of ${files.length} as k6, in ${Math.round((Date.now() - began) / 1000)} s`,
);
process.exit(differing === 0 && files.length > 0 ? 0 : 1);
