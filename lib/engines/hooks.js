import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ownName, RUNNER } from '../process/own-name.js';
import { hookBuilds, isBuilt, stackBuilds } from '../setup/builds.js';
import { runCommands } from './companions.js';

/** @import { EngineName, Stack } from '../types.d.ts' */

const TIMEOUT_MS = 180_000;

/** Of a stack's folder: run when the system answers and is empty, and nothing was measured yet. */
const HOOK = join('hooks', 'after-up');

/**
 * Runs the stack's hook, when it has one.
 * @param {Stack} stack
 * @param {EngineName} engine that started the system
 * @param {Record<string, string>} values what the hook gets in its environment, beside `BUILD_<NAME>`: the folder of each build for
 *   hooks that set-up made, and of the system's own where its programs are started here
 * @throws {BenchError} when it fails, with the last lines that it wrote to stderr
 */
export async function runHook(stack, engine, values) {
  if (!hasHook(stack)) return;
  const builds = [
    ...(engine === 'native' ? stackBuilds(stack) : []),
    ...hookBuilds(stack, engine).filter(isBuilt),
  ];
  const named = builds.flatMap((b) => (b.name ? [[`BUILD_${b.name.toUpperCase()}`, b.output]] : []));
  const own = { STACK: stack.folder, [RUNNER]: ownName('hook') };
  const env = { ...values, ...Object.fromEntries(named), ...own };
  const options = { cwd: stack.folder, env, timeoutMs: TIMEOUT_MS };
  await runCommands([[join(stack.folder, HOOK)]], options, `${stack.id}: the hook after-up failed`);
}

/**
 * @param {Stack} stack
 * @returns {boolean}
 */
export function hasHook({ folder }) {
  return existsSync(join(folder, HOOK));
}
