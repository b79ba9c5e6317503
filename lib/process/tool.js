import { execFile } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/**
 * Tools under way, ended with us on every exit path.
 * @type {Set<import('node:child_process').ChildProcess>}
 */
const underWay = new Set();
process.on('exit', () => {
  for (const child of underWay) child.kill('SIGKILL');
});

/**
 * Runs a short tool and waits for it.
 * @param {string[]} command argument list
 * @param {{cwd?: string, env?: Record<string, string | undefined>, timeoutMs?: number}} [options]
 * @returns {Promise<{ok: boolean, stdout: string, stderr: string}>} never rejects: `ok` is false when it
 *   cannot be started, fails, or takes too long
 */
export function runTool(command, { cwd, env, timeoutMs = 120_000 } = {}) {
  return new Promise((resolve) => {
    const child = execFile(
      command[0],
      command.slice(1),
      {
        cwd,
        env: { ...process.env, ...env },
        timeout: timeoutMs,
        maxBuffer: 64 * 1024 * 1024,
        encoding: 'utf8',
      },
      (error, stdout, stderr) => {
        underWay.delete(child);
        resolve({ ok: error === null, stdout, stderr: stderr || (error?.message ?? '') });
      },
    );
    underWay.add(child);
  });
}

/**
 * @param {string} binary name, or a path
 * @returns {string | null} where it is on PATH
 */
export function which(binary) {
  if (binary.includes('/')) return isExecutable(binary) ? binary : null;
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    const path = join(folder, binary);
    if (folder !== '' && isExecutable(path)) return path;
  }
  return null;
}

/** @param {string} path */
function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * @param {string} text
 * @returns {string} its last line that says something
 */
export function lastLine(text) {
  return text.trim().split('\n').filter(Boolean).pop() ?? '';
}
