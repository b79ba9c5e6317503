import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { singleTrials } from '../config/trials.js';
import { containerPoint } from '../live/points.js';
import { askAll, dashboards } from '../live/testing.js';
import { createWriter } from '../live/writer.js';
import { ROOT } from '../paths.js';
import { freePort } from '../process/ports.js';
import { withRun } from '../record/archive.js';
import { readPlan } from '../record/run-folder.js';
import { goBuild, isBuilt, runBuild } from '../setup/builds.js';
import { findNeed } from '../setup/needs.js';
import { INFLUXD } from '../setup/setup.js';
import {
  addSystem,
  CALIBRATED,
  newestRun,
  responder,
  shortProfile,
  startCommand,
  temporaryFolder,
} from './harness.js';

const folder = temporaryFolder();
const stacks = join(folder, 'stacks');
const reports = join(folder, 'reports');

/** Parents of control groups, version 2 or 1; cAdvisor names a plain group by its path. */
const PARENTS = existsSync('/sys/fs/cgroup/cgroup.controllers')
  ? ['/sys/fs/cgroup']
  : ['cpu', 'cpuacct', 'memory', 'blkio'].map((c) => `/sys/fs/cgroup/${c}`);
const prefix = `ladderbench-${process.pid}-`;

/** @param {string} id @returns {string[]} folders of a system's control groups, [] where this user can make none */
function groupsOf(id) {
  try {
    return PARENTS.map((parent) => {
      const group = join(parent, `${prefix}${id}`);
      mkdirSync(group);
      return group;
    });
  } catch {
    return [];
  }
}

/** @type {Record<string, string[]>} */
const groups = { steady: groupsOf('steady'), failing: groupsOf('failing') };
const contained = groups.steady.length > 0;
after(() => {
  for (const group of Object.values(groups).flat()) rmdirSync(group);
});

/**
 * A system that takes 2 ms for each answer, in control groups of its own.
 * @param {string} id
 * @returns {string} its folder
 */
function addContained(id) {
  const path = addSystem(stacks, id, { args: ['--delay', '2ms'] });
  const file = join(path, 'stack.json');
  const manifest = JSON.parse(readFileSync(file, 'utf8'));
  const enter = 'for g in $GROUPS; do echo $$ > "$g/cgroup.procs"; done; exec "$0" "$@"';
  manifest.native.start = ['/bin/sh', '-c', enter, ...manifest.native.start];
  manifest.native.env = { GROUPS: groups[id].join(' ') };
  writeFileSync(file, JSON.stringify(manifest));
  return path;
}

addContained('steady');
const client = join(responder().stack.folder, 'client.js');
writeFileSync(
  join(addContained('failing'), 'client.js'),
  `import own from '${client}';
const { counters } = own;
const get = { command: ['NO-SUCH-COMMAND', '{key}'], expect: 'bulk-or-null' };
export default { counters: { ...counters, templates: { ...counters.templates, get } } };
`,
);

/**
 * cAdvisor's library with our driver, reading the control groups of the systems.
 * @param {string} influx `http://host:port`
 */
async function startCadvisor(influx) {
  const build = goBuild('cadvisor', join(ROOT, 'stacks', '_shared', 'cadvisor'));
  if (!isBuilt(build)) await runBuild(build);
  const child = spawn(
    join(build.output, 'cadvisor'),
    [
      '-listen_ip=127.0.0.1',
      `-port=${await freePort()}`,
      '-docker_only=true',
      '-housekeeping_interval=1s',
      '-allow_dynamic_housekeeping=false',
      `-raw_cgroup_prefix_whitelist=/${prefix}`,
      '-storage_driver=influxdb',
      `-storage_driver_host=${new URL(influx).host}`,
      '-storage_driver_buffer_duration=1s',
    ],
    { stdio: 'ignore' },
  );
  after(() => child.kill('SIGKILL'));
}

/**
 * Where systems are processes the runner has no containers to name; here their control groups stand for them.
 * @param {string} influx `http://host:port`
 */
async function nameContainers(influx) {
  const run = readdirSync(reports).find((name) => name.startsWith('20')) ?? '';
  const plan = withRun(join(reports, run), readPlan);
  const writer = createWriter(`${influx}/k6`);
  for (const {
    systems: [system],
    cells,
  } of singleTrials(plan)) {
    if (system in groups) writer.write([containerPoint(cells[0], plan, `/${prefix}${system}`)]);
  }
  await writer.close();
  assert.equal(writer.lost(), 0);
}

/** Errors, dropped operations, a target, sound cells and unsound ones: something for each panel. */
function profile() {
  const steps = /** @type {import('../types.d.ts').Step[]} */ ([
    { id: 'c4', model: 'closed', vus: 4, durationSec: 6 },
    { id: 'beyond', model: 'open', vus: 4, ratePerSec: 20_000, durationSec: 6 },
    { id: 'last', model: 'closed', vus: 4, durationSec: 6 },
  ]);
  return shortProfile(folder, { steps, calibration: CALIBRATED });
}

/**
 * @param {string} influx
 * @param {any} board
 */
async function demandRows(influx, board) {
  const ask = () => askAll(influx, board, { workload: 'counters', op: 'increment' });
  let answers = await ask();
  // What cAdvisor tells of containers comes when it comes.
  const isWaiting = () =>
    contained && answers.some((a) => a.rows === 0 && !a.text.includes('ops_per_cpu_sec'));
  for (const until = Date.now() + 60_000; isWaiting() && Date.now() < until; ) {
    await new Promise((resolve) => setTimeout(resolve, 2000));
    answers = await ask();
  }
  const text = (/** @type {typeof answers} */ some) =>
    some.map((a) => `${a.where}: ${a.error ?? 'no rows'}\n  ${a.text}`);
  assert.deepEqual(text(answers.filter((a) => a.error)), []);
  // These two are not side by side; live.test.js has two that are.
  const apart = answers.filter((a) => !a.text.includes('ops_per_cpu_sec'));
  const asked = apart.filter((a) => contained || !a.text.includes('container'));
  assert.deepEqual(text(asked.filter((a) => a.rows === 0)), [], `of ${asked.length} queries`);
}

/**
 * The check can fail: under other names of the measurements nothing is found.
 * @param {string} influx
 * @param {any} board
 */
async function demandNoneWhenRenamed(influx, board) {
  const renamed = structuredClone(board);
  for (const panel of renamed.panels) {
    for (const target of panel.targets ?? []) target.query = target.query.replace('FROM "', 'FROM "new_');
  }
  const found = (await askAll(influx, renamed)).filter((a) => a.text.includes('"new_') && a.rows > 0);
  assert.deepEqual(found, []);
}

test('every query of every dashboard finds what a real run has written', async (t) => {
  const args = [
    '--engine',
    'native',
    '--stacks',
    stacks,
    '--systems',
    'steady,failing',
    '--reports',
    reports,
  ];
  const run = startCommand([profile(), ...args]);
  after(() => run.child.kill('SIGKILL'));
  await run.says(/Plan:/);
  if (!findNeed(INFLUXD)) {
    run.child.kill('SIGINT');
    await run.ended;
    return t.skip('no influxd 1.x on PATH and none to be had from Debian');
  }
  await run.says(/live metrics: InfluxDB at/);
  const influx = /InfluxDB at (http:\/\/[^/]+)\/k6/.exec(run.stderr())?.[1] ?? '';
  if (contained) await startCadvisor(influx);
  else t.diagnostic('the queries about containers are left out: this user can make no control groups');

  const cells = Number(/(\d+) measurements/.exec(run.stderr())?.[1]);
  await run.says(new RegExp(`\\[${cells - 1}/${cells}\\]`));
  // The last cell is under way, all others have been judged, and their points are on their way. The run waits for the
  // questions, however long they take: its InfluxDB ends with it.
  await new Promise((resolve) => setTimeout(resolve, 2000));
  run.child.kill('SIGSTOP');
  if (contained) await nameContainers(influx);
  for (const { board } of dashboards()) {
    await demandRows(influx, board);
    await demandNoneWhenRenamed(influx, board);
  }

  run.child.kill('SIGCONT');
  const { code, stderr } = await run.ended;
  assert.equal(code, 4, stderr);
  assert.doesNotMatch(stderr, /did not reach InfluxDB/);
  for (const r of newestRun(reports).records) assert.equal(r.live?.lossy, false, r.cell);
});
