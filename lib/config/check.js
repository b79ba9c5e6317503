import { join } from 'node:path';
import { shown } from '../paths.js';
import { clientProblems } from './clients.js';
import { composeProblems } from './compose.js';
import { readDeclared } from './declared.js';
import { suggest } from './nearest.js';
import { PROFILES, profileIds, profileProblems } from './profiles.js';
import { provenProblems } from './proven.js';
import { loadStacks } from './stacks.js';
import { loadWorkloads, workloadProblems } from './workloads.js';

/**
 * Validates every manifest, every profile and the facts of every workload.
 * @param {{stackFolders?: string[], workloadFolders?: string[]}} [options]
 * @returns {Promise<{problems: string[], stacks: number, profiles: number}>} all problems at once
 */
export async function checkAll({ stackFolders, workloadFolders } = {}) {
  const workloads = await loadWorkloads(workloadFolders);
  const known = workloads.map((w) => w.id);
  const { stacks, problems } = loadStacks(stackFolders);
  for (const workload of workloads.filter((w) => !w.data))
    problems.push(...workloadProblems(workload).map((p) => `k6/workloads/${workload.id}.js: ${p}`));
  const folders = stacks.filter((s) => s.id === s.base);
  for (const stack of folders) problems.push(...unknownWorkloads(stack, known));
  problems.push(...(await clientProblems(folders)));
  for (const stack of stacks)
    problems.push(...composeProblems(stack).map((p) => `${shown(stack.folder)}: ${p}`));
  for (const stack of folders)
    problems.push(...provenProblems(stack).map((p) => `${shown(join(stack.folder, 'proven.json'))}: ${p}`));
  const ids = profileIds();
  for (const { folder, variant, profiles = [] } of stacks)
    problems.push(
      ...profiles
        .filter((p) => !ids.includes(p))
        .map(
          (p) =>
            `${shown(join(folder, 'stack.json'))}: variants.${variant}.profiles: unknown profile "${p}"; ${suggest(p, ids)}`,
        ),
    );
  for (const id of ids) {
    const path = join(PROFILES, `${id}.json`);
    try {
      const profile = readDeclared(path);
      const own = profileProblems(profile);
      const named = own.length > 0 ? [] : strangeWorkloads(profile, known);
      problems.push(...[...own, ...named].map((p) => `${shown(path)}: ${p}`));
    } catch (error) {
      problems.push(/** @type {Error} */ (error).message);
    }
  }
  return { problems, stacks: folders.length, profiles: ids.length };
}

/**
 * @param {import('../types.d.ts').Profile} profile a valid one
 * @param {string[]} known
 * @returns {string[]}
 */
function strangeWorkloads(profile, known) {
  return [profile, ...profile.steps]
    .flatMap((part) => part.workloads ?? [])
    .filter((w) => !known.includes(w))
    .map((w) => `workloads: unknown workload "${w}"; ${suggest(w, known)}`);
}

/**
 * @param {import('../types.d.ts').Stack} stack
 * @param {string[]} known
 * @returns {string[]}
 */
function unknownWorkloads(stack, known) {
  return Object.keys(stack.manifest.workloads)
    .filter((w) => !known.includes(w))
    .map(
      (w) =>
        `${shown(join(stack.folder, 'stack.json'))}: workloads: unknown workload "${w}"; ${suggest(w, known)}`,
    );
}
