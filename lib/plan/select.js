import { suggest } from '../config/nearest.js';
import { notesOf } from '../config/notes.js';
import { atAddress } from '../config/override.js';
import { shownSettings } from '../config/settings.js';
import { isOutside } from '../config/stacks.js';
import { parseEndpoint } from '../engines/endpoint.js';
import { nativeAvailability } from '../engines/index.js';
import { builtAs, provenanceOf } from '../engines/native.js';
import { BenchError } from '../errors.js';
import { assignments, demandNames, demandWithin } from '../options.js';
import { watchOf } from './watch.js';

/** @import { DockerConditions, Plan, PlannedSystem, RunOptions, Stack, WorkloadFacts } from '../types.d.ts' */

/**
 * @param {Pick<import('../options.js').Options, 'systems' | 'workloads' | 'endpoint' | 'watch' | 'port' | 'noLive'>} wish
 * @param {Stack[]} stacks
 * @param {WorkloadFacts[]} workloads
 * @param {string} [profile] its id
 * @returns {{chosen: Stack[], calibrations: Stack[], workloads: WorkloadFacts[], options: RunOptions}}
 * @throws {BenchError} an unknown name, with the nearest one
 */
export function selectStacks(wish, stacks, workloads, profile = '') {
  const systems = stacks.filter((s) => !s.id.startsWith('_'));
  const ids = systems.map((s) => s.id);
  const wantedSystems = wantedOf(wish.systems, systems, profile);
  demandNames(
    wish.workloads,
    'workloads',
    workloads.map((w) => w.id),
  );
  // A workload as data is measured where it is asked for.
  const chosenWorkloads = workloads.filter((w) => wish.workloads?.includes(w.id) ?? !w.data);
  const runs = (/** @type {Stack} */ s) => chosenWorkloads.some((w) => s.manifest.workloads[w.id]);
  if (wantedSystems.length > 0 && !systems.some((s) => wantedSystems.includes(s.id) && runs(s)))
    throw new BenchError(
      `nothing to measure: no chosen system takes part in ${chosenWorkloads.map((w) => w.id).join(', ')}`,
      { hint: `these do: --systems ${[...new Set(systems.filter(runs).map((s) => s.base))].join(',')}` },
    );
  const endpoints = Object.fromEntries(
    Object.entries(assignments(wish.endpoint, 'endpoint', ids)).map(([id, text]) => [
      id,
      parseEndpoint(/** @type {Stack} */ (systems.find((s) => s.id === id)), text).url,
    ]),
  );
  const watch = watchOf(wish.watch, endpoints);
  return {
    // In the order in which they were asked for: tables compare the second with the first.
    chosen: systems
      .filter((s) => wantedSystems.includes(s.id) && runs(s))
      .sort((a, b) => (wish.systems ? wantedSystems.indexOf(a.id) - wantedSystems.indexOf(b.id) : 0)),
    calibrations: stacks.filter((s) => s.id.startsWith('_') && runs(s)),
    workloads: chosenWorkloads,
    options: {
      endpoints,
      ...(watch ? { watch } : {}),
      ports: portsOf(wish.port, ids),
      generatorCpus: null,
      live: !wish.noLive,
    },
  };
}

/**
 * A stack's name stands for all its variants that the profile has, `<stack>@default` for its base alone.
 * @param {string[] | null} given as they were typed: a, b@variant
 * @param {Stack[]} systems
 * @param {string} profile
 * @returns {string[]} ids
 */
function wantedOf(given, systems, profile) {
  /** @type {Map<string, string[]>} */
  const byName = new Map();
  const add = (/** @type {string} */ name, /** @type {string} */ id) =>
    byName.set(name, [...(byName.get(name) ?? []), id]);
  for (const { id, base, variant, profiles } of systems) {
    if (profiles?.includes(profile) ?? true) add(base, id);
    add(`${base}@${variant}`, id);
  }
  demandNames(given, 'systems', [...byName.keys()]);
  const names = given ?? systems.map(({ base }) => base);
  return names.flatMap((name) => byName.get(name) ?? []);
}

/**
 * @param {string[]} texts
 * @param {string[]} ids
 * @returns {Record<string, number>}
 */
function portsOf(texts, ids) {
  return Object.fromEntries(
    Object.entries(assignments(texts, 'port', ids)).map(([id, text]) => {
      demandWithin(Number(text), 'port', { min: 1, max: 65_535, integer: true }, `${id}=${text}`);
      return [id, Number(text)];
    }),
  );
}

/**
 * After set-up: who can run, and who cannot and why.
 * @param {Stack[]} stacks chosen systems and calibration targets
 * @param {RunOptions} options
 * @param {Map<string, string>} problems of the set-up, by id
 * @param {DockerConditions} [docker] when systems run in containers
 * @param {{setUp: boolean}} [done] `setUp` false: it is only planned, and what it could get counts as had
 * @returns {{systems: PlannedSystem[], absent: Plan['absent']}}
 */
export function whoCanRun(stacks, options, problems, docker, { setUp } = { setUp: true }) {
  /** @type {PlannedSystem[]} */
  const systems = [];
  /** @type {Plan['absent']} */
  const absent = [];
  for (const stack of stacks) {
    const endpoint = options.endpoints[stack.id];
    const problem = problems.get(stack.id) ?? (docker ? null : nativeProblem(stack, setUp));
    if (!endpoint && problem) {
      const { title } = stack.manifest;
      absent.push({ system: stack.id, title, status: 'unavailable', reason: problem });
      continue;
    }
    const manifest = endpoint ? atAddress(stack.manifest) : stack.manifest;
    const own = endpoint || docker ? null : builtAs(stack);
    systems.push({
      id: stack.id,
      ...(stack.like ? { like: stack.like } : {}),
      variant: stack.variant,
      ...(stack.setting ? { setting: stack.setting } : {}),
      ...(isOutside(stack) ? { outside: true } : {}),
      ...(manifest.standsInFor ? { standsInFor: manifest.standsInFor } : {}),
      title: manifest.title,
      origin: manifest.origin,
      engine: endpoint ? 'external' : docker ? 'docker' : 'native',
      ...(endpoint ? { endpoint } : {}),
      role: stack.id.startsWith('_') ? 'calibration' : 'system',
      durability: manifest.durability,
      ...(manifest.evictsAt && !endpoint ? { evictsAt: manifest.settings?.[manifest.evictsAt] } : {}),
      ...(manifest.durabilityWhen ? { durabilityWhen: manifest.durabilityWhen } : {}),
      ...(manifest.traitsWhen ? { traitsWhen: manifest.traitsWhen } : {}),
      notes: manifest.origin === stack.manifest.origin ? notesOf(stack.folder) : [],
      ...(manifest.notesWhen && manifest.origin === stack.manifest.origin
        ? { notesWhen: manifest.notesWhen }
        : {}),
      ...(manifest.sizesApart ? { sizesApart: manifest.sizesApart } : {}),
      settings: shownSettings(
        docker && manifest.docker?.settings === false ? { traits: manifest.traits } : manifest,
      ),
      ...(manifest.promises ? { promises: manifest.promises } : {}),
      // A variant has no colour of its own, and fits where its base does.
      ...(stack.id === stack.base ? { color: manifest.color, fits: manifest.fits } : {}),
      ...(own ? { builtAs: own } : {}),
      provenance: endpoint ? 'already running' : docker ? imagesOf(stack, docker) : provenanceOf(stack),
    });
  }
  return { systems: toldApart(systems), absent };
}

/**
 * @param {PlannedSystem[]} systems
 * @returns {PlannedSystem[]} those given by their address beside others say so, where they have no name of their own
 */
function toldApart(systems) {
  if (systems.every((s) => s.endpoint || s.role === 'calibration')) return systems;
  return systems.map((s) => (s.endpoint && !s.like ? { ...s, title: `${s.title} (by its address)` } : s));
}

/**
 * @param {Stack} stack
 * @param {boolean} setUp whether set-up has been done
 * @returns {string | null}
 */
function nativeProblem(stack, setUp) {
  const { state, missing } = nativeAvailability(stack);
  return state === 'ready' || (!setUp && state !== 'unavailable') ? null : missing;
}

/**
 * @param {Stack} stack
 * @param {DockerConditions} conditions
 * @returns {string} which images it runs, and where they came from
 */
function imagesOf(stack, { images }) {
  return Object.keys(stack.manifest.docker?.images ?? {})
    .map((variable) => {
      const { ref, id, source } = images[variable];
      return `image ${ref.split('@')[0]} (${id.replace('sha256:', '').slice(0, 12)}, ${source})`;
    })
    .join(', ');
}

/**
 * `--endpoint name:system=url`: the client of a system, for a server of another name.
 * @param {string[]} texts of `--endpoint`
 * @param {Stack[]} stacks
 * @returns {{endpoints: string[], named: Stack[]}} `endpoints`: each by the one name that it is measured under
 * @throws {BenchError} a name that is taken, or none
 */
export function namedEndpoints(texts, stacks) {
  /** @type {Stack[]} */
  const named = [];
  const endpoints = texts.map((text) => {
    const [, name, like, url] = /^([^:=]+):([^:=]+)=(.*)$/s.exec(text) ?? [];
    if (name === undefined) return text;
    if (!/^[a-z][a-z0-9-]{0,40}$/.test(name))
      throw new BenchError(`--endpoint ${name}:${like}: "${name}" is no name of a system`, {
        hint: 'small letters, digits and hyphens',
      });
    if ([...stacks, ...named].some((s) => s.id === name || s.base === name))
      throw new BenchError(`--endpoint ${name}:${like}: the name "${name}" is taken`, {
        hint: `choose another one, or write ${name}=URL`,
      });
    named.push(stackLike(name, like, stacks));
    return `${name}=${url}`;
  });
  return { endpoints, named };
}

/**
 * @param {string} name
 * @param {string} like id of a system
 * @param {Stack[]} stacks
 * @returns {Stack} the same client under that name
 */
export function stackLike(name, like, stacks) {
  const systems = stacks.filter((s) => !s.id.startsWith('_'));
  const model = systems.find((s) => s.id === like);
  if (!model)
    throw new BenchError(
      `unknown system "${like}" in --endpoint ${name}:${like}: ${suggest(
        like,
        systems.map((s) => s.id),
      )}`,
    );
  return {
    ...model,
    id: name,
    base: name,
    variant: 'default',
    like,
    manifest: { ...model.manifest, title: name },
  };
}
