import { existsSync } from 'node:fs';
import { scriptOf } from '../config/script-of.js';
import { pinned } from '../process/placement.js';
import { which } from '../process/tool.js';
import { fromPods } from '../record/who-loads.js';
import { hookBuilds, isBuilt, stackBuilds } from '../setup/builds.js';
import { canBeUnpacked, findNeed, howToInstall } from '../setup/needs.js';
import { startContainers } from './docker/system.js';
import { attachExternal } from './external.js';
import { startNative } from './native.js';
import { scriptTarget } from './script-target.js';

/**
 * @import { PlannedSystem, RunOptions, Stack } from '../types.d.ts'
 * @import { Project } from './docker/project.js'
 * @import { Instance } from './native.js'
 */

/**
 * A system beside others: its CPUs, and the name that tells it from a second copy.
 * @typedef {{name: string, cpus: number[]}} Place
 */

/**
 * @typedef {object} Availability
 * @property {'ready' | 'can be set up' | 'unavailable'} state
 * @property {string} how
 * @property {string} missing the one line that would change it, `–` when nothing is missing
 */

/**
 * Whether a stack can run as processes of this machine, without setting anything up.
 * @param {Stack} stack
 * @returns {Availability}
 */
export function nativeAvailability(stack) {
  const native = stack.manifest.native;
  const unavailable = (/** @type {string} */ missing) =>
    /** @type {Availability} */ ({ state: 'unavailable', how: '–', missing });
  if (!native && stack.manifest.docker)
    return unavailable(`its container image: start Docker, or --endpoint ${stack.id}=URL`);
  if (!native) return unavailable(`no native recipe; use --endpoint ${stack.id}=URL`);
  const missingNeeds = (native.needs ?? []).filter((n) => !findNeed(n));
  const missingTools = [...stackBuilds(stack), ...hookBuilds(stack, 'native')]
    .filter((b) => which(b.command[0]) === null && !(existsSync(b.source) && isBuilt(b)))
    .map((b) => b.command[0]);
  if (missingTools.length > 0) return unavailable(`${missingTools.join(', ')} on PATH, to build its server`);
  const beyondUs = missingNeeds.filter((n) => !canBeUnpacked(n));
  if (beyondUs.length > 0) return unavailable(`${beyondUs[0].binary}: ${howToInstall(beyondUs[0])}`);
  if (missingNeeds.length > 0) {
    const packages = missingNeeds.map((n) => n.debian).join(', ');
    return { state: 'can be set up', how: 'native', missing: `set-up will unpack Debian's ${packages}` };
  }
  return { state: 'ready', how: 'native', missing: '–' };
}

/**
 * @param {Stack} stack
 * @param {PlannedSystem} planned
 * @param {{transport: string, options: RunOptions, project?: Project | null, signal: AbortSignal,
 *   wrap?: (command: string[]) => string[], place?: Place, needs?: import('../config/faults.js').Need}} context `wrap`,
 *   `needs`: native only; `place`: as one of several systems that are up at once
 * @returns {Promise<Instance>}
 */
export function startSystem(stack, planned, { transport, options, project, signal, wrap, place, needs }) {
  const watch = options.watch?.[stack.id];
  if (options.script)
    return Promise.resolve(
      scriptTarget(planned, { watch, isSeen: scriptOf(options, stack.id).seen?.includes(stack.id) }),
    );
  if (planned.engine === 'external') {
    const url = /** @type {string} */ (planned.endpoint);
    return attachExternal(stack, { url, signal, fromPods: fromPods(options), watch });
  }
  const port = options.ports[stack.id];
  if (planned.engine === 'docker') {
    if (!project) throw new Error('a system in containers needs the run’s project');
    return startContainers(stack, { project, transport, port, signal, place });
  }
  const held = place && ((/** @type {string[]} */ command) => pinned(command, place.cpus));
  return startNative(stack, { transport, port, signal, wrap: wrap ?? held, needs });
}
