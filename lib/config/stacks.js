import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { plainLine } from '../controls.js';
import { ROOT, shown } from '../paths.js';
import { companionProblems, withCompanions } from './companions.js';
import { isFile, readDeclared } from './declared.js';
import { withOverride } from './override.js';
import { settingsProblems } from './settings.js';
import { schemaProblems } from './validate.js';
import { expandVariants, variantProblems } from './variants.js';

/** @import { Stack } from '../types.d.ts' */

/** The folders that hold systems: the checkout's own, and those named by `--stacks`. */
const STACKS = join(ROOT, 'stacks');

/**
 * @param {string[]} [extra] folders given by `--stacks`
 * @returns {string[]} absolute
 */
export function stackFolders(extra = []) {
  return [STACKS, ...extra.map((f) => resolve(f))];
}

/** @param {Pick<Stack, 'folder'>} stack @returns {boolean} whether it is none of the checkout's own */
export function isOutside({ folder }) {
  return dirname(folder) !== STACKS;
}

/**
 * Reads every manifest; each variant in it is a stack of its own. A folder whose name starts with `_` and that has a manifest is a calibration
 * target (a reference), never a system; `_` folders without one hold shared parts.
 * @param {string[]} [folders] folders of stacks; a later one may not repeat an id
 * @returns {{stacks: Stack[], problems: string[]}} every problem of every file at once
 */
export function loadStacks(folders = [STACKS]) {
  /** @type {Stack[]} */
  const stacks = [];
  /** @type {string[]} */
  const problems = [];
  for (const folder of folders) {
    const isThere = existsSync(folder);
    if (!isThere || !statSync(folder).isDirectory()) {
      problems.push(`${folder}: ${isThere ? 'not a' : 'no such'} folder of stacks`);
      continue;
    }
    for (const id of readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
      .map((e) => e.name)
      .sort()) {
      const path = join(folder, id, 'stack.json');
      if (!existsSync(path)) {
        if (!id.startsWith('_'))
          problems.push(`${shown(path)}: missing; every folder of stacks/ holds a manifest`);
        continue;
      }
      if (!isSystemName(id)) {
        problems.push(`${plainLine(shown(join(folder, id)))}: not a valid name of a system: ${SYSTEM_NAME}`);
        continue;
      }
      if (stacks.some((s) => s.id === id)) problems.push(`${shown(path)}: the id "${id}" is used twice`);
      const found = readManifest(path);
      problems.push(...found.problems);
      if (found.manifest) {
        const all = expandVariants(id, join(folder, id), withOverride(found.manifest));
        stacks.push(...all.map((s) => ({ ...s, manifest: withCompanions(s.manifest) })));
      }
      if (!isFile(join(folder, id, 'client.js')))
        problems.push(`${shown(join(folder, id, 'client.js'))}: missing, or not a file`);
    }
  }
  // A folder beside the checkout may hold copies of its systems; charts give these a free colour.
  problems.push(...colorProblems(stacks.filter((s) => dirname(s.folder) === STACKS)));
  return { stacks, problems };
}

/**
 * @param {Stack[]} stacks
 * @returns {string[]} systems of one workload that no chart could tell apart
 */
export function colorProblems(stacks) {
  const colored = stacks.filter((s) => s.manifest.color && !s.id.includes('@'));
  return colored.flatMap((a, i) =>
    colored.slice(i + 1).flatMap((b) => {
      const shared = Object.keys(a.manifest.workloads).find((w) => w in b.manifest.workloads);
      return shared && a.manifest.color === b.manifest.color
        ? [
            `${shown(join(b.folder, 'stack.json'))}: "color" ${b.manifest.color} is already used by ${a.id}, which has ${shared} too; choose another`,
          ]
        : [];
    }),
  );
}

/** What a name may be made of, in words. */
export const SYSTEM_NAME = 'lower-case letters, digits and hyphens, at most 41';

/**
 * The folder's name becomes part of the names of files, containers and variables.
 * @param {string} id
 * @returns {boolean}
 */
export function isSystemName(id) {
  return /^_?[a-z][a-z0-9-]{0,40}$/.test(id);
}

/**
 * @param {string} path
 * @returns {{manifest: Stack['manifest'] | null, problems: string[]}}
 */
function readManifest(path) {
  let manifest;
  try {
    manifest = readDeclared(path);
  } catch (error) {
    return { manifest: null, problems: [/** @type {Error} */ (error).message.replace(path, shown(path))] };
  }
  const found = schemaProblems('stack', manifest);
  if (found.length === 0) {
    const systems = expandVariants('', '', manifest).flatMap((system) => [
      ...schemaProblems('stack', system.manifest),
      ...companionProblems(system.manifest),
    ]);
    found.push(
      ...variantProblems(manifest),
      ...new Set(systems),
      ...settingsProblems(manifest, (file) => textOf(join(dirname(path), file))),
    );
  }
  const problems = found.map((p) => `${shown(path)}: ${p}`);
  return { manifest: problems.length === 0 ? manifest : null, problems };
}

/** @param {string} path */
function textOf(path) {
  return isFile(path) ? readFileSync(path, 'utf8') : '';
}
