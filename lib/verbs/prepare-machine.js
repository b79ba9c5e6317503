import { chooseEngine } from '../engines/choose.js';
import { nativeAvailability } from '../engines/index.js';
import { powerLossMissing } from '../engines/power-loss.js';
import { isOfNetwork } from '../run/network.js';
import {
  generatorBuild,
  hookBuilds,
  isBuilt,
  networkBuild,
  powerLossBuild,
  stackBuilds,
} from '../setup/builds.js';
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
 * Chooses the engine, says what there is to fetch and to build and does it. With `--dry-run` it only says it.
 * @param {{profile: Profile, selection: ReturnType<typeof import('../plan/select.js').selectStacks>, options: RunOptions}} input
 * @param {import('../options.js').Options} wish
 * @param {Output} output
 * @returns {Promise<{k6: string, docker: Extract<Choice, {name: 'docker'}> | null, problems: Map<string, string>}>}
 */
export async function prepareMachine(
  { profile, selection: { chosen, calibrations }, options },
  wish,
  output,
) {
  const dry = wish.dryRun;
  const build = !wish.noBuild;
  const named = wish.systems ?? [];
  const isGiven = (/** @type {Stack} */ s) => options.endpoints[s.id] !== undefined || options.script;
  const mine = [...chosen, ...calibrations].filter((s) => !isGiven(s));
  const tools = faultTools(profile);
  if (build && !dry && !wish.build) {
    // Images are made of the same programs.
    const own = mine.flatMap((s) => [...stackBuilds(s), ...hookBuilds(s, 'native')]);
    await takeReleased([generatorBuild(), ...tools, ...own], output);
  }
  const notAtHand = new Map(profile.atHand && !wish.systems ? buildsFirst(chosen) : []);
  const ours = mine.filter((s) => !notAtHand.has(s.id));
  const given = [...chosen, ...calibrations].filter(isGiven);
  const anyOfOurs = chosen.some((s) => ours.includes(s));
  const wanted =
    wish.engine ?? (profile.atHand && chosen.some((s) => canBeNative(s, notAtHand)) ? 'native' : 'auto');
  const choice = await chooseEngine(wanted, anyOfOurs ? ours : [], output, { build, dry });
  if (choice.name === 'native' && choice.why) output.say(`engine native, not docker: ${choice.why}`);
  const docker = choice.name === 'docker' ? choice : null;
  const live = options.live && !profile.atHand;
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
 * @param {Profile} profile
 * @returns {import('../setup/builds.js').Build[]} programs of ours that its faults need
 */
export function faultTools({ steps }) {
  return [
    ...(steps.some((s) => s.fault && isOfNetwork(s.fault.kind)) ? [networkBuild()] : []),
    ...(steps.some(needsOurDisk) && powerLossMissing() === null ? [powerLossBuild()] : []),
  ];
}

/** @param {import('../types.d.ts').Step} step */
function needsOurDisk({ powerLoss, fault }) {
  return powerLoss === true || fault?.kind === 'disk-full';
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
