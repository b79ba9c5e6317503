import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { strangersOf, withDataWorkloads } from '../config/data-workloads.js';
import { loadProfile, withSteps } from '../config/profiles.js';
import { loadStacks, stackFolders } from '../config/stacks.js';
import { loadWorkloads, workloadsOf } from '../config/workloads.js';
import { jsonText } from '../controls.js';
import { composeVariables } from '../docker/conditions.js';
import { openProject } from '../engines/docker/project.js';
import { busynessText, machineBusyness } from '../environment/busyness.js';
import { describeEnvironment } from '../environment/environment.js';
import { BenchError, demandNone, EXIT } from '../errors.js';
import { readRun } from '../figures/run.js';
import { demandReachable, readOutputs } from '../generator/outputs.js';
import { giveVariables } from '../generator/script-variables.js';
import { demandCluster, openCluster } from '../kubernetes/cluster.js';
import { startLive } from '../live/start.js';
import { openLiveView } from '../live/view.js';
import { demandSameGenerators } from '../plan/generators.js';
import { readScript, SCRIPT, stacksOfScript, valuesForResume } from '../plan/script.js';
import { namedEndpoints, stackLike } from '../plan/select.js';
import { demandDescriptors } from '../process/descriptors.js';
import { watchSignals } from '../process/signals.js';
import { demandTemporary, useCache } from '../process/temporary.js';
import { packRun } from '../record/archive.js';
import { leaveOutUnread } from '../record/lean.js';
import { holdRun, letGo } from '../record/lock.js';
import { seal } from '../record/seal.js';
import { fromPods } from '../record/who-loads.js';
import { runCampaign } from '../run/campaign.js';
import { exitCodeOf } from '../run/exit-code.js';
import { createProgress } from '../run/progress.js';
import { writeJson } from '../store.js';
import { announce, conclude, listOfCells } from './announce.js';
import { manifestsOf } from './manifests.js';
import { planRun, resumeRun } from './prepare-plan.js';
import { demandResumable, reopenRun } from './resume.js';
import { claimRunFolder, findRun, reportsFolder } from './runs.js';

/**
 * @import { Plan, Stack } from '../types.d.ts'
 * @import { DockerEngine } from '../docker/answers.js'
 * @import { Output } from '../output.js'
 * @import { Asked } from './prepare-plan.js'
 * @import { Begun } from './resume.js'
 */

/**
 * `<profile>`: set up, plan, measure, report.
 * @param {string | undefined} profileWord a profile's id or file; undefined with `--resume`
 * @param {import('../options.js').Options} options
 * @param {Output} output
 * @returns {Promise<number>} exit code
 */
export async function measureVerb(profileWord, options, output) {
  demandTemporary();
  // To print is to change nothing.
  if (options.renderOnly) options = { ...options, dryRun: true };
  if (!options.dryRun) useCache();
  const script = readScript(options);
  const values = script?.values ?? valuesForResume(options);
  giveVariables(values);
  const outputs = readOutputs(options.out);
  const reports = reportsFolder(options);
  const resumed = options.resume === null ? null : findRun(options.resume, reports);
  if (resumed && !options.dryRun) holdRun(resumed);
  const begun = resumed ? await demandResumable(resumed, { force: options.force }) : null;
  if (begun) demandSameGenerators(begun.plan, options);
  if (resumed && begun?.complete) return nothingLacks(resumed, begun, options, output);
  const asked = script || begun ? null : await askedOf(String(profileWord), options);
  const { endpoints, stacks } = systemsOf(options, script, begun, asked, values);
  options = { ...options, endpoint: endpoints };
  const prepared =
    resumed && begun
      ? await resumeRun(resumed, begun.plan, options, stacks, output)
      : await planRun(profileWord ?? SCRIPT, script ?? /** @type {Asked} */ (asked), options, stacks, output);
  const { k6, engine } = prepared;
  if (begun) demandSameOutputs(begun.plan, outputs);
  if (engine) demandReachable(outputs);
  demandKeepable(options, engine);
  demandDescriptors(Math.max(...prepared.plan.profile.steps.map((s) => s.vus)));
  announce(prepared.plan, output);
  if (outputs.length > 0 && prepared.plan.sideBySide)
    output.say('  --out: of systems one after another; loads side by side have no metrics of k6');
  if (options.renderOnly) {
    output.result(manifestsOf(prepared.plan, stacks, options.namespace));
    return EXIT.ok;
  }
  if (options.dryRun) {
    output.result(options.json ? jsonText(prepared.plan) : listOfCells(prepared.plan));
    return EXIT.ok;
  }
  const { generators } = prepared.plan.options;
  const cluster = generators && fromPods({ generators }) ? await demandCluster(generators) : null;
  // Read now: what was asked for in a wrong way has ended above, and after the load the checkout may be another one. Meanwhile
  // this process looks at what others do.
  const reading = Promise.all([import('../report/render.js'), import('../report/index.js')]);
  const runFolder = resumed ?? claimRunFolder(reports, prepared.plan.runId);
  // A new run has the name of its folder.
  const plan = { ...prepared.plan, runId: begun ? prepared.plan.runId : basename(runFolder) };
  if (begun) reopenRun(runFolder, begun);
  else {
    holdRun(runFolder);
    writeJson(join(runFolder, 'plan.json'), plan);
  }
  await writeFacts(runFolder, plan, k6, cluster, output);
  const [{ renderRun }, { writeIndex }] = await reading;

  const how = { ...prepared, plan, keep: options.live, pull: !options.noBuild };
  const interrupted = await measure({ ...how, stacks, runFolder, reports }, output);
  const { records, lifecycle, sideBySide } = readRun(runFolder, plan);
  leaveOutUnread(runFolder, plan);
  const { run: view, path } = renderRun(runFolder, runFolder, { ended: false });
  const exitCode = exitCodeOf(records, interrupted, lifecycle, sideBySide, plan.profile);
  seal(runFolder);
  // What was interrupted goes on later, in the folder as it is.
  if (!interrupted) packRun(runFolder);
  letGo(runFolder);
  conclude({ path, view, plan, records, exitCode, json: options.json }, output);
  if (dirname(runFolder) === reports) for (const line of writeIndex(reports)) output.say(line);
  return exitCode;
}

/**
 * @param {import('../options.js').Options} options
 * @param {ReturnType<typeof readScript>} script
 * @param {Begun | null} begun the run that goes on
 * @param {Asked | null} asked of a new run without a script
 * @param {Record<string, string>} values of the script's variables
 * @returns {{endpoints: string[], stacks: Stack[]}} all systems that can be asked for, and the addresses of some
 */
function systemsOf(options, script, begun, asked, values) {
  if (script) return { endpoints: options.endpoint, stacks: script.stacks };
  const held = demandStacks(options);
  const all = begun ? begun.plan.workloads : (asked?.workloads ?? []).filter((w) => w.data);
  // Only those that the command line or the profile asks for say what is spoken at an address.
  const spoken = begun ? all : all.filter((w) => asked?.names?.includes(w.id));
  const known = [...held, ...strangersOf(begun?.plan.systems ?? options.endpoint, held, spoken)];
  const { endpoints, named } = namedEndpoints(options.endpoint, known);
  const before = (begun?.plan.systems ?? []).flatMap(({ id, like }) =>
    like ? [stackLike(id, like, known)] : [],
  );
  const stacks = [...known, ...named, ...before, ...(begun ? stacksOfScript(begun.plan, values) : [])];
  return {
    endpoints,
    stacks: withDataWorkloads(stacks, all, begun ? begun.plan.systems.map((s) => s.id) : options.systems),
  };
}

/**
 * @param {string} profileWord
 * @param {import('../options.js').Options} options
 * @returns {Promise<Asked>}
 */
async function askedOf(profileWord, options) {
  const { names, files } = workloadsOf(options);
  const workloads = await loadWorkloads(options.workloadsFolder, files);
  const profile = withSteps(loadProfile(profileWord), options.steps);
  return { profile, workloads, names: names ?? profile.workloads ?? null };
}

/**
 * What k6 sends elsewhere is work of the generator's: cells with it and without are of two kinds.
 * @param {Plan} plan
 * @param {string[]} outputs
 */
function demandSameOutputs({ options }, outputs) {
  const before = (options.outputs ?? []).join(', ');
  if (before !== outputs.join(', '))
    throw new BenchError(`the run began with ${before ? `--out ${before}` : 'no --out'}`, {
      hint: before ? 'give the same again, with their places: they are in no file' : 'leave it out',
    });
}

/**
 * What a run that was killed early may lack.
 * @param {string} runFolder
 * @param {Plan} plan
 * @param {string} k6
 * @param {Awaited<ReturnType<typeof demandCluster>> | null} cluster that the load comes from; null: this machine
 * @param {Output} output
 */
async function writeFacts(runFolder, plan, k6, cluster, output) {
  const busyBefore = cluster ? null : await machineBusyness();
  if (busyBefore) output.say(`Machine: ${busynessText(busyBefore)}`);
  const [profile, environment] = ['profile.json', 'environment.json'].map((f) => join(runFolder, f));
  if (!existsSync(profile)) writeJson(profile, plan.profile);
  if (existsSync(environment)) return;
  const facts = await describeEnvironment({ k6, busyBefore });
  writeJson(environment, cluster ? { ...facts, cluster } : facts);
}

/**
 * @param {string} folder
 * @param {Begun} begun
 * @param {import('../options.js').Options} options
 * @param {Output} output
 * @returns {number} exit code, of the run
 */
function nothingLacks(folder, { plan, records, lifecycle, sideBySide }, options, output) {
  if (!options.dryRun) letGo(folder);
  output.say(`${basename(folder)} is complete: there is nothing to measure`);
  const exitCode = exitCodeOf(records, false, lifecycle, sideBySide, plan.profile);
  const path = join(folder, 'README.md');
  output.result(options.json ? jsonText({ run: plan.runId, report: path, exitCode }) : `${path}\n`);
  return exitCode;
}

/**
 * @param {import('../options.js').Options} options
 * @param {DockerEngine | null} engine
 * @throws {BenchError}
 */
function demandKeepable(options, engine) {
  if (!options.live || engine) return;
  throw new BenchError('--live keeps the containers of the live view up: it needs the docker engine', {
    hint: 'add --engine docker to see what is missing for it',
  });
}

/**
 * @param {import('../options.js').Options} options
 * @returns {Stack[]}
 * @throws {BenchError} on the first broken manifest, with the others below it
 */
function demandStacks(options) {
  const { stacks, problems } = loadStacks(stackFolders(options.stacks));
  demandNone(problems, { hint: '`./run-all.sh check` lists all problems' });
  return stacks;
}

/**
 * @param {import('./prepare-plan.js').Prepared & {stacks: Stack[], runFolder: string, reports: string, keep: boolean,
 *   pull: boolean}} run
 * @param {Output} output
 * @returns {Promise<boolean>} whether it was interrupted
 */
async function measure({ plan, stacks, k6, runFolder, reports, engine, seen, keep, pull }, output) {
  const signals = watchSignals(output.say);
  const project =
    engine && plan.docker ? openProject(engine, plan.runId, composeVariables(plan.docker, engine)) : null;
  const live = await startLive(
    { live: plan.options.live, keep, pull, project, script: plan.options.script !== undefined },
    output,
  );
  const { page, telemetry } = live;
  const view = page ? await openLiveView({ url: telemetry.influxUrl, plan, reports, page }) : null;
  const cluster = fromPods(plan.options) ? openCluster(plan) : null;
  try {
    await runCampaign({
      plan,
      stacks,
      runFolder,
      k6,
      signal: signals.signal,
      interrupted: signals.interrupted,
      project,
      cluster,
      telemetry,
      view,
      progress: createProgress(plan, output, seen),
    });
    return signals.signal.aborted;
  } finally {
    const lost = (await view?.close()) ?? 0;
    if (lost > 0) output.say(`live view: ${lost} points of the runner did not reach InfluxDB`);
    await live.stop();
    await cluster?.close();
    await project?.close();
    signals.release();
  }
}
