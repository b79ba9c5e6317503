import { basename } from 'node:path';
import { isJsonFile } from '../config/declared.js';
import { scriptOf } from '../config/script-of.js';
import { absentSubject } from '../config/step-text.js';
import { demandSameImages } from '../docker/conditions.js';
import { containerPlacement } from '../docker/placement.js';
import { faultTools, lackedHere } from '../engines/fault-needs.js';
import { namedByGiven } from '../engines/given.js';
import { BenchError } from '../errors.js';
import { demandAddressed, rehearse } from '../generator/rehearsal.js';
import { archiveScript, scenariosFor } from '../generator/script-archive.js';
import { demandGates, loadText } from '../generator/script-scenarios.js';
import { SOAK } from '../judge/soak.js';
import { demandWithin } from '../options.js';
import { commandLines } from '../plan/command-line.js';
import { demandBeside } from '../plan/companions.js';
import { demandReachableByPods, generatorOptions } from '../plan/generators.js';
import { createPlan } from '../plan/plan.js';
import { demandSameSystems } from '../plan/resume.js';
import { profileFor } from '../plan/script.js';
import { selectStacks, whoCanRun } from '../plan/select.js';
import { cpuLimit, ownCpus } from '../process/cpu-limit.js';
import { placementOf } from '../process/placement.js';
import { ownName } from '../process/temporary.js';
import { fromPods } from '../record/who-loads.js';
import { setUp, setUpHooks } from '../setup/setup.js';
import { prepareMachine } from './prepare-machine.js';
import { reportsFolder, seenIn } from './runs.js';

/**
 * What is measured: the plan of a new run, or that of one that goes on.
 * @import { Plan, Profile, RunOptions, Stack, WorkloadFacts } from '../types.d.ts'
 * @import { DockerEngine } from '../docker/answers.js'
 * @import { Output } from '../output.js'
 */

/**
 * `engine`: of the containers, if any; `seen`: how long loads took in earlier runs.
 * @typedef {{plan: Plan, k6: string, engine: DockerEngine | null, seen: ReturnType<typeof seenIn>}} Prepared
 */

/**
 * What the command line and its profile ask for.
 * @typedef {object} Asked
 * @property {Profile} profile
 * @property {WorkloadFacts[]} workloads all that there are
 * @property {string[] | null} names of the workloads that are asked for; null: no matter which
 */

/**
 * @param {string} profileWord
 * @param {import('../plan/script.js').Script | Asked} asked
 * @param {import('../options.js').Options} wish
 * @param {Stack[]} stacks
 * @param {Output} output
 * @returns {Promise<Prepared>}
 */
export async function planRun(profileWord, asked, wish, stacks, output) {
  const isScript = 'systems' in asked;
  const script = isScript ? asked : null;
  let profile = isScript ? asked.profile : withDuration(asked.profile, wish.duration);
  demandBeside(profile, wish);
  const profileId = basename(profileWord, '.json');
  const repeats = wish.repeats ?? profile.repeats;
  const given = optionsOf(wish);
  const onCluster = fromPods(given);
  const selection = isScript
    ? { chosen: asked.stacks, calibrations: [], workloads: [asked.facts], options: asked.options }
    : selectStacks({ ...wish, workloads: asked.names }, stacks, asked.workloads, profileId);
  const notReached = onCluster ? withAddresses(selection) : [];
  const options = { ...selection.options, ...given };
  const wanted = [...selection.chosen, ...selection.calibrations];
  const dry = wish.dryRun;
  const { k6, docker, problems } = await prepareMachine({ profile, selection, options }, wish, output);
  if (options.generators && docker)
    throw new BenchError(
      '--generators loads systems that run as processes or by address, not in containers',
      { hint: 'add --engine native, or --endpoint system=url' },
    );
  if (options.generatorCpus !== null && !docker && !dry)
    cpuLimit(ownName('probe'), options.generatorCpus).remove();
  const named = docker ? wanted : await namedByGiven(wanted, options.endpoints);
  const { systems, absent } = script
    ? { systems: script.systems, absent: [] }
    : whoCanRun(named, options, problems, docker?.conditions, { setUp: !dry });
  if (script && !dry) {
    profile = profileFor(script, wish, await archiveAll(script, wish.rate !== null, k6, output));
    await rehearseAll(script, k6, output);
  }
  demandAny(systems, absent, onCluster);
  const { variables = [], k6Options = [] } = options.script ?? {};
  const own = script ? [] : systems.filter((s) => s.role === 'system').map((s) => s.id);
  const run = { systems: own, variables, k6Options };
  const again = commandLines(script ? undefined : profileWord, wish.given, run);
  const seen = seenIn(reportsFolder(wish), profileId);
  const plan = createPlan({
    runId: `${new Date().toISOString().slice(0, 19).replaceAll(':', '-')}Z-${profileId}`,
    profileId,
    ...(isJsonFile(profileWord) ? { profileFile: basename(profileWord) } : {}),
    profile,
    repeats,
    systems,
    absent: wish.systems ? [...notReached, ...absent] : absent,
    workloads: selection.workloads,
    stacks,
    options: { ...options, again },
    hostCores: ownCpus(),
    lacks: lackedHere(profile.steps),
    placement: docker ? containerPlacement(docker.engine) : placementOf(),
    seen,
  });
  if (onCluster) demandReachableByPods(plan);
  if (plan.trials.length === 0) {
    throw new BenchError('nothing to measure: no step of the profile suits the chosen systems', {
      detail: plan.absent.map((a) => `${absentSubject(plan, a)}: ${a.reason}`),
    });
  }
  return {
    plan: docker ? { ...plan, docker: docker.conditions } : plan,
    k6,
    engine: docker?.engine ?? null,
    seen,
  };
}

/**
 * @param {import('../options.js').Options} wish
 * @returns {Pick<RunOptions, 'generatorCpus' | 'operations' | 'starts' | 'untilDecided' | 'maxMinutes' | 'outputs'
 *   | 'duration' | 'steps' | 'generators'> & {live?: false}} what the command line says of the load
 * @throws {BenchError} when a number is none, or out of its range
 */
function optionsOf(wish) {
  const { generatorCpus, operations, starts, untilDecided, maxMinutes, duration, script, steps } = wish;
  const generators = generatorOptions(wish);
  const ofPods = fromPods({ generators });
  if (generatorCpus !== null && !ofPods)
    demandWithin(generatorCpus, 'generator-cpus', { min: 0.01, max: ownCpus() });
  const outputs = wish.out.map((text) => text.split('=')[0]);
  return {
    generatorCpus: ofPods ? null : generatorCpus,
    ...{ operations, starts, untilDecided, maxMinutes },
    ...(outputs.length > 0 ? { outputs } : {}),
    ...(duration === null ? {} : { duration: `${duration}s` }),
    ...(steps && !script ? { steps } : {}),
    // Points of several generators would be taken for those of one.
    ...(generators ? { generators, live: false } : {}),
  };
}

/**
 * @param {Plan['systems']} systems that can run
 * @param {Plan['absent']} absent the others
 * @param {boolean} onCluster where the load comes from
 * @throws {BenchError} when nothing is left to measure
 */
function demandAny(systems, absent, onCluster) {
  if (onCluster && systems.length === 0)
    throw new BenchError('--on kubernetes loads systems by their address, and none was given', {
      hint: 'add --endpoint system=url',
    });
  if (systems.some((s) => s.role === 'system')) return;
  throw new BenchError('nothing to measure: none of the chosen systems can run here', {
    detail: absent.map(({ system, reason }) => `${system}: ${reason}`),
    hint: '`./run-all.sh systems` says what each one needs',
  });
}

/**
 * @param {string} folder of the run
 * @param {Plan} plan as it was made
 * @param {import('../options.js').Options} wish
 * @param {Stack[]} stacks
 * @param {Output} output
 * @returns {Promise<Prepared>}
 */
export async function resumeRun(folder, plan, wish, stacks, output) {
  demandSameSystems(plan, stacks, basename(folder));
  if (wish.dryRun) return { plan, k6: '', engine: null, seen: new Map() };
  const native = stacks.filter((s) => plan.systems.some((p) => p.id === s.id && p.engine === 'native'));
  const { k6 } = await setUp(native, output, {
    live: plan.options.live,
    build: !wish.noBuild,
    named: native.map((s) => s.id),
    tools: faultTools(plan.profile.steps),
  });
  for (const how of /** @type {const} */ (['docker', 'external'])) {
    const own = stacks.filter((s) => plan.systems.some((p) => p.id === s.id && p.engine === how));
    await setUpHooks(own, how, output, !wish.noBuild);
  }
  if (plan.options.script) {
    const drops = plan.profile.steps.some((s) => s.model === 'open');
    await archiveAll(plan, drops, k6);
  }
  const engine = plan.docker ? await demandSameImages(plan.docker, basename(folder)) : null;
  output.say(`Resuming ${basename(folder)}`);
  return { plan, k6, engine, seen: seenIn(reportsFolder(wish), plan.profileId, [folder]) };
}

/**
 * @param {Profile} profile
 * @param {number | null} durationSec of `--duration`
 * @returns {Profile} with soaks of that length
 * @throws {BenchError} when it is too short, or nothing in the profile is a soak
 */
function withDuration(profile, durationSec) {
  if (durationSec === null) return profile;
  if (!profile.steps.some((s) => s.soak))
    throw new BenchError('--duration sets the length of a soak, and this profile has none', {
      hint: 'the profile `soak` has one',
    });
  if (durationSec < SOAK.minSec)
    throw new BenchError(`--duration ${durationSec}s: a soak lasts at least ${SOAK.minSec}s`);
  return { ...profile, steps: profile.steps.map((s) => (s.soak ? { ...s, durationSec } : s)) };
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
 * What k6 makes of a script before it runs: its options say who calls which function.
 * @param {Pick<Plan, 'options' | 'systems'>} run the scenarios of each script are noted
 * @param {boolean} drops whether iterations can be dropped
 * @param {string} k6
 * @param {Output} [output] is told what of the script's own load the steps take the place of
 * @returns {Promise<number>} how many scenarios it has, or the one that has the most
 * @throws {BenchError} k6 does not take it, or one of its thresholds could not be crossed
 */
async function archiveAll({ options, systems }, drops, k6, output) {
  for (const { id, endpoint: url } of systems) {
    const script = scriptOf(options, id);
    const archived = await archiveScript({ k6, script, url });
    demandGates(basename(script.path), archived, script.k6Options, drops);
  }
  const all = [...new Set(systems.map(({ id }) => scriptOf(options, id)))];
  for (const script of all) {
    const scenarios = scenariosFor(script, systems[0].endpoint ?? '');
    script.scenarios = scenarios.map(({ name, executor, weight }) => ({ name, executor, weight }));
    const replaced = loadText(script.scenarios);
    if (replaced) output?.say(`  ${options.scripts ? `${basename(script.path)}: ` : ''}${replaced}`);
  }
  return Math.max(...all.map((script) => script.scenarios?.length ?? 1));
}

/**
 * @param {import('../plan/script.js').Script} script
 * @param {string} k6
 * @param {Output} output
 */
async function rehearseAll({ options, systems }, k6, output) {
  for (const own of options.scripts ? systems.map((s) => [s]) : [systems]) {
    const script = scriptOf(options, own[0].id);
    const call = { k6, script, say: output.say };
    const rehearsed = [];
    for (const { id, endpoint: url } of own) {
      output.say(`Rehearsal: one iteration of ${basename(script.path)}${url ? ` against ${url}` : ''}`);
      rehearsed.push({ id, url, ...(await rehearse({ ...call, url })) });
    }
    await demandAddressed(call, rehearsed);
    if (rehearsed.every((r) => r.receives)) script.mustReceive = true;
    script.seen = rehearsed.filter((r) => r.isSeen).map((r) => r.id);
  }
}
