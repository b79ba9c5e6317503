#!/usr/bin/env node
// Whole campaigns side by side, of which it is known what must come out: how often does it? See --help.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { loadStacks } from '../lib/config/stacks.js';
import { between, winnerOf } from '../lib/figures/compare.js';
import { readRun } from '../lib/figures/run.js';
import { withRun } from '../lib/record/archive.js';
import { isBuilt, runBuild, stackBuilds } from '../lib/setup/builds.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const help = `Usage: node scripts/campaigns.mjs twins|same [options]

  twins  two responders of which a request takes 2.0 and 2.2 µs of CPU: their ratio is 1.10
  same   a system against itself, under two names: their ratio is 1

  --tries N          campaigns (10), about a minute each
  --costs A,B        of the twins (2us,2200ns)
  --system NAME      of same, with counters over resp
  --before COMMAND   put before each campaign, for example "nice -n 5"
  --fail-on LIMITS   that compare holds the second against the first by, as a gate does (cpu>+5%)

Each is a run of ./run-all.sh with five to twelve starts. It prints a line for each comparison, and the counts at the end:
also how often the gate of docs/ci.md was closed, which it should be for twins and never for the same system.`;

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    tries: { type: 'string', default: '10' },
    costs: { type: 'string', default: '2us,2200ns' },
    system: { type: 'string' },
    before: { type: 'string', default: '' },
    'fail-on': { type: 'string', default: 'cpu>+5%' },
    help: { type: 'boolean' },
  },
});
const [what] = positionals;
const tries = Number(flags.tries);
if (flags.help || !['twins', 'same'].includes(what) || !(Number.isInteger(tries) && tries > 0)) {
  console.log(help);
  process.exit(flags.help ? 0 : 2);
}

const work = mkdtempSync(join(tmpdir(), 'lb-campaigns-'));
process.on('exit', () => rmSync(work, { recursive: true, force: true }));
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(130));
const stacks = join(work, 'stacks');
const { ratio, systems } = what === 'twins' ? await twins(flags.costs.split(',')) : same(flags.system);
const profile = join(work, 'campaign.json');
writeFileSync(
  profile,
  JSON.stringify({
    title: `Campaign: ${what}`,
    seed: 5,
    repeats: 1,
    workloads: ['counters'],
    warmupSec: 1,
    coolDownSec: 0,
    drive: 'burst',
    dataset: { keys: 1000 },
    sideBySide: { maxStarts: 12 },
    steps: [{ id: 'c50-p16', model: 'closed', vus: 50, depth: 16, durationSec: 3 }],
    thresholds: { errorRatio: 0.001 },
  }),
);

/** Exit code of a gate whose limits are crossed. */
const CROSSED = 4;
let closed = 0;
/** @type {Record<string, number>} */
const count = {
  comparisons: 0,
  winner: 0,
  'at least': 0,
  tie: 0,
  inconclusive: 0,
  'too few': 0,
  'not comparable': 0,
  inside: 0,
  opposite: 0,
};
for (let i = 1; i <= tries; i++) {
  const begun = Date.now();
  const reports = join(work, `reports-${i}`);
  const [command, ...args] = [
    ...flags.before.split(' ').filter(Boolean),
    join(root, 'run-all.sh'),
    ...[profile, '--systems', systems.join(','), '--stacks', stacks, '--reports', reports],
    ...['--engine', 'native', '--no-live'],
  ];
  const { status, stderr } = spawnSync(command, args, { cwd: root, encoding: 'utf8' });
  // A start that failed counts for nothing, and neither does one that stored something wrong.
  if (![0, 3, 4].includes(Number(status)) || !existsSync(reports)) {
    console.error(stderr);
    process.exit(1);
  }
  const run = join(reports, String(readdirSync(reports).find((name) => name.startsWith('20'))));
  const seconds = Math.round((Date.now() - begun) / 1000);
  for (const line of withRun(run, linesOf))
    console.log(`${i}/${tries} ${line} (${seconds} s, exit ${status})`);
  const gate = spawnSync(
    join(root, 'run-all.sh'),
    ['compare', ...systems.map((id) => `${run}:${id}`), '--fail-on', flags['fail-on']],
    { cwd: root, encoding: 'utf8' },
  );
  if (gate.status !== 0 && gate.status !== CROSSED) throw new Error(gate.stderr || gate.stdout);
  if (gate.status === CROSSED) closed++;
  console.log(`${i}/${tries} gate ${flags['fail-on']}: exit ${gate.status}`);
  rmSync(reports, { recursive: true });
}
const of = (/** @type {number} */ n) => `${n} of ${count.comparisons}`;
console.log(
  `${tries} campaigns: winner ${of(count.winner)}, tie ${of(count.tie)}, inconclusive ${of(count.inconclusive + count['too few'])}; ` +
    `${ratio.toFixed(2)} inside the interval ${of(count.inside)}; the other one the winner in ${count.opposite}; ` +
    `gate closed in ${closed} of ${tries}`,
);
process.exitCode = count.opposite > 0 || (ratio === 1 && count.winner + closed > 0) ? 1 : 0;

/** @param {string} data folder of a run @returns {string[]} a line for each comparison, counted */
function linesOf(data) {
  const all = readRun(data).sideBySide.flatMap((s) => s.comparisons);
  return all.map((comparison) => {
    // The first of ours is the one that must do more.
    const own = between([comparison], systems[0], systems[1]) ?? comparison;
    const { a, cell, outcome, n, ratio: found } = own;
    count.comparisons++;
    count[outcome]++;
    if (found && found.low <= ratio && ratio <= found.high) count.inside++;
    if (![null, systems[0]].includes(winnerOf(own))) count.opposite++;
    const interval = found
      ? ` ${found.estimate.toFixed(3)} (${found.low.toFixed(3)}–${found.high.toFixed(3)})`
      : '';
    return `${cell}: ${outcome}, ${a}${interval}, ${n} starts`;
  });
}

/**
 * @param {string[]} costs of a request
 * @returns {Promise<{ratio: number, systems: string[]}>} the cheaper one first
 */
async function twins(costs) {
  const stack = loadStacks().stacks.find((s) => s.id.startsWith('_') && s.manifest.workloads.counters);
  if (!stack || costs.length !== 2) throw new Error(help);
  const [build] = stackBuilds(stack);
  if (!isBuilt(build)) await runBuild(build);
  const ids = costs.map((cost) => {
    const id = `cost-${cost}`;
    const start = [join(build.output, 'null'), '--resp', '127.0.0.1:{port}', '--counting', '--cost', cost];
    const manifest = {
      ...stack.manifest,
      docker: undefined,
      title: `Responder at ${cost}`,
      native: { start },
    };
    addStack(id, stack.folder, { ...manifest, workloads: { counters: { transports: ['resp'] } } });
    return id;
  });
  const [less, more] = costs.map(nanoseconds);
  return { ratio: more / less, systems: ids };
}

/** @param {string} text such as 2us @returns {number} */
function nanoseconds(text) {
  const [, number, unit] = /^([\d.]+)(ns|us|ms)$/.exec(text) ?? [];
  if (!number) throw new Error(`not a cost: ${text}; write it like 2us or 2200ns`);
  return Number(number) * { ns: 1, us: 1e3, ms: 1e6 }[/** @type {'ns' | 'us' | 'ms'} */ (unit)];
}

/** @param {string | undefined} named @returns {{ratio: number, systems: string[]}} */
function same(named) {
  const stack = loadStacks().stacks.find((s) => s.id === named);
  if (!stack?.manifest.workloads.counters?.transports.includes('resp'))
    throw new Error(`--system: ${named ?? 'none'} is no system with counters over resp`);
  const id = `${stack.id}-again`;
  const { counters } = stack.manifest.workloads;
  cpSync(stack.folder, join(stacks, id), { recursive: true });
  addStack(id, stack.folder, {
    ...stack.manifest,
    title: `${stack.manifest.title} again`,
    workloads: { counters },
  });
  return { ratio: 1, systems: [stack.id, id] };
}

/** @param {string} id @param {string} like folder of a stack @param {object} manifest */
function addStack(id, like, manifest) {
  mkdirSync(join(stacks, id), { recursive: true });
  writeFileSync(join(stacks, id, 'stack.json'), JSON.stringify(manifest));
  writeFileSync(join(stacks, id, 'client.js'), `export { default } from '${join(like, 'client.js')}';\n`);
}
