#!/usr/bin/env node
// Do several generators of this machine measure the latencies that one measures, with as many users? See --help.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { loadStacks } from '../lib/config/stacks.js';
import { readRun } from '../lib/figures/run.js';
import { withRun } from '../lib/record/archive.js';
import { isBuilt, runBuild, stackBuilds } from '../lib/setup/builds.js';
import { compared, percentilesOf } from './generators-compared.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const help = `Usage: node scripts/bench-generators.mjs [options]

  --generators N  how many are compared with one (4)
  --rounds N      of three runs each: one, several, one (6)
  --users N       of all of them together (16)
  --rate N        operations per second of the open step (2000)
  --seconds N     of a measured window (1)
  --delay DIST    of the responder's replies, for example 5ms:0.8,10ms:0.15,40ms:0.05; none by default
  --before COMMAND  put before each run, for example "nice -n 5"

All load the counting null responder, by a closed step and an open one. It prints, for each percentile, the ratio of several to
one and that of one to itself, each with its 95 % interval. About 25 s a run. Where there are fewer cores than generators, they
wait for one another, and a responder that answers at once shows that: with --delay the responder decides.`;

const { values: flags } = parseArgs({
  options: {
    generators: { type: 'string', default: '4' },
    rounds: { type: 'string', default: '6' },
    users: { type: 'string', default: '16' },
    rate: { type: 'string', default: '2000' },
    seconds: { type: 'string', default: '1' },
    delay: { type: 'string', default: '' },
    before: { type: 'string', default: '' },
    help: { type: 'boolean' },
  },
});
const [several, rounds, users, rate, seconds] = [
  ...[flags.generators, flags.rounds, flags.users, flags.rate, flags.seconds].map(Number),
];
const numbers = [several, rounds, users, rate, seconds];
if (flags.help || !numbers.every((n) => Number.isInteger(n) && n > 0) || several < 2 || users < several) {
  console.log(help);
  process.exit(flags.help ? 0 : 2);
}

const work = mkdtempSync(join(tmpdir(), 'lb-generators-'));
process.on('exit', () => rmSync(work, { recursive: true, force: true }));
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(130));
const stacks = join(work, 'stacks');
await addResponder('responder');
const profile = join(work, 'profile.json');
// Each of the three operations has a window of its own.
const step = { vus: users, durationSec: 3 * seconds };
writeFileSync(
  profile,
  JSON.stringify({
    title: 'Several generators and one',
    seed: 5,
    repeats: 1,
    workloads: ['counters'],
    warmupSec: 1,
    coolDownSec: 0,
    drive: 'burst',
    dataset: { keys: 1000 },
    steps: [
      { id: 'closed', model: 'closed', ...step },
      { id: 'open', model: 'open', ratePerSec: rate, ...step },
    ],
    thresholds: { errorRatio: 0.001 },
  }),
);

/** @type {Parameters<typeof compared>[0]} */
const measured = [];
for (let round = 1; round <= rounds; round++) {
  const [first, middle, last] = [1, several, 1].map(measure);
  measured.push({ several: middle, ones: [first, last] });
  console.error(`round ${round} of ${rounds}`);
}
const all = compared(measured);
const shown = (/** @type {import('../lib/types.d.ts').Interval} */ { estimate, low, high }) =>
  `${estimate.toFixed(3)} (${low.toFixed(3)}–${high.toFixed(3)})`;
console.log(`${several} generators to one, ${users} users in all, ${rounds} rounds; one to itself beside it`);
for (const { key, ratio, noise, within } of all)
  console.log(`  ${key}: ${shown(ratio)}; ${shown(noise)}; ${within ? 'within the noise' : 'another'}`);
console.log(`within the noise: ${all.filter((c) => c.within).length} of ${all.length}`);

/**
 * @param {number} generators
 * @returns {import('./generators-compared.js').Percentiles}
 */
function measure(generators) {
  const reports = join(work, 'reports');
  const [command, ...args] = [
    ...flags.before.split(' ').filter(Boolean),
    join(root, 'run-all.sh'),
    ...[profile, '--systems', 'responder', '--stacks', stacks, '--reports', reports],
    ...['--engine', 'native', '--no-live', '--generators', String(generators)],
  ];
  const { status, stderr } = spawnSync(command, args, { cwd: root, encoding: 'utf8' });
  const run = existsSync(reports) && readdirSync(reports).find((name) => name.startsWith('20'));
  // A busy machine makes figures INVALID (4), and they are figures all the same.
  if (!run || ![0, 4].includes(Number(status))) {
    console.error(stderr);
    process.exit(1);
  }
  const records = withRun(join(reports, run), (data) => readRun(data).records);
  rmSync(reports, { recursive: true });
  return percentilesOf(records);
}

/** @param {string} id of the null responder, as a system that keeps its counters */
async function addResponder(id) {
  const stack = loadStacks().stacks.find((s) => s.id.startsWith('_') && s.manifest.workloads.counters);
  if (!stack) throw new Error('no null responder has counters');
  const [build] = stackBuilds(stack);
  if (!isBuilt(build)) await runBuild(build);
  const folder = join(stacks, id);
  mkdirSync(folder, { recursive: true });
  const delay = flags.delay ? ['--delay', flags.delay] : [];
  const start = [join(build.output, 'null'), '--resp', '127.0.0.1:{port}', '--counting', ...delay];
  const workloads = { counters: { transports: ['resp'] } };
  const manifest = { ...stack.manifest, docker: undefined, title: 'Responder', workloads, native: { start } };
  writeFileSync(join(folder, 'stack.json'), JSON.stringify(manifest));
  writeFileSync(join(folder, 'client.js'), `export { default } from '${join(stack.folder, 'client.js')}';\n`);
}
