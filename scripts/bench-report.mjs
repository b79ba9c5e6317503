#!/usr/bin/env node
// Times how long a report of a run of many cells takes to render. The run is made up, in a temporary folder.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { cellsOf } from '../lib/config/trials.js';
import { METHOD_VERSION } from '../lib/judge/method.js';
import { aCell } from '../lib/judge/testing.js';
import { renderRun } from '../lib/report/render.js';
import { writeJson } from '../lib/store.js';

const WORKLOADS = 5;
const STEPS = 14;
const REPEATS = 5;
const TRANSPORTS = ['http', 'ws'];
const OPERATIONS = ['create', 'read', 'delete'];
const CELLS_PER_SYSTEM = WORKLOADS * STEPS * REPEATS * TRANSPORTS.length;

const help = `Usage: node scripts/bench-report.mjs [options]

  --cells N  cells of the run, rounded up to ${CELLS_PER_SYSTEM} a system (4200)
  --help     this text`;

/** @param {number} n @param {string} name */
const ids = (n, name) => Array.from({ length: n }, (_, i) => `${name}${i + 1}`);

const workloads = ids(WORKLOADS, 'workload').map((id) => ({
  id,
  title: id,
  operations: Object.fromEntries(OPERATIONS.map((o) => [o, {}])),
}));
const steps = ids(STEPS, 'c').map((id, i) => ({
  id,
  model: /** @type {const} */ ('closed'),
  vus: 2 ** Math.floor(i / 2),
  depth: i % 2 === 0 ? 1 : 16,
  durationSec: 10,
}));

/**
 * @param {string[]} systems
 * @returns {import('../lib/types.d.ts').Plan} every step of every workload on every system, over every transport
 */
function planOf(systems) {
  const trials = workloads.flatMap(({ id: workload }) =>
    TRANSPORTS.flatMap((transport) =>
      ids(REPEATS, '').flatMap((repeat) =>
        systems.map((system) => ({
          systems: [system],
          workload,
          transport,
          repeat: Number(repeat),
          role: 'system',
          cells: steps.map((step) => ({
            id: [workload, transport, system, step.id, `r${repeat}`].join('.'),
            ...{
              system,
              role: 'system',
              workload,
              transport,
              step,
              repeat: Number(repeat),
              telemetry: false,
            },
          })),
        })),
      ),
    ),
  );
  return /** @type {any} */ ({
    ...{
      schemaVersion: 1,
      methodVersion: METHOD_VERSION,
      runId: '2026-01-01T00-00-00Z-made-up',
      profileId: 'made-up',
    },
    profile: {
      ...{ title: 'Made up', seed: 1, repeats: REPEATS, warmupSec: 1, drive: 'burst', dataset: {} },
      ...{ steps, thresholds: {} },
    },
    ...{ repeats: REPEATS, orderSeed: 1, engine: 'native', hostCores: 2, absent: [], workloads, trials },
    systems: systems.map((id) => ({
      ...{ id, title: id, origin: 'reference', engine: 'native', role: 'system', settings: {} },
      ...{ durability: { policy: 'none', meaning: 'made up' }, provenance: 'made up' },
    })),
    options: { endpoints: {}, ports: {}, generatorCpus: null, live: false },
  });
}

const ENVIRONMENT = {
  host: {
    ...{ os: 'made up', kernel: '0', cpuModel: 'made up', cores: 2, usableCpus: 2, memoryBytes: 2 ** 32 },
    ...{ cgroup: { version: 'v2' }, loadAverage1m: 0, stealRatioSinceBoot: 0 },
  },
  ...{ git: {}, tools: { node: process.version }, takenAt: '2026-01-01T00:00:00.000Z' },
};

/**
 * @param {string} folder
 * @param {number} cells at least
 * @returns {number} cells written
 */
function writeRun(folder, cells) {
  const systems = ids(Math.ceil(cells / CELLS_PER_SYSTEM), 'system');
  const plan = planOf(systems);
  const planned = cellsOf(plan);
  writeJson(path.join(folder, 'plan.json'), plan);
  writeJson(path.join(folder, 'profile.json'), plan.profile);
  writeJson(path.join(folder, 'environment.json'), ENVIRONMENT);
  for (const { id, system, workload, transport, step, repeat } of planned) {
    const ratePerSec = 1000 * step.vus * (1 + systems.indexOf(system) / 10) * (1 + repeat / 100);
    const own = OPERATIONS.map(
      (operation) => aCell({ operation, ratePerSec, vus: step.vus, depth: step.depth }).operations,
    );
    const record = { cell: id, workload, transport, step, operations: Object.assign({}, ...own) };
    const { vus, depth } = step;
    writeJson(path.join(folder, 'results', `${id}.json`), aCell({ system, repeat, vus, depth, record }));
  }
  return planned.length;
}

const { values } = parseArgs({ options: { cells: { type: 'string' }, help: { type: 'boolean' } } });
if (values.help) {
  console.log(help);
} else {
  const folder = mkdtempSync(path.join(tmpdir(), 'lb-bench-report-'));
  try {
    const cells = writeRun(folder, Number(values.cells ?? 4200));
    const [begin, cpu] = [performance.now(), process.cpuUsage()];
    renderRun(folder);
    const ms = performance.now() - begin;
    const { user, system } = process.cpuUsage(cpu);
    const [sec, cpuSec] = [ms / 1000, (user + system) / 1e6];
    console.log(
      `${cells} cells: ${sec.toFixed(1)} s (${cpuSec.toFixed(1)} s of CPU), ${(ms / cells).toFixed(2)} ms a cell`,
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
