import { chooseEngine } from '../engines/choose.js';
import { faultTools } from '../engines/fault-needs.js';
import { nativeAvailability } from '../engines/index.js';
import { generatorBuild, hookBuilds, isBuilt, stackBuilds } from '../setup/builds.js';
import { missingFor, missingText } from '../setup/costs.js';
import { takeReleased } from '../setup/releases.js';
import { INFLUXD, setUp, setUpHooks, setUpProblems } from '../setup/setup.js';

/**
 * What a run needs on this machine: an engine, programs, servers; said before it is fetched or built.
 * @import { Profile, RunOptions, Stack } from '../types.d.ts'
 * @import { Choice } from '../engines/choose.js'
 * @import { Output } from '../output.js'
 */

/**
 * Chooses the engine, says what there is to download and to build, and does it. With `--dry-run` it only says it.
 * @param {{profile: Profile, selection: ReturnType<typeof import('../plan/select.js').selectStacks>, options: RunOptions}} input
 * @param {import('../options.js').Options} wish
 * @param {Output} output
 * @returns {Promise<{k6: string, docker: Extract<Choice, {name: 'docker'}> | null, problems: Map<string, string>}>}
 *   `problems`: why a system cannot run, by its id
 */
export async function prepareMachine({ profile, selection, options }, wish, output) {
  const { dryRun, noBuild } = wish;
  const build = !noBuild;
  const tools = faultTools(profile.steps);
  const { external, startable, unbuilt } = sortedByStart(selection, options, profile, wish);
  if (build && !dryRun && !wish.build) {
    // Images are made of the same programs.
    const own = startable.flatMap((s) => [...stackBuilds(s), ...hookBuilds(s, 'native')]);
    await takeReleased([generatorBuild(), ...tools, ...own], output);
  }
  const { chosen } = selection;
  const starts = startable.some((s) => chosen.includes(s)) ? startable : [];
  const able = chosen.some((s) => !unbuilt.has(s.id) && nativeAvailability(s).state !== 'unavailable');
  const engine = wish.engine ?? (profile.atHand && able ? 'native' : 'auto');
  const choice = await chooseEngine(engine, starts, output, { build, here: wish.build, dry: dryRun });
  if (choice.name === 'native' && choice.why) output.say(`engine native, not docker: ${choice.why}`);
  const docker = choice.name === 'docker' ? choice : null;
  const native = docker ? [] : startable;
  const named = wish.systems ?? [];
  const live = options.live && !profile.atHand && !docker;
  if (build || dryRun) {
    const own = native.filter((s) => !setUpProblems([s], named).has(s.id));
    const more = { builds: [generatorBuild(), ...tools], needs: live ? [INFLUXD] : [] };
    for (const line of missingText(missingFor(own, more))) output.say(line);
  }
  if (dryRun) {
    const problems = docker?.problems ?? setUpProblems(startable, named);
    return { k6: '', docker, problems: new Map([...unbuilt, ...problems]) };
  }
  const { k6, problems } = await setUp(native, output, { live, build, named, tools });
  for (const [id, problem] of await setUpHooks(external, 'external', output, build))
    output.say(`${id}: ${problem}`);
  if (!docker) return { k6, docker, problems: new Map([...unbuilt, ...problems]) };
  const inContainers = startable.filter((s) => !docker.problems.has(s.id));
  const hookProblems = await setUpHooks(inContainers, 'docker', output, build);
  return { k6, docker, problems: new Map([...unbuilt, ...docker.problems, ...hookProblems]) };
}

/**
 * @param {ReturnType<typeof import('../plan/select.js').selectStacks>} selection
 * @param {RunOptions} options
 * @param {Profile} profile
 * @param {Pick<import('../options.js').Options, 'systems'>} wish
 * @returns {{external: Stack[], startable: Stack[], unbuilt: Map<string, string>}} `external`: they run already; `unbuilt`: a
 *   profile of what is at hand does not build their servers, unless they are asked for by name; and what to do about it
 */
function sortedByStart({ chosen, calibrations }, { endpoints, script }, { atHand }, { systems }) {
  const all = [...chosen, ...calibrations];
  const external = all.filter((s) => endpoints[s.id] !== undefined || script);
  const ours = atHand && systems === null ? chosen.filter((s) => !external.includes(s)) : [];
  const notBuilt = ours.filter((s) => stackBuilds(s).some((b) => !isBuilt(b)));
  const unbuilt = new Map(notBuilt.map((s) => [s.id, `not built yet: add --systems ${s.base} to build it`]));
  const startable = all.filter((s) => !external.includes(s) && !unbuilt.has(s.id));
  return { external, startable, unbuilt };
}
