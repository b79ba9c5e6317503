import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { numberOf, secondsOf } from '../args.js';
import { loadProfile } from '../config/profiles.js';
import { loadStacks, stackFolders } from '../config/stacks.js';
import { loadWorkloads } from '../config/workloads.js';
import { freePort } from '../engines/ports.js';
import { describeEnvironment } from '../environment/environment.js';
import { BenchError, EXIT } from '../errors.js';
import { duration } from '../format.js';
import { SOAK } from '../judge/soak.js';
import { readLifecycle } from '../lifecycle/record.js';
import { startInfluxd } from '../live/influxd.js';
import { createPlan } from '../plan/plan.js';
import { demandSameSystems } from '../plan/resume.js';
import { selectStacks, whoCanRun } from '../plan/select.js';
import { writeIndex } from '../report/index.js';
import { renderRun } from '../report/render.js';
import { runCampaign } from '../run/campaign.js';
import { cpuLimit, ownCpus } from '../run/cpu-limit.js';
import { readPlan } from '../run/files.js';
import { createProgress } from '../run/progress.js';
import { watchSignals } from '../run/signals.js';
import { ownName } from '../run/temporary.js';
import { setUp } from '../setup/setup.js';
import { writeJson } from '../store.js';
import { findRun, reportsFolder } from './runs.js';

/**
 * @import { CellRecord, LifecycleRecord, Plan, Profile, Stack } from '../types.d.ts'
 * @import { Output } from '../output.js'
 */

/**
 * `<profile>`: set up, plan, measure, report.
 * @param {string | undefined} profileWord a profile's id or file; undefined with `--resume`
 * @param {Record<string, any>} flags
 * @param {Output} output
 * @returns {Promise<number>} exit code
 */
export async function measureVerb(profileWord, flags, output) {
  const reports = reportsFolder(flags);
  const stacks = demandStacks(flags);
  const prepared = flags.resume
    ? await resumeRun(flags, reports, stacks, output)
    : await planRun(/** @type {string} */ (profileWord), flags, stacks, output);
  const { plan, k6 } = prepared;
  announce(plan, output);
  if (flags['dry-run']) {
    output.result(flags.json ? `${JSON.stringify(plan, null, 2)}\n` : listOfCells(plan));
    return EXIT.ok;
  }
  const runFolder = join(reports, plan.runId);
  writeJson(join(runFolder, 'plan.json'), plan);
  writeJson(join(runFolder, 'profile.json'), plan.profile);
  const environmentPath = join(runFolder, 'environment.json');
  if (!existsSync(environmentPath)) writeJson(environmentPath, await describeEnvironment({ k6 }));

  const { records, interrupted } = await measure({ plan, stacks, k6, runFolder }, output);
  const { view, path } = renderRun(runFolder);
  writeIndex(reports);
  const exitCode = exitCodeOf(records, interrupted, readLifecycle(runFolder, plan));
  conclude({ path, view, plan, records, exitCode, json: flags.json === true }, output);
  return exitCode;
}

/**
 * @param {Record<string, any>} flags
 * @returns {Stack[]}
 * @throws {BenchError} on the first broken manifest, with the others below it
 */
function demandStacks(flags) {
  const { stacks, problems } = loadStacks(stackFolders(flags.stacks));
  if (problems.length > 0) {
    throw new BenchError(problems[0], {
      detail: problems.slice(1),
      hint: '`./run-all.sh check` lists all problems',
    });
  }
  return stacks;
}

/**
 * @param {Profile} profile
 * @param {string | undefined} text of `--duration`
 * @returns {Profile} with soaks of that length
 * @throws {BenchError} when it is no duration, or nothing in the profile is a soak
 */
function withDuration(profile, text) {
  const durationSec = secondsOf(text, 'duration', { min: SOAK.minSec, max: 7 * 86_400 });
  if (durationSec === null) return profile;
  if (!profile.steps.some((s) => s.soak))
    throw new BenchError('--duration sets the length of a soak, and this profile has none', {
      hint: 'the profile `soak` has one',
    });
  return { ...profile, steps: profile.steps.map((s) => (s.soak ? { ...s, durationSec } : s)) };
}

/**
 * @param {string} profileWord
 * @param {Record<string, any>} flags
 * @param {Stack[]} stacks
 * @param {Output} output
 * @returns {Promise<{plan: Plan, k6: string}>}
 */
async function planRun(profileWord, flags, stacks, output) {
  const profile = withDuration(loadProfile(profileWord), flags.duration);
  const profileId = basename(profileWord, '.json');
  const repeats = numberOf(flags.repeats, 'repeats', { min: 1, max: 100, integer: true }) ?? profile.repeats;
  const generatorCpus = numberOf(flags['generator-cpus'], 'generator-cpus', { min: 0.01, max: ownCpus() });
  const operations = numberOf(flags.operations, 'operations', { min: 1, max: 100_000_000, integer: true });
  const selection = selectStacks(
    { ...flags, workloads: flags.workloads ?? profile.workloads?.join(',') },
    stacks,
    await loadWorkloads(),
  );
  const options = { ...selection.options, generatorCpus, operations };
  if (generatorCpus !== null) cpuLimit(ownName('probe'), generatorCpus).remove();
  const wanted = [...selection.chosen, ...selection.calibrations];
  const native = wanted.filter((s) => !options.endpoints[s.id]);
  const { k6, problems } = await setUp(native, output, {
    live: options.live,
    build: flags['no-build'] !== true,
  });
  const { systems, absent } = whoCanRun(wanted, options, problems);
  if (!systems.some((s) => s.role === 'system')) {
    throw new BenchError('nothing to measure: none of the chosen systems can run here', {
      detail: absent.map((a) => `${a.system}: ${a.reason}`),
      hint: '`./run-all.sh systems` says what each one needs',
    });
  }
  const plan = createPlan({
    runId: `${new Date().toISOString().slice(0, 19).replaceAll(':', '-')}Z-${profileId}`,
    profileId,
    profile,
    repeats,
    systems,
    absent,
    workloads: selection.workloads,
    stacks,
    options,
    hostCores: ownCpus(),
  });
  return { plan, k6 };
}

/**
 * @param {Record<string, any>} flags
 * @param {string} reports
 * @param {Stack[]} stacks
 * @param {Output} output
 * @returns {Promise<{plan: Plan, k6: string}>} the plan as it was made
 */
async function resumeRun(flags, reports, stacks, output) {
  const folder = findRun(flags.resume, reports);
  const plan = readPlan(folder);
  demandSameSystems(plan, stacks, basename(folder));
  const native = stacks.filter((s) => plan.systems.some((p) => p.id === s.id && p.engine === 'native'));
  const { k6 } = await setUp(native, output, { live: plan.options.live, build: flags['no-build'] !== true });
  output.say(`Resuming ${basename(folder)}`);
  return { plan: { ...plan, runId: basename(folder) }, k6 };
}

/**
 * @param {Plan} plan
 * @param {Output} output
 */
function announce(plan, output) {
  const cells = plan.blocks.reduce((n, b) => n + b.cells.length, 0);
  const systems = plan.systems.filter((s) => s.role === 'system');
  output.say(`ladderbench · profile ${plan.profileId} · engine ${plan.engine}`);
  output.say(
    `Plan: ${systems.length} systems (${systems.map((s) => s.id).join(', ')}), ${plan.workloads.length} workloads, ` +
      `${plan.repeats} repeats, ${cells} cells, about ${duration(plan.estimatedSec)}`,
  );
  for (const { system, reason } of plan.absent) output.say(`  not here: ${system} (${reason})`);
}

/** @param {Plan} plan */
function listOfCells(plan) {
  return plan.blocks.flatMap((b) => b.cells.map((c) => `${c.id}\n`)).join('');
}

/**
 * @param {{plan: Plan, stacks: Stack[], k6: string, runFolder: string}} run
 * @param {Output} output
 * @returns {Promise<{records: CellRecord[], interrupted: boolean}>}
 */
async function measure({ plan, stacks, k6, runFolder }, output) {
  const signals = watchSignals(output.say);
  const store = plan.options.live ? await startInfluxd() : null;
  const dashboardPort = plan.options.live ? await freePort() : null;
  if (dashboardPort) output.say(`live: http://127.0.0.1:${dashboardPort}`);
  if (store) output.say(`live metrics: InfluxDB at ${store.url}`);
  try {
    const records = await runCampaign({
      plan,
      stacks,
      runFolder,
      k6,
      signal: signals.signal,
      interrupted: signals.interrupted,
      telemetry: { influxUrl: store?.url ?? null, dashboardPort },
      progress: createProgress(plan, output),
    });
    return { records, interrupted: signals.signal.aborted };
  } finally {
    await store?.stop();
    signals.release();
  }
}

/** Reasons that end a command with the code for a crossed threshold although the cell is not INVALID. */
const CROSSED = new Set(['p99_threshold', 'leaking', 'drifting']);

/**
 * @param {CellRecord[]} records
 * @param {boolean} interrupted
 * @param {LifecycleRecord[]} lifecycle
 * @returns {number}
 */
function exitCodeOf(records, interrupted, lifecycle) {
  if (interrupted) return EXIT.interrupted;
  if ([...records, ...lifecycle].some((r) => r.status === 'failed')) return EXIT.systemFailed;
  if (lifecycle.some(({ parity }) => parity && (parity.failed > 0 || parity.problem !== null)))
    return EXIT.thresholds;
  const crossed = records
    .filter((r) => r.role === 'system')
    .some((r) => r.verdict.status === 'INVALID' || r.verdict.reasons.some((x) => CROSSED.has(x.code)));
  return crossed ? EXIT.thresholds : EXIT.ok;
}

/**
 * @param {{path: string, view: any, plan: Plan, records: CellRecord[], exitCode: number, json: boolean}} end
 * @param {Output} output
 */
function conclude({ path, view, plan, records, exitCode, json }, output) {
  const v = view.verdicts;
  output.say();
  for (const answer of view.answers) output.say(answer.replaceAll('**', ''));
  output.say(
    `Report: ${path}   ${v.valid} cells valid, ${v.degraded} degraded, ${v.invalid} invalid, ${v.failed} failed   exit ${exitCode}`,
  );
  if (json) {
    const cells = records.map(({ cell, status, reason, verdict, operations }) => ({
      cell,
      status,
      reason,
      verdict,
      operations: Object.fromEntries(
        Object.entries(operations).map(([op, o]) => [
          op,
          { ratePerSec: o.ratePerSec, p99Ms: o.serviceMs?.p99 ?? null },
        ]),
      ),
    }));
    output.result(
      `${JSON.stringify({ run: plan.runId, report: path, exitCode, answers: view.answers, cells }, null, 2)}\n`,
    );
  } else {
    output.result(`${path}\n`);
  }
}
