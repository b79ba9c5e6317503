import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { numberOf, secondsOf } from '../args.js';
import { isProfilePath, loadProfile } from '../config/profiles.js';
import { loadStacks, stackFolders } from '../config/stacks.js';
import { loadWorkloads } from '../config/workloads.js';
import { composeVariables, demandSameImages } from '../docker/conditions.js';
import { containerPlacement } from '../docker/placement.js';
import { chooseEngine } from '../engines/choose.js';
import { openProject } from '../engines/docker/project.js';
import { namedByGiven } from '../engines/given.js';
import { nativeAvailability } from '../engines/index.js';
import { powerLossMissing } from '../engines/power-loss.js';
import { busynessText, machineBusyness } from '../environment/busyness.js';
import { describeEnvironment } from '../environment/environment.js';
import { BenchError, EXIT } from '../errors.js';
import { duration } from '../format.js';
import { unsetK6 } from '../generator/k6.js';
import { demandCluster, openCluster } from '../generator/kubernetes/cluster.js';
import { demandReachable, readOutputs } from '../generator/outputs.js';
import { rehearse } from '../generator/script.js';
import { SOAK } from '../judge/soak.js';
import { startLive } from '../live/start.js';
import { openLiveView } from '../live/view.js';
import { demandBeside, demandResume } from '../plan/companions.js';
import { demandReachableByPods, demandSameGenerators, generatorOptions } from '../plan/generators.js';
import { createPlan } from '../plan/plan.js';
import { demandSameSystems } from '../plan/resume.js';
import { readScript, SCRIPT, stacksOfScript } from '../plan/script.js';
import { namedEndpoints, selectStacks, stackLike, whoCanRun } from '../plan/select.js';
import { cpuLimit, ownCpus } from '../process/cpu-limit.js';
import { demandDescriptors } from '../process/descriptors.js';
import { memoryLimitMissing } from '../process/memory-limit.js';
import { placementOf } from '../process/placement.js';
import { watchSignals } from '../process/signals.js';
import { demandTemporary, ownName } from '../process/temporary.js';
import { absentSubject } from '../record/absent.js';
import { packRun } from '../record/archive.js';
import { readLifecycle } from '../record/lifecycle.js';
import { holdRun, letGo } from '../record/lock.js';
import { readRecords } from '../record/run-folder.js';
import { seal } from '../record/seal.js';
import { readStarts } from '../record/starts.js';
import { rejudge } from '../record/verify.js';
import { fromPods } from '../record/who-loads.js';
import { writeIndex } from '../report/index.js';
import { matrixTable } from '../report/matrix/index.js';
import { renderRun } from '../report/render.js';
import { soakTables } from '../report/sections/soak/table.js';
import { terminalTable } from '../report/table.js';
import { runCampaign } from '../run/campaign.js';
import { exitCodeOf } from '../run/exit-code.js';
import { isOfNetwork } from '../run/network.js';
import { createProgress } from '../run/progress.js';
import { generatorBuild, isBuilt, networkBuild, powerLossBuild, stackBuilds } from '../setup/builds.js';
import { missingFor, missingText } from '../setup/costs.js';
import { INFLUXD, setUp, setUpHooks, setUpProblems } from '../setup/setup.js';
import { writeJson } from '../store.js';
import { manifestsOf } from './manifests.js';
import { demandResumable, reopenRun } from './resume.js';
import { claimRunFolder, findRun, reportsFolder } from './runs.js';

/**
 * @import { CellRecord, LifecycleRecord, Plan, Profile, RunOptions, Stack } from '../types.d.ts'
 * @import { Choice } from '../engines/choose.js'
 * @import { DockerEngine } from '../docker/answers.js'
 * @import { Output } from '../output.js'
 * @import { Begun } from './resume.js'
 */

/** @typedef {{plan: Plan, k6: string, engine: DockerEngine | null}} Prepared `engine`: of the containers, if any */

/**
 * `<profile>`: set up, plan, measure, report.
 * @param {string | undefined} profileWord a profile's id or file; undefined with `--resume`
 * @param {Record<string, any>} flags
 * @param {Output} output
 * @returns {Promise<number>} exit code
 */
export async function measureVerb(profileWord, flags, output) {
  demandTemporary();
  // To print is to change nothing.
  if (flags['render-only']) flags = { ...flags, 'dry-run': true };
  const script = readScript(flags, profileWord);
  demandResume(flags);
  const outputs = readOutputs(flags.out ?? []);
  const reports = reportsFolder(flags);
  const known = script ? [] : demandStacks(flags);
  const resumed = flags.resume === undefined ? null : findRun(flags.resume, reports);
  const begun = resumed ? await beginAgain(resumed, flags) : null;
  if (begun) demandSameGenerators(begun.plan, flags);
  if (resumed && begun?.complete) return nothingLacks(resumed, begun, flags, output);
  const { endpoints, named } = script
    ? { endpoints: flags.endpoint, named: script.stacks }
    : namedEndpoints(flags.endpoint ?? [], known);
  flags = { ...flags, endpoint: endpoints };
  const before = (begun?.plan.systems ?? []).flatMap(({ id, like }) =>
    like ? [stackLike(id, like, known)] : [],
  );
  const stacks = [...known, ...named, ...before, ...(begun ? stacksOfScript(begun.plan) : [])];
  const prepared =
    resumed && begun
      ? await resumeRun(resumed, begun.plan, flags, stacks, output)
      : await planRun(profileWord ?? SCRIPT, script, flags, stacks, output);
  const { k6, engine } = prepared;
  if (begun) demandSameOutputs(begun.plan, outputs);
  if (engine) demandReachable(outputs);
  demandKeepable(flags, engine);
  demandDescriptors(Math.max(...prepared.plan.profile.steps.map((s) => s.vus)));
  announce(prepared.plan, output);
  if (outputs.length > 0 && prepared.plan.sideBySide)
    output.say('  --out: of systems one after another; loads side by side have no metrics of k6');
  if (flags['render-only']) {
    output.result(manifestsOf(prepared.plan, stacks, flags.namespace));
    return EXIT.ok;
  }
  if (flags['dry-run']) {
    output.result(flags.json ? `${JSON.stringify(prepared.plan, null, 2)}\n` : listOfCells(prepared.plan));
    return EXIT.ok;
  }
  const { generators } = prepared.plan.options;
  const cluster = generators && fromPods({ generators }) ? await demandCluster(generators) : null;
  const runFolder = resumed ?? claimRunFolder(reports, prepared.plan.runId);
  const plan = begun ? prepared.plan : { ...prepared.plan, runId: basename(runFolder) };
  if (begun) reopenRun(runFolder, begun);
  else {
    holdRun(runFolder);
    writeJson(join(runFolder, 'plan.json'), plan);
  }
  await writeFacts(runFolder, plan, k6, cluster, output);

  const keep = flags.live === true;
  const pull = flags['no-build'] !== true;
  const measured = await measure({ plan, stacks, k6, runFolder, reports, engine, keep, pull }, output);
  const { interrupted } = measured;
  if (begun) rejudge(runFolder);
  const records = begun ? readRecords(runFolder, plan) : measured.records;
  const { run: view, path } = renderRun(runFolder);
  const exitCode = exitCodeOf(
    records,
    interrupted,
    readLifecycle(runFolder, plan),
    readStarts(runFolder, plan),
    plan.profile,
  );
  seal(runFolder);
  // What was interrupted goes on later, in the folder as it is.
  if (!interrupted) packRun(runFolder);
  letGo(runFolder);
  conclude({ path, view, plan, records, exitCode, json: flags.json === true }, output);
  if (dirname(runFolder) === reports) for (const line of writeIndex(reports)) output.say(line);
  return exitCode;
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
 * Holds a run and looks at what there is of it.
 * @param {string} folder
 * @param {Record<string, any>} flags
 */
function beginAgain(folder, flags) {
  if (!flags['dry-run']) holdRun(folder);
  return demandResumable(folder, { force: flags.force === true });
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
 * @param {Record<string, any>} flags
 * @param {Output} output
 * @returns {number} exit code, of the run
 */
function nothingLacks(folder, { plan, records, lifecycle, starts }, flags, output) {
  if (!flags['dry-run']) letGo(folder);
  output.say(`${basename(folder)} is complete: there is nothing to measure`);
  const exitCode = exitCodeOf(records, false, lifecycle, starts, plan.profile);
  const path = join(folder, 'README.md');
  output.result(
    flags.json ? `${JSON.stringify({ run: plan.runId, report: path, exitCode }, null, 2)}\n` : `${path}\n`,
  );
  return exitCode;
}

/**
 * @param {Record<string, any>} flags
 * @param {DockerEngine | null} engine
 * @throws {BenchError}
 */
function demandKeepable(flags, engine) {
  if (!flags.live) return;
  if (flags['no-live']) throw new BenchError('--live and --no-live contradict each other');
  if (engine) return;
  throw new BenchError('--live keeps the containers of the live view up: it needs the docker engine', {
    hint: 'add --engine docker to see what is missing for it',
  });
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

/** @param {import('../types.d.ts').Step} step */
function needsOurDisk({ powerLoss, fault }) {
  return powerLoss === true || fault?.kind === 'disk-full';
}

/**
 * @param {Profile} profile
 * @returns {import('../setup/builds.js').Build[]} programs of ours that its faults need
 */
function faultTools({ steps }) {
  return [
    ...(steps.some((s) => s.fault && isOfNetwork(s.fault.kind)) ? [networkBuild()] : []),
    ...(steps.some(needsOurDisk) && powerLossMissing() === null ? [powerLossBuild()] : []),
  ];
}

/**
 * Chooses the engine, says what there is to fetch and to build and does it. With `--dry-run` it only says it.
 * @param {{profile: Profile, selection: ReturnType<typeof selectStacks>, options: RunOptions}} input
 * @param {Record<string, any>} flags
 * @param {Output} output
 * @returns {Promise<{k6: string, docker: Extract<Choice, {name: 'docker'}> | null, problems: Map<string, string>}>}
 */
async function prepareMachine({ profile, selection: { chosen, calibrations }, options }, flags, output) {
  const dry = flags['dry-run'] === true;
  const build = flags['no-build'] !== true;
  const named = (flags.systems ?? '').split(',');
  const isGiven = (/** @type {Stack} */ s) => options.endpoints[s.id] !== undefined || options.script;
  const notAtHand = new Map(profile.atHand && !flags.systems ? buildsFirst(chosen) : []);
  const ours = [...chosen, ...calibrations].filter((s) => !isGiven(s) && !notAtHand.has(s.id));
  const given = [...chosen, ...calibrations].filter(isGiven);
  const anyOfOurs = chosen.some((s) => ours.includes(s));
  const wanted =
    flags.engine ?? (profile.atHand && chosen.some((s) => canBeNative(s, notAtHand)) ? 'native' : 'auto');
  const choice = await chooseEngine(wanted, anyOfOurs ? ours : [], output, { build, dry });
  if (choice.name === 'native' && choice.why) output.say(`engine native, not docker: ${choice.why}`);
  const docker = choice.name === 'docker' ? choice : null;
  const live = options.live && !profile.atHand;
  const tools = faultTools(profile);
  const missing = missingFor(docker ? [] : ours.filter((s) => !setUpProblems([s], named).has(s.id)), {
    builds: [generatorBuild(), ...tools],
    needs: live && !docker ? [INFLUXD] : [],
  });
  for (const line of build || dry ? missingText(missing) : []) output.say(line);
  if (dry)
    return {
      k6: '',
      docker,
      problems: new Map([...notAtHand, ...(docker?.problems ?? setUpProblems(ours, named))]),
    };
  const done = await setUp(docker ? [] : ours, output, { live: live && !docker, build, named, tools });
  for (const [id, problem] of await setUpHooks(given, 'external', output, build))
    output.say(`${id}: ${problem}`);
  if (!docker) return { k6: done.k6, docker, problems: new Map([...notAtHand, ...done.problems]) };
  const able = ours.filter((s) => !docker.problems.has(s.id));
  const lacking = await setUpHooks(able, 'docker', output, build);
  return { k6: done.k6, docker, problems: new Map([...notAtHand, ...docker.problems, ...lacking]) };
}

/**
 * @param {Stack[]} stacks
 * @returns {[string, string][]} those whose server would have to be built first, and what to do about it
 */
function buildsFirst(stacks) {
  return stacks
    .filter((s) => stackBuilds(s).some((b) => !isBuilt(b)))
    .map((s) => [s.id, `its server would have to be built first: --systems ${s.base} does it`]);
}

/**
 * @param {Stack} stack
 * @param {Map<string, string>} notAtHand
 */
function canBeNative(stack, notAtHand) {
  return !notAtHand.has(stack.id) && nativeAvailability(stack).state !== 'unavailable';
}

/**
 * @param {string} profileWord
 * @param {import('../plan/script.js').Script | null} script
 * @param {Record<string, any>} flags
 * @param {Stack[]} stacks
 * @param {Output} output
 * @returns {Promise<Prepared>}
 */
async function planRun(profileWord, script, flags, stacks, output) {
  const outputs = (flags.out ?? []).map((/** @type {string} */ text) => text.split('=')[0]);
  const profile = script?.profile ?? withDuration(loadProfile(profileWord), flags.duration);
  demandBeside(profile, flags);
  const profileId = basename(profileWord, '.json');
  const repeats = numberOf(flags.repeats, 'repeats', { min: 1, max: 100, integer: true }) ?? profile.repeats;
  const generators = generatorOptions(flags);
  const onCluster = fromPods({ generators });
  const generatorCpus = onCluster
    ? null
    : numberOf(flags['generator-cpus'], 'generator-cpus', { min: 0.01, max: ownCpus() });
  const operations = numberOf(flags.operations, 'operations', { min: 1, max: 100_000_000, integer: true });
  const selection = script
    ? scriptSelection(script)
    : selectStacks(
        { ...flags, workloads: flags.workloads ?? profile.workloads?.join(',') },
        stacks,
        await loadWorkloads(flags['workloads-folder']),
      );
  const notReached = onCluster ? withAddresses(selection) : [];
  const starts = numberOf(flags.starts, 'starts', { min: 1, max: 100, integer: true });
  const maxMinutes = numberOf(flags['max-minutes'], 'max-minutes', { min: 1, max: 10_000 });
  const untilDecided = flags['until-decided'] === true;
  const options = {
    ...selection.options,
    ...{ generatorCpus, operations, starts, untilDecided, maxMinutes },
    ...(outputs.length > 0 ? { outputs } : {}),
    ...(flags.duration === undefined ? {} : { duration: flags.duration }),
    // Points of several generators would be taken for those of one.
    ...(generators ? { generators, live: false } : {}),
  };
  const wanted = [...selection.chosen, ...selection.calibrations];
  const dry = flags['dry-run'] === true;
  const { k6, docker, problems } = await prepareMachine({ profile, selection, options }, flags, output);
  if (generators && docker)
    throw new BenchError(
      '--generators loads systems that run as processes or by address, not in containers',
      {
        hint: 'add --engine native, or --endpoint system=url',
      },
    );
  if (generatorCpus !== null && !docker && !dry) cpuLimit(ownName('probe'), generatorCpus).remove();
  const named = docker ? wanted : await namedByGiven(wanted, options.endpoints);
  const { systems, absent } = script
    ? { systems: script.systems, absent: [] }
    : whoCanRun(named, options, problems, docker?.conditions, { setUp: !dry });
  if (script && !dry) await rehearseAll(script, k6, output);
  if (onCluster && systems.length === 0)
    throw new BenchError('--on kubernetes loads systems by their address, and none was given', {
      hint: 'add --endpoint system=url',
    });
  if (!systems.some((s) => s.role === 'system')) {
    throw new BenchError('nothing to measure: none of the chosen systems can run here', {
      detail: absent.map((a) => `${absentSubject(a)}: ${a.reason}`),
      hint: '`./run-all.sh systems` says what each one needs',
    });
  }
  const plan = createPlan({
    runId: `${new Date().toISOString().slice(0, 19).replaceAll(':', '-')}Z-${profileId}`,
    profileId,
    ...(isProfilePath(profileWord) ? { profileFile: basename(profileWord) } : {}),
    profile,
    repeats,
    systems,
    absent: flags.systems ? [...notReached, ...absent] : absent,
    workloads: selection.workloads,
    stacks,
    options,
    hostCores: ownCpus(),
    powerLossMissing: powerLossMissing(),
    memoryLimitMissing: profile.steps.some((s) => s.fault?.kind === 'memory') ? memoryLimitMissing() : null,
    placement: docker ? containerPlacement(docker.engine) : placementOf(),
  });
  if (onCluster) demandReachableByPods(plan);
  if (plan.blocks.length === 0 && !plan.sideBySide) {
    throw new BenchError('nothing to measure: no step of the profile suits the chosen systems', {
      detail: plan.absent.map((a) => `${absentSubject(a)}: ${a.reason}`),
    });
  }
  return {
    plan: docker ? { ...plan, docker: docker.conditions } : plan,
    k6,
    engine: docker?.engine ?? null,
  };
}

/**
 * Pods load what has an address. What stands beside the systems is started here, and not on a cluster.
 * @param {ReturnType<typeof selectStacks>} selection of which only such systems are left
 * @returns {Plan['absent']} the others
 */
function withAddresses(selection) {
  const { chosen, options } = selection;
  const without = chosen.filter((s) => !options.endpoints[s.id]);
  selection.chosen = chosen.filter((s) => options.endpoints[s.id]);
  selection.calibrations = [];
  return without.map(({ id }) => ({
    system: id,
    status: /** @type {const} */ ('unavailable'),
    reason: `pods reach a system by its address: --endpoint ${id}=url`,
  }));
}

/**
 * @param {import('../plan/script.js').Script} script
 * @returns {ReturnType<typeof selectStacks>}
 */
function scriptSelection({ stacks, facts, endpoints, options }) {
  // What the live view shows are operations of this suite's own workloads.
  return {
    chosen: stacks,
    calibrations: [],
    workloads: [facts],
    options: { endpoints, ports: {}, generatorCpus: null, live: false, script: options },
  };
}

/**
 * @param {import('../plan/script.js').Script} script
 * @param {string} k6
 * @param {Output} output
 */
async function rehearseAll({ options, systems }, k6, output) {
  for (const { endpoint: url } of systems) {
    output.say(`Rehearsal: one iteration of ${basename(options.path)}${url ? ` against ${url}` : ''}`);
    await rehearse({ k6, script: options, url, env: unsetK6(process.env) });
  }
}

/**
 * @param {string} folder of the run
 * @param {Plan} plan as it was made
 * @param {Record<string, any>} flags
 * @param {Stack[]} stacks
 * @param {Output} output
 * @returns {Promise<Prepared>}
 */
async function resumeRun(folder, plan, flags, stacks, output) {
  demandSameSystems(plan, stacks, basename(folder));
  if (flags['dry-run']) return { plan, k6: '', engine: null };
  const native = stacks.filter((s) => plan.systems.some((p) => p.id === s.id && p.engine === 'native'));
  const { k6 } = await setUp(native, output, {
    live: plan.options.live,
    build: flags['no-build'] !== true,
    named: native.map((s) => s.id),
    tools: faultTools(plan.profile),
  });
  for (const how of /** @type {const} */ (['docker', 'external'])) {
    const own = stacks.filter((s) => plan.systems.some((p) => p.id === s.id && p.engine === how));
    await setUpHooks(own, how, output, flags['no-build'] !== true);
  }
  const engine = plan.docker ? await demandSameImages(plan.docker, basename(folder)) : null;
  output.say(`Resuming ${basename(folder)}`);
  return { plan, k6, engine };
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
  for (const g of plan.sideBySide?.groups ?? [])
    output.say(
      `  side by side: ${g.workload} over ${g.transport}, ${g.cells.length} loads, ${plan.sideBySide?.maxStarts} starts at most`,
    );
  if (plan.notSideBySide) output.say(`  not side by side: ${plan.notSideBySide}`);
  for (const a of plan.absent)
    output.say(`  ${a.system ? 'not here' : 'left out'}: ${absentSubject(a)} (${a.reason})`);
}

/** @param {Plan} plan */
function listOfCells(plan) {
  return plan.blocks.flatMap((b) => b.cells.map((c) => `${c.id}\n`)).join('');
}

/**
 * @param {{plan: Plan, stacks: Stack[], k6: string, runFolder: string, reports: string, engine: DockerEngine | null,
 *   keep: boolean, pull: boolean}} run
 * @param {Output} output
 * @returns {Promise<{records: CellRecord[], interrupted: boolean}>}
 */
async function measure({ plan, stacks, k6, runFolder, reports, engine, keep, pull }, output) {
  const signals = watchSignals(output.say);
  const project =
    engine && plan.docker ? openProject(engine, plan.runId, composeVariables(plan.docker, engine)) : null;
  const live = await startLive(
    { live: plan.options.live, keep, pull, project, script: plan.options.script !== undefined },
    output,
  );
  const view = live.influxUrl ? await openLiveView({ url: live.influxUrl, plan, reports }) : null;
  const cluster = fromPods(plan.options) ? openCluster(plan) : null;
  try {
    const records = await runCampaign({
      plan,
      stacks,
      runFolder,
      k6,
      signal: signals.signal,
      interrupted: signals.interrupted,
      project,
      cluster,
      telemetry: live.telemetry,
      view,
      progress: createProgress(plan, output),
    });
    return { records, interrupted: signals.signal.aborted };
  } finally {
    const lost = (await view?.close()) ?? 0;
    if (lost > 0) output.say(`live view: ${lost} points of the runner did not reach InfluxDB`);
    await live.stop();
    await cluster?.close();
    await project?.close();
    signals.release();
  }
}

/**
 * @param {{path: string, view: any, plan: Plan, records: CellRecord[], exitCode: number, json: boolean}} end
 * @param {Output} output
 */
function conclude({ path, view, plan, records, exitCode, json }, output) {
  const v = view.verdicts;
  output.say();
  for (const matrix of view.matrices) {
    if (view.matrices.length > 1) output.say(`  ${matrix.title}`);
    for (const line of terminalTable(matrixTable(plan, matrix))) output.say(`  ${line}`);
    output.say();
  }
  for (const table of view.asksOfTime ? soakTables(view.soaks) : []) {
    for (const line of terminalTable(table)) output.say(`  ${line}`);
    output.say();
  }
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
