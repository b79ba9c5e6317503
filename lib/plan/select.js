import { assignments, listOf } from '../args.js';
import { suggest } from '../config/nearest.js';
import { labelOf } from '../config/override.js';
import { parseEndpoint } from '../engines/external.js';
import { nativeAvailability } from '../engines/index.js';
import { provenanceOf } from '../engines/native.js';
import { BenchError } from '../errors.js';

/** @import { Plan, PlannedSystem, RunOptions, Stack, WorkloadFacts } from '../types.d.ts' */

/**
 * @param {Record<string, any>} flags
 * @param {Stack[]} stacks
 * @param {WorkloadFacts[]} workloads
 * @returns {{chosen: Stack[], calibrations: Stack[], workloads: WorkloadFacts[], options: RunOptions}}
 * @throws {BenchError} an unknown name, with the nearest one
 */
export function selectStacks(flags, stacks, workloads) {
  const systems = stacks.filter((s) => !s.id.startsWith('_'));
  const ids = systems.map((s) => s.id);
  const wantedSystems = wantedOf(flags.systems, systems);
  const wantedWorkloads = listOf(
    flags.workloads,
    'workloads',
    workloads.map((w) => w.id),
  );
  const chosenWorkloads = workloads.filter((w) => wantedWorkloads?.includes(w.id) ?? true);
  const runs = (/** @type {Stack} */ s) => chosenWorkloads.some((w) => s.manifest.workloads[w.id]);
  demandEngine(flags.engine ?? 'auto');
  const endpoints = assignments(flags.endpoint ?? [], 'endpoint', ids);
  for (const [id, url] of Object.entries(endpoints)) parseEndpoint(id, url);
  return {
    // In the order in which they were asked for: tables compare the second with the first.
    chosen: systems
      .filter((s) => wantedSystems.includes(s.id) && runs(s))
      .sort((a, b) => (flags.systems ? wantedSystems.indexOf(a.id) - wantedSystems.indexOf(b.id) : 0)),
    calibrations: stacks.filter((s) => s.id.startsWith('_') && runs(s)),
    workloads: chosenWorkloads,
    options: {
      endpoints,
      ports: portsOf(flags.port ?? [], ids),
      generatorCpus: null,
      live: flags['no-live'] !== true,
    },
  };
}

/**
 * A stack's name stands for all its variants, `<stack>@default` for its base alone.
 * @param {string | undefined} text `a,b@variant`
 * @param {Stack[]} systems
 * @returns {string[]} ids
 */
function wantedOf(text, systems) {
  /** @type {Map<string, string[]>} */
  const byName = new Map();
  const add = (/** @type {string} */ name, /** @type {string} */ id) =>
    byName.set(name, [...(byName.get(name) ?? []), id]);
  for (const { id, base, variant } of systems) {
    add(base, id);
    add(`${base}@${variant}`, id);
  }
  const names = listOf(text, 'systems', [...byName.keys()]) ?? [...byName.keys()];
  return names.flatMap((name) => byName.get(name) ?? []);
}

/** @param {string} engine */
function demandEngine(engine) {
  const known = ['auto', 'native', 'docker'];
  if (!known.includes(engine)) throw new BenchError(`unknown engine "${engine}": ${suggest(engine, known)}`);
  if (engine === 'docker') {
    throw new BenchError('the docker engine is not part of this version', {
      hint: 'leave out --engine: systems run as processes of this machine',
    });
  }
}

/**
 * @param {string[]} texts
 * @param {string[]} ids
 * @returns {Record<string, number>}
 */
function portsOf(texts, ids) {
  return Object.fromEntries(
    Object.entries(assignments(texts, 'port', ids)).map(([id, text]) => {
      const port = Number(text);
      if (!Number.isInteger(port) || port < 1 || port > 65_535) {
        throw new BenchError(`--port ${id}=${text}: needs a port from 1 to 65535`);
      }
      return [id, port];
    }),
  );
}

/**
 * After set-up: who can run, and who cannot and why.
 * @param {Stack[]} stacks chosen systems and calibration targets
 * @param {RunOptions} options
 * @param {Map<string, string>} problems of the set-up, by id
 * @returns {{systems: PlannedSystem[], absent: Plan['absent']}}
 */
export function whoCanRun(stacks, options, problems) {
  /** @type {PlannedSystem[]} */
  const systems = [];
  /** @type {Plan['absent']} */
  const absent = [];
  for (const stack of stacks) {
    const endpoint = options.endpoints[stack.id];
    const available = nativeAvailability(stack);
    const problem = problems.get(stack.id) ?? (available.state === 'ready' ? null : available.missing);
    if (!endpoint && problem) {
      absent.push({ system: stack.id, status: 'unavailable', reason: problem });
      continue;
    }
    const label = labelOf(stack.manifest, endpoint !== undefined);
    systems.push({
      id: stack.id,
      variant: stack.variant,
      title: label.title,
      origin: label.origin,
      engine: endpoint ? 'external' : 'native',
      ...(endpoint ? { endpoint } : {}),
      role: stack.id.startsWith('_') ? 'calibration' : 'system',
      durability: stack.manifest.durability,
      knobs: label.knobs ?? {},
      ...(stack.manifest.targets ? { targets: stack.manifest.targets } : {}),
      provenance: endpoint ? 'already running' : provenanceOf(stack),
    });
  }
  return { systems, absent };
}
