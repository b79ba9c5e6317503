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
  const add = (/** @type {string} */ path, /** @type {string[]} */ found) =>
    problems.push(...found.map((problem) => `${shown(path)}: ${problem}`));
  for (const workload of workloads.filter((w) => !w.data))
    add(`k6/workloads/${workload.id}.js`, workloadProblems(workload));
  const folders = stacks.filter((s) => s.id === s.base);
  for (const { folder, manifest } of folders)
    add(join(folder, 'stack.json'), unknownWorkloads(Object.keys(manifest.workloads), known));
  problems.push(...(await clientProblems(folders)));
  for (const stack of stacks) add(stack.folder, composeProblems(stack));
  for (const stack of folders) add(join(stack.folder, 'proven.json'), provenProblems(stack));
  const ids = profileIds();
  for (const { folder, variant, profiles = [] } of stacks) {
    const strange = profiles.filter((p) => !ids.includes(p));
    const text = (/** @type {string} */ id) =>
      `variants.${variant}.profiles: unknown profile "${id}"; ${suggest(id, ids)}`;
    add(join(folder, 'stack.json'), strange.map(text));
  }
  for (const id of ids) {
    const path = join(PROFILES, `${id}.json`);
    try {
      const profile = readDeclared(path);
      const own = profileProblems(profile);
      const named = () =>
        [profile, ...profile.steps].flatMap((part) => unknownWorkloads(part.workloads ?? [], known));
      add(path, own.length > 0 ? own : named());
    } catch (error) {
      problems.push(/** @type {Error} */ (error).message);
    }
  }
  return { problems, stacks: folders.length, profiles: ids.length };
}

/**
 * @param {string[]} names
 * @param {string[]} known
 * @returns {string[]}
 */
function unknownWorkloads(names, known) {
  return names
    .filter((w) => !known.includes(w))
    .map((w) => `workloads: unknown workload "${w}"; ${suggest(w, known)}`);
}
