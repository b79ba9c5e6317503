import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { BenchError, EXIT } from '../errors.js';
import { ownName, RUNNER } from '../process/own-name.js';
import { runTool } from '../process/tool.js';
import { hookBuilds, isBuilt } from '../setup/builds.js';

/** @import { EngineName, Stack } from '../types.d.ts' */

const TIMEOUT_MS = 180_000;

/**
 * Runs an executable of the stack's folder `hooks/`, when it has one of that name.
 * @param {Stack} stack
 * @param {'after-up'} name `after-up`: the system answers and is empty, nothing was measured yet
 * @param {Record<string, string>} values what the hook gets in its environment
 * @throws {BenchError} when it fails, with the last lines that it wrote to stderr
 */
export async function runHook(stack, name, values) {
  if (!hasHook(stack, name)) return;
  const path = pathOf(stack, name);
  const { ok, stderr, stdout } = await runTool([path], {
    cwd: stack.folder,
    env: { ...values, STACK: stack.folder, [RUNNER]: ownName('hook') },
    timeoutMs: TIMEOUT_MS,
  });
  if (ok) return;
  const lines = (stderr || stdout).trim().split('\n').filter(Boolean);
  throw new BenchError(`${stack.id}: the hook ${name} failed: ${lines[lines.length - 1] ?? 'no message'}`, {
    exitCode: EXIT.systemFailed,
    detail: lines.slice(-10, -1),
  });
}

/**
 * @param {Stack} stack
 * @param {'after-up'} name
 * @returns {boolean}
 */
export function hasHook(stack, name) {
  return existsSync(pathOf(stack, name));
}

/**
 * @param {Stack} stack
 * @param {'after-up'} name
 * @returns {string} absolute
 */
function pathOf({ folder }, name) {
  return join(folder, 'hooks', name);
}

/**
 * @param {Stack} stack
 * @param {EngineName} engine
 * @returns {Record<string, string>} for hooks: `BUILD_<NAME>`, the folder of each build for them that set-up made
 */
export function hookFolders(stack, engine) {
  const built = hookBuilds(stack, engine).filter((b) => b.name && isBuilt(b));
  return Object.fromEntries(built.map((b) => [`BUILD_${b.name?.toUpperCase()}`, b.output]));
}
