import { loadStacks } from '../config/stacks.js';

/** @import { Plan } from '../types.d.ts' */

/** `jobs`: workloads of the suite that it does. @typedef {{color: string | null, fits: readonly string[], jobs: number, setting: string | null}} Declared */

/** @type {ReadonlyMap<string, import('../types.d.ts').Stack> | null} */
let ours = null;

/**
 * What a system's manifest says of it that no measurement needs: that of this checkout, else what the plan has of one from
 * elsewhere.
 * @param {Plan} plan
 * @param {string} id
 * @returns {Declared}
 */
export function declaredOf({ systems }, id) {
  ours ??= new Map(loadStacks().stacks.map((stack) => [stack.id, stack]));
  const [own, planned] = [ours.get(id), systems.find((s) => s.id === id)];
  const setting = own?.setting ?? planned?.setting ?? null;
  // A variant takes a free colour, and fits where its base does.
  if (id.includes('@')) return { color: null, fits: [], jobs: 0, setting };
  return {
    color: own?.manifest.color ?? planned?.color ?? null,
    fits: own?.manifest.fits ?? planned?.fits ?? [],
    jobs: Object.keys(own?.manifest.workloads ?? {}).length,
    setting,
  };
}
